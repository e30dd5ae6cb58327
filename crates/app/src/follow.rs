//! Work on games under a progress bar.

use std::sync::{Arc, atomic::Ordering};

use tabiya_retrieval::collection::Progress;
use tabiya_terminal::progress::{Bar, grouped, on_interrupt};

/// Runs work under a progress bar up to `total`, if known; Ctrl-C cancels the work. `look`
/// returns the position and message of the bar.
pub(crate) fn following<T>(
    total: Option<u64>,
    look: impl Fn(&Progress) -> (u64, String) + Send + 'static,
    work: impl FnOnce(&Progress) -> T,
) -> T {
    let progress = Arc::new(Progress::default());
    on_interrupt({
        let progress = progress.clone();
        move || progress.cancel()
    });
    let seen = progress.clone();
    let _bar = Bar::start(total, move || look(&seen));
    work(&progress)
}

/// The games processed so far.
pub(crate) fn games(progress: &Progress) -> (u64, String) {
    let games = progress.games.load(Ordering::Relaxed);
    (games, format!("{} games", grouped(games)))
}
