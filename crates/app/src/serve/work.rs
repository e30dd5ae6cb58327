//! Limits on computation: how many requests run, how many wait, and for how long.
//!
//! Answers are computed on separate threads, so the server can always report that it is
//! busy. Cheap questions, expensive ones and those for the engine have places of their own;
//! the latter two run on threads of low priority, so that cheap ones are answered at once.
//! A free place goes to the waiting clients in turn, however many requests each of them sends.
//! Work is canceled when the request times out or the client disconnects.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
    time::Duration,
};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tabiya_retrieval::search::Cancel;
use tokio::{sync::oneshot, task, time};

use super::{Problem, client::Client};

/// The longest time that a request may wait and compute.
const LONGEST: Duration = Duration::from_secs(20);

/// The number of requests that may wait; further ones are rejected at once.
const WAITING: usize = 256;

/// The number of requests of one client that may wait.
const WAITING_OF_CLIENT: usize = 64;

/// What the priority of expensive work is lowered by.
const NICENESS: i32 = 10;

tokio::task_local! {
    /// The client whose request is being answered.
    pub(crate) static CLIENT: Client;
}

/// Places for one kind of work.
#[derive(Debug)]
pub(crate) struct Work {
    places: Arc<Places>,
    longest: Duration,
    is_heavy: bool,
}

impl Default for Work {
    fn default() -> Work {
        // One search uses all cores; a second one fills its pauses.
        Work::new(cores().max(2), WAITING, LONGEST)
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(2, usize::from)
}

/// The threads of low priority.
fn low_threads() -> Option<&'static ThreadPool> {
    static THREADS: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let build = || {
        let threads = ThreadPoolBuilder::new()
            .num_threads(cores().max(2))
            .thread_name(|number| format!("heavy {number}"))
            .start_handler(|_| lower_priority());
        threads.build().ok()
    };
    THREADS.get_or_init(build).as_ref()
}

/// Lowers the priority of this thread and of those that it starts.
#[cfg(target_os = "linux")]
pub(crate) fn lower_priority() {
    // A thread that stays as it was only makes others wait longer.
    let _ = rustix::process::nice(NICENESS);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn lower_priority() {}

/// Does something short that may wait for the disk, or take milliseconds, on a separate thread and
/// without a place.
pub(crate) async fn apart<T, F>(work: F) -> Result<T, Problem>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T, Problem> + Send + 'static,
{
    let done = task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Problem::internal(&error)))
}

impl Work {
    /// Places for expensive questions and for the engine.
    pub(crate) fn heavy() -> Work {
        Work {
            is_heavy: true,
            ..Work::new((cores() / 2).max(1), WAITING, LONGEST)
        }
    }

    pub(crate) fn new(running: usize, waiting: usize, longest: Duration) -> Work {
        Work {
            places: Arc::new(Places {
                most_waiting: waiting,
                queue: Mutex::new(Queue {
                    free: running,
                    ..Queue::default()
                }),
            }),
            longest,
            is_heavy: false,
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
        let is_heavy = self.is_heavy;
        let answer = async {
            let place = self.place().await?;
            let begun = task::spawn_blocking(move || {
                // Held until the work is done, even if nobody waits for the answer.
                let _place = place;
                match low_threads().filter(|_| is_heavy) {
                    Some(threads) => threads.install(|| work(&cancel)),
                    None => work(&cancel),
                }
            });
            begun
                .await
                .unwrap_or_else(|error| Err(Problem::internal(&error)))
        };
        let answer = time::timeout(self.longest, answer).await;
        answer.unwrap_or_else(|_| Err(Problem::slow()))
    }

    /// Waits for a place unless too many requests are waiting.
    pub(crate) async fn place(&self) -> Result<Place, Problem> {
        let client = CLIENT.try_with(|it| *it).unwrap_or(Client::HERE);
        let place = self.places.ask(client).ok_or_else(Problem::busy)?;
        place.await.map_err(|error| Problem::internal(&error))
    }
}

/// Places, and the requests that wait for one.
#[derive(Debug)]
struct Places {
    most_waiting: usize,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    free: usize,
    waiting: BTreeMap<Client, VecDeque<oneshot::Sender<Place>>>,
    /// The client that got the last place.
    last: Option<Client>,
}

impl Queue {
    /// Forgets the requests whose client has left.
    fn tidy(&mut self) {
        self.waiting.retain(|_, line| {
            line.retain(|it| !it.is_closed());
            !line.is_empty()
        });
    }

