//! How much a search had to do.

use std::{
    ops::Add,
    sync::atomic::{AtomicU64, Ordering},
};

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

impl Add for Work {
    type Output = Work;

    fn add(self, more: Work) -> Work {
        Work {
            windows_summed: self.windows_summed + more.windows_summed,
            windows_scored: self.windows_scored + more.windows_scored,
            positions_scored: self.positions_scored + more.positions_scored,
        }
    }
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

    pub(super) fn so_far(&self) -> Work {
        let counts = self.0.each_ref().map(|it| it.load(Ordering::Relaxed));
        let [windows_summed, windows_scored, positions_scored] = counts;
        Work {
            windows_summed,
            windows_scored,
            positions_scored,
        }
    }
}
