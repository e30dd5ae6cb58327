//! Limits on computation: how many requests run, how many wait, and for how long.
//!
//! Answers are computed on separate threads, so the server can always report that it is
//! busy. The number of running and of waiting requests is limited. Work is canceled when
//! the request times out or the client disconnects.

use std::{sync::Arc, thread, time::Duration};

use tabiya_retrieval::search::Cancel;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task, time,
};

use super::Problem;

/// The longest time that a request may wait and compute.
const LONGEST: Duration = Duration::from_secs(20);

/// The number of requests that may wait; further ones are rejected at once.
const WAITING: usize = 256;

/// The permits to compute answers.
#[derive(Debug)]
pub(crate) struct Work {
    running: Arc<Semaphore>,
    waiting: Semaphore,
    longest: Duration,
}

impl Default for Work {
    fn default() -> Work {
        // One search uses all cores; a second one fills its pauses.
        let cores = thread::available_parallelism().map_or(2, usize::from);
        Work::new(cores.max(2), WAITING, LONGEST)
    }
}

impl Work {
    /// Permits for the engine, which uses one core for seconds. They are separate, so that
    /// games leave room for searches.
    pub(crate) fn of_engine() -> Work {
        let cores = thread::available_parallelism().map_or(2, usize::from);
        Work::new((cores / 2).max(1), WAITING, LONGEST)
    }

    pub(crate) fn new(running: usize, waiting: usize, longest: Duration) -> Work {
        Work {
            running: Arc::new(Semaphore::new(running)),
            waiting: Semaphore::new(waiting),
            longest,
        }
    }

    /// Runs work on a separate thread. Its [`Cancel`] is set when nobody waits for the
    /// answer any more.
    pub(crate) async fn run<T, F>(&self, work: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: FnOnce(&Cancel) -> Result<T, Problem> + Send + 'static,
    {
        let on_drop = CancelOnDrop(Cancel::default());
        let cancel = on_drop.0.clone();
        let answer = async {
            let permit = self.permit().await?;
            let begun = task::spawn_blocking(move || {
                // Held until the work is done, even if nobody waits for the answer.
                let _permit = permit;
                work(&cancel)
            });
            begun
                .await
                .unwrap_or_else(|error| Err(Problem::internal(&error)))
        };
        let answer = time::timeout(self.longest, answer).await;
        answer.unwrap_or_else(|_| Err(Problem::slow()))
    }

    /// Waits for a permit unless too many requests are waiting.
    pub(crate) async fn permit(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let _waiting = self.waiting.try_acquire().map_err(|_| Problem::busy())?;
        let permit = self.running.clone().acquire_owned().await;
        permit.map_err(|error| Problem::internal(&error))
    }
}

/// Cancels work when dropped: after a timeout, when the client disconnects, and, without
/// effect, when the work is done.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    /// Work that runs until it is canceled.
    fn endless(cancel: &Cancel) -> Result<(), Problem> {
        while !cancel.is_canceled() {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    #[tokio::test]
    async fn slow_work_is_canceled_and_releases_its_permit() {
        let work = Work::new(1, 1, Duration::from_millis(20));
        let slow = work.run(endless).await.unwrap_err();
        assert_eq!(slow.status(), StatusCode::SERVICE_UNAVAILABLE);
        let patient = Work {
            longest: Duration::from_secs(60),
            ..work
        };
        assert_eq!(patient.run(|_| Ok(7)).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn work_is_canceled_when_the_client_disconnects() {
        let work = Arc::new(Work::new(1, 1, Duration::from_secs(60)));
        let request = tokio::spawn({
            let work = work.clone();
            async move { work.run(endless).await }
        });
        time::sleep(Duration::from_millis(20)).await;
        request.abort();
        // The only permit is free again, or this would wait forever.
        assert!(work.run(|_| Ok(())).await.is_ok());
    }

    #[tokio::test]
    async fn too_many_requests_are_rejected() {
        let work = Work::new(1, 0, Duration::from_secs(60));
        let busy = work.run(|_| Ok(())).await.unwrap_err();
        assert_eq!(busy.status(), StatusCode::SERVICE_UNAVAILABLE);
    }

    #[tokio::test]
    async fn a_panic_is_an_internal_error() {
        let work = Work::default();
        let failed = work.run(|_| -> Result<(), Problem> { panic!("on purpose") });
        let failed = failed.await.unwrap_err();
        assert_eq!(failed.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
