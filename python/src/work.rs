//! Work without the interpreter's lock.

use std::{
    any::Any,
    process,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::fault::Fault;

/// How often whoever waits looks up.
const TICK: Duration = Duration::from_millis(50);

/// Does a task on a thread of its own while Python goes on. When the user presses
/// Ctrl-C, or `look` (called again and again meanwhile) raises, `cancel` is called;
/// the exception leaves when the task has ended.
///
/// # Errors
///
/// What the task, the user or `look` said; a task that panics is an `InternalError`.
pub(crate) fn run<T, E>(
    py: Python<'_>,
    cancel: impl Fn() + Send + Sync,
    mut look: impl FnMut(Python<'_>) -> PyResult<()> + Send,
    task: impl FnOnce() -> Result<T, E> + Send,
) -> PyResult<T>
where
    T: Send,
    E: Into<Fault> + Send,
{
    py.detach(|| {
        thread::scope(|scope| {
            let (done, waiting) = mpsc::channel::<()>();
            let worker = scope.spawn(move || {
                let _done = done;
                task()
            });
            let mut stop = None;
            while let Err(RecvTimeoutError::Timeout) = waiting.recv_timeout(TICK) {
                if stop.is_some() {
                    continue;
                }
                let heard = Python::attach(|py| py.check_signals().and_then(|()| look(py)));
                if let Err(error) = heard {
                    cancel();
                    stop = Some(error);
                }
            }
            match (stop, worker.join()) {
                (Some(error), _) => Err(error),
                (None, Ok(result)) => result.map_err(|error| PyErr::from(error.into())),
                (None, Err(panic)) => Err(internal(&*panic).into()),
            }
        })
    })
}

/// Does a task with all cores, on the threads of this process.
///
/// # Errors
///
/// What the task says, or that no threads can be had.
pub(crate) fn with_all_cores<T: Send>(
    task: impl FnOnce() -> Result<T, Fault> + Send,
) -> Result<T, Fault> {
    pool()?.install(task)
}

/// The threads of this process. One that was forked has none of its parent's, and
/// would wait for them for ever.
fn pool() -> Result<Arc<ThreadPool>, Fault> {
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut known = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let own = process::id();
    if let Some((process, pool)) = &*known
        && *process == own
    {
        return Ok(pool.clone());
    }
    let made = ThreadPoolBuilder::new().build();
    let made = Arc::new(made.map_err(|error| Fault::new("StorageError", error.to_string()))?);
    // The parent's is not dropped: there is nobody here to end.
    std::mem::forget(known.replace((own, made.clone())));
    Ok(made)
}

/// A panic in words; it is a mistake of ours, whatever was asked.
fn internal(panic: &(dyn Any + Send)) -> Fault {
    let words = panic.downcast_ref::<&str>().copied();
    let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let words = words.unwrap_or("for no given reason");
    Fault::new(
        "InternalError",
        format!("a mistake in tabiya ({words}); please report it with what you asked"),
    )
}

/// The same for work that cannot be called off and takes but a moment.
pub(crate) fn quickly<T: Send, E: Into<Fault> + Send>(
    py: Python<'_>,
    task: impl FnOnce() -> Result<T, E> + Send,
) -> PyResult<T> {
    run(py, || {}, |_| Ok(()), task)
}
