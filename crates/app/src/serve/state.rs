//! What all requests share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tabiya_retrieval::{Collection, CollectionError, collection::Judgments};

use super::{watch::Figures, work::Work};
use crate::ask::Source;

/// The collection and everything that goes with it.
pub(crate) struct State {
    /// What is asked.
    pub(crate) source: Source,
    /// The name of the collection.
    pub(crate) name: String,
    judgments: Mutex<Judgments>,
    /// Who may compute.
    pub(crate) work: Work,
    /// Where the engine thinks.
    pub(crate) thinking: Work,
    /// What is counted.
    pub(crate) figures: Figures,
    /// Whether only this machine can reach the server.
    pub(crate) is_private: bool,
}

impl State {
    /// Makes a collection ready to be asked.
    pub(crate) fn new(
        collection: Collection,
        name: String,
        is_private: bool,
    ) -> Result<State, CollectionError> {
        let judgments = Judgments::open(collection.folder())?;
        if judgments.unreadable() > 0 {
            let lines = judgments.unreadable();
            tracing::warn!(lines, "unreadable judgments are skipped");
        }
        Ok(State {
            source: Source::of(collection)?,
            name,
            judgments: Mutex::new(judgments),
            work: Work::default(),
            thinking: Work::of_engine(),
            figures: Figures::default(),
            is_private,
        })
    }

    /// What people said of hits.
    pub(crate) fn judgments(&self) -> MutexGuard<'_, Judgments> {
        // Somebody who panicked while judging left nothing half done.
        self.judgments
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
