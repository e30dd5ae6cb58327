//! How far a transfer is, and calling it off.

use std::{
    future::Future,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use crate::DepotError;

/// How often somebody looks whether the transfer was called off.
const HEARTBEAT: Duration = Duration::from_millis(50);

/// How far a transfer is; to be read and called off by another thread.
#[derive(Debug, Default)]
pub struct Transfer {
    total: AtomicU64,
    done: AtomicU64,
    moved: AtomicU64,
    cancelled: AtomicBool,
}

impl Transfer {
    /// How many bytes there are in all; 0 until known.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// How many bytes are where they should be, those included that were there
    /// before.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// How many bytes went over the line.
    pub fn moved(&self) -> u64 {
        self.moved.load(Ordering::Relaxed)
    }

    /// Calls the transfer off; it ends within a moment with
    /// [`DepotError::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the transfer was called off.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// An error if the transfer was called off.
    pub(crate) fn go_on(&self) -> Result<(), DepotError> {
        match self.is_cancelled() {
            true => Err(DepotError::Cancelled),
            false => Ok(()),
        }
    }

    pub(crate) fn expect(&self, bytes: u64) {
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn passed_over(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn moved_on(&self, bytes: u64) {
        self.moved.fetch_add(bytes, Ordering::Relaxed);
        self.passed_over(bytes);
    }

    /// Does some work unless the transfer is called off before it is done.
    pub(crate) async fn unless_cancelled<T>(
        &self,
        work: impl Future<Output = Result<T, DepotError>>,
    ) -> Result<T, DepotError> {
        let cancelled = async {
            while !self.is_cancelled() {
                tokio::time::sleep(HEARTBEAT).await;
            }
        };
        tokio::select! {
            biased;
            () = cancelled => Err(DepotError::Cancelled),
            result = work => result,
        }
    }
}
