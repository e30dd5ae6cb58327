//! Runs work without the interpreter lock.

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

use crate::exception::Exception;

/// The interval at which a waiting thread checks for signals.
const TICK: Duration = Duration::from_millis(50);

/// Runs a task on a separate thread while Python continues, and calls `look` regularly.
/// When the user presses Ctrl-C or `look` raises, calls `cancel`; the exception is raised
/// when the task has ended.
///
/// # Errors
///
/// The error of the task, the interrupt or the error of `look`; a panic is an
/// `InternalError`.
pub(crate) fn run<T, E>(
    py: Python<'_>,
    cancel: impl Fn() + Send + Sync,
    mut look: impl FnMut(Python<'_>) -> PyResult<()> + Send,
    task: impl FnOnce() -> Result<T, E> + Send,
) -> PyResult<T>
where
    T: Send,
    E: Into<Exception> + Send,
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

/// Runs a task on all cores.
///
/// # Errors
///
/// The error of the task, or when threads cannot be created.
pub(crate) fn with_all_cores<T: Send>(
    task: impl FnOnce() -> Result<T, Exception> + Send,
) -> Result<T, Exception> {
    pool()?.install(task)
}

/// The thread pool of this process. A forked process does not inherit its parent's threads
/// and would wait for them forever.
fn pool() -> Result<Arc<ThreadPool>, Exception> {
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut known = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let own = process::id();
    if let Some((process, pool)) = &*known
        && *process == own
    {
        return Ok(pool.clone());
    }
    let made = ThreadPoolBuilder::new().build();
    let made = Arc::new(made.map_err(|error| Exception::new("StorageError", error.to_string()))?);
    // Do not drop the parent's pool: its threads do not exist here.
    std::mem::forget(known.replace((own, made.clone())));
    Ok(made)
}

/// A panic as an error: it is always a bug.
fn internal(panic: &(dyn Any + Send)) -> Exception {
    let words = panic.downcast_ref::<&str>().copied();
    let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let words = words.unwrap_or("unknown panic");
    Exception::new(
        "InternalError",
        format!("a bug in tabiya ({words}); please report it with your question"),
    )
}

/// Runs a short task that cannot be canceled.
pub(crate) fn quickly<T: Send, E: Into<Exception> + Send>(
    py: Python<'_>,
    task: impl FnOnce() -> Result<T, E> + Send,
) -> PyResult<T> {
    run(py, || {}, |_| Ok(()), task)
}
