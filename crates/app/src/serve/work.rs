//! Who may compute, for how long, and until when somebody waits for it.
//!
//! Answers are computed on threads of their own, so that the server can always
//! say that it is busy. Only so many run at once, and only so many wait; who has
//! to wait too long, or goes away, has the work called off.

use std::{sync::Arc, thread, time::Duration};

use tabiya_retrieval::search::Cancel;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task, time,
};

use super::Problem;

/// The longest that a request may wait and compute.
const LONGEST: Duration = Duration::from_secs(20);

/// How many may wait for a place; more are sent away at once.
const WAITING: usize = 256;

/// The places at which answers are computed.
#[derive(Debug)]
pub(crate) struct Work {
    running: Arc<Semaphore>,
    waiting: Semaphore,
    longest: Duration,
}

impl Default for Work {
    fn default() -> Work {
        // A search uses all cores itself; a second one fills its pauses.
        let cores = thread::available_parallelism().map_or(2, usize::from);
        Work::new(cores.max(2), WAITING, LONGEST)
    }
}

impl Work {
    /// Places for the engine, which uses one core and thinks for seconds: apart,
    /// so that games leave room for searches.
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

    /// Computes something on a thread of its own. The work is told by its
    /// [`Cancel`] when nobody waits for it any more.
    pub(crate) async fn run<T, F>(&self, work: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: FnOnce(&Cancel) -> Result<T, Problem> + Send + 'static,
    {
        let called_off = CallOff(Cancel::default());
        let cancel = called_off.0.clone();
        let answer = async {
            let place = self.place().await?;
            let begun = task::spawn_blocking(move || {
                // Held until the work is done, even if nobody waits for it.
                let _place = place;
                work(&cancel)
            });
            begun
                .await
                .unwrap_or_else(|error| Err(Problem::internal(&error)))
        };
        let answer = time::timeout(self.longest, answer).await;
        answer.unwrap_or_else(|_| Err(Problem::slow()))
    }

    /// Waits for a place, if not too many wait already.
    async fn place(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let _waiting = self.waiting.try_acquire().map_err(|_| Problem::busy())?;
        let place = self.running.clone().acquire_owned().await;
        place.map_err(|error| Problem::internal(&error))
    }
}

/// Calls work off when dropped: the time is up, or the client went away and its
/// request with it. What is done already is not disturbed by it.
struct CallOff(Cancel);

impl Drop for CallOff {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    /// Work that goes on until it is called off.
    fn endless(cancel: &Cancel) -> Result<(), Problem> {
        while !cancel.is_canceled() {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    #[tokio::test]
    async fn slow_work_is_called_off_and_its_place_given_on() {
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
    async fn work_is_called_off_when_the_client_goes_away() {
        let work = Arc::new(Work::new(1, 1, Duration::from_secs(60)));
        let request = tokio::spawn({
            let work = work.clone();
            async move { work.run(endless).await }
        });
        time::sleep(Duration::from_millis(20)).await;
        request.abort();
        // The only place is free again, or this would wait for ever.
        assert!(work.run(|_| Ok(())).await.is_ok());
    }

    #[tokio::test]
    async fn too_many_are_sent_away() {
        let work = Work::new(1, 0, Duration::from_secs(60));
        let busy = work.run(|_| Ok(())).await.unwrap_err();
        assert_eq!(busy.status(), StatusCode::SERVICE_UNAVAILABLE);
    }

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let work = Work::default();
        let failed = work.run(|_| -> Result<(), Problem> { panic!("on purpose") });
        let failed = failed.await.unwrap_err();
        assert_eq!(failed.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
