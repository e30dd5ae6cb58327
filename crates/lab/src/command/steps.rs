//! Progress of an experiment, step by step.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tabiya_terminal::progress::Bar;

/// A bar over steps; gone when dropped.
pub(crate) struct Steps {
    done: Arc<AtomicU64>,
    _bar: Bar,
}

impl Steps {
    /// Starts a bar over a number of steps.
    pub(crate) fn start(total: usize, name: &'static str) -> Steps {
        let done = Arc::new(AtomicU64::new(0));
        let seen = done.clone();
        let look = move || (seen.load(Ordering::Relaxed), name.to_owned());
        let _bar = Bar::start(Some(total as u64), look);
        Steps { done, _bar }
    }

    /// Counts a step.
    pub(crate) fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}
