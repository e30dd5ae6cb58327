//! Calling off a search that nobody waits for any more.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Calls off a search from another thread. Clones speak of the same search.
///
/// ```
/// use tabiya_retrieval::search::Cancel;
///
/// let cancel = Cancel::default();
/// let elsewhere = cancel.clone();
/// elsewhere.cancel();
/// assert!(cancel.is_canceled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Calls the search off; it ends within a few milliseconds.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the search was canceled.
    pub fn is_canceled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
