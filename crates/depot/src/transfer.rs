//! Progress and cancellation of a transfer.

use std::{
    future::Future,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use crate::DepotError;

/// The interval at which a transfer checks for cancellation.
const HEARTBEAT: Duration = Duration::from_millis(50);

/// The progress of a transfer. Other threads can read it and cancel the transfer.
#[derive(Debug, Default)]
pub struct Transfer {
    total: AtomicU64,
    done: AtomicU64,
    moved: AtomicU64,
    canceled: AtomicBool,
}

impl Transfer {
    /// The total number of bytes; 0 until known.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// The number of bytes in place, including those that did not have to be moved.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// The number of bytes transferred.
    pub fn moved(&self) -> u64 {
        self.moved.load(Ordering::Relaxed)
    }

    /// Cancels the transfer; it soon ends with [`DepotError::Canceled`].
    pub fn cancel(&self) {
        self.canceled.store(true, Ordering::Relaxed);
    }

    /// Whether the transfer was canceled.
    pub fn is_canceled(&self) -> bool {
        self.canceled.load(Ordering::Relaxed)
    }

    /// Returns an error if the transfer was canceled.
    pub(crate) fn check(&self) -> Result<(), DepotError> {
        match self.is_canceled() {
            true => Err(DepotError::Canceled),
            false => Ok(()),
        }
    }

    pub(crate) fn expect(&self, bytes: u64) {
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn skip(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn advance(&self, bytes: u64) {
        self.moved.fetch_add(bytes, Ordering::Relaxed);
        self.skip(bytes);
    }

    /// Runs work until it is done or the transfer is canceled.
    pub(crate) async fn unless_canceled<T>(
        &self,
        work: impl Future<Output = Result<T, DepotError>>,
    ) -> Result<T, DepotError> {
        let canceled = async {
            while !self.is_canceled() {
                tokio::time::sleep(HEARTBEAT).await;
            }
        };
        tokio::select! {
            biased;
            () = canceled => Err(DepotError::Canceled),
            result = work => result,
        }
    }
}