    /// The first request of the client whose turn it is.
    fn next(&mut self) -> Option<oneshot::Sender<Place>> {
        self.tidy();
        let after = self.last.map_or(Bound::Unbounded, Bound::Excluded);
        let mut later = self.waiting.range((after, Bound::Unbounded));
        let client = later.next().or_else(|| self.waiting.iter().next());
        let client = *client?.0;
        self.last = Some(client);
        self.waiting.get_mut(&client)?.pop_front()
    }
}

impl Places {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for a place; `None` if too many requests wait.
    fn ask(self: &Arc<Self>, client: Client) -> Option<oneshot::Receiver<Place>> {
        let (sender, receiver) = oneshot::channel();
        let mut queue = self.queue();
        queue.tidy();
        let waiting: usize = queue.waiting.values().map(VecDeque::len).sum();
        if queue.free == 0 && waiting >= self.most_waiting {
            return None;
        }
        let line = queue.waiting.entry(client).or_default();
        if line.len() >= WAITING_OF_CLIENT {
            return None;
        }
        line.push_back(sender);
        drop(queue);
        self.give();
        Some(receiver)
    }

    /// Gives a free place to the next request.
    fn give(self: &Arc<Self>) {
        let mut queue = self.queue();
        if queue.free == 0 {
            return;
        }
        let Some(next) = queue.next() else { return };
        queue.free -= 1;
        drop(queue);
        // If the client has just left, the place is dropped and goes to the next.
        let _ = next.send(Place(self.clone()));
    }
}

/// A place for work, free again when dropped.
#[derive(Debug)]
pub(crate) struct Place(Arc<Places>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.queue().free += 1;
        self.0.give();
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
    async fn slow_work_is_canceled_and_releases_its_place() {
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
        // The only place is free again, or this would wait forever.
        assert!(work.run(|_| Ok(())).await.is_ok());
    }

    #[tokio::test]
    async fn too_many_requests_are_rejected() {
        let work = Arc::new(Work::new(1, 0, Duration::from_secs(60)));
        let first = tokio::spawn({
            let work = work.clone();
            async move { work.run(endless).await }
        });
        time::sleep(Duration::from_millis(20)).await;
        let busy = work.run(|_| Ok(())).await.unwrap_err();
        assert_eq!(busy.status(), StatusCode::SERVICE_UNAVAILABLE);
        first.abort();
    }

    #[tokio::test]
    async fn clients_take_turns() {
        let places = &Work::new(1, WAITING, LONGEST).places;
        let client = |it: u8| Client::from(std::net::IpAddr::from([192, 0, 2, it]));
        let held = places.ask(client(1)).unwrap().await.unwrap();
        // The first client asks often, the others once.
        let asked = [1, 1, 1, 1, 2, 3].map(|it| places.ask(client(it)).unwrap());
        let (order, served) = tokio::sync::mpsc::unbounded_channel();
        for (number, place) in asked.into_iter().enumerate() {
            let order = order.clone();
            tokio::spawn(async move {
                let place = place.await.unwrap();
                order.send(number).unwrap();
                drop(place);
            });
        }
        drop((held, order));
        let mut served = served;
        let mut found = Vec::new();
        while let Some(number) = served.recv().await {
            found.push(number);
        }
        assert_eq!(found, [4, 5, 0, 1, 2, 3]);
        // One client cannot take all places to wait.
        let _held = places.ask(client(1)).unwrap().await.unwrap();
        let crowd: Vec<_> = (0..2 * WAITING)
            .filter_map(|_| places.ask(client(1)))
            .collect();
        assert_eq!(crowd.len(), WAITING_OF_CLIENT);
        assert!(places.ask(client(2)).is_some());
    }

    #[tokio::test]
    async fn a_panic_is_an_internal_error() {
        for work in [Work::default(), Work::heavy()] {
            let failed = work.run(|_| -> Result<(), Problem> { panic!("on purpose") });
            let failed = failed.await.unwrap_err();
            assert_eq!(failed.status(), StatusCode::INTERNAL_SERVER_ERROR);
        }
    }
}
