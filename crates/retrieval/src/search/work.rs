//! How much a search had to do.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a search did to find its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The windows whose bounds were summed, in all views together.
    pub windows_summed: u64,
    /// The windows that were replayed.
    pub windows_scored: u64,
    /// The positions that were scored by the formula.
    pub positions_scored: u64,
}

/// Counts the work of all threads.
#[derive(Debug, Default)]
pub(super) struct Counters([AtomicU64; 3]);

impl Counters {
    pub(super) fn summed(&self, windows: usize) {
        self.0[0].fetch_add(windows as u64, Ordering::Relaxed);
    }

    /// Counts a window, of which some positions were scored.
    pub(super) fn scored(&self, positions: usize) {
        self.0[1].fetch_add(1, Ordering::Relaxed);
        self.0[2].fetch_add(positions as u64, Ordering::Relaxed);
    }

    pub(super) fn total(self) -> Work {
        let [windows_summed, windows_scored, positions_scored] = self.0.map(AtomicU64::into_inner);
        Work {
            windows_summed,
            windows_scored,
            positions_scored,
        }
    }
}
