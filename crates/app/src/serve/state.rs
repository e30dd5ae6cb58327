//! The state that all requests share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tabiya_retrieval::{Collection, CollectionError, collection::Judgments};

use super::{access::Access, client::Rate, watch::Figures, work::Work};
use crate::ask::OpenCollection;

/// The collection, its judgments and the server's counters.
pub(crate) struct State {
    /// The collection that answers questions.
    pub(crate) open: OpenCollection,
    /// The name of the collection.
    pub(crate) name: String,
    judgments: Mutex<Judgments>,
    /// Limits for searches and other questions.
    pub(crate) work: Work,
    /// Limits for questions that the engine answers.
    pub(crate) thinking: Work,
    /// Metrics.
    pub(crate) figures: Arc<Figures>,
    /// Who may do what.
    pub(crate) access: Access,
    /// How often clients ask.
    pub(crate) rate: Rate,
}

impl State {
    /// Loads the judgments and traps of a collection.
    pub(crate) fn new(
        collection: Collection,
        name: String,
        access: Access,
    ) -> Result<State, CollectionError> {
        let judgments = Judgments::open(collection.folder())?;
        if judgments.unreadable() > 0 {
            let lines = judgments.unreadable();
            tracing::warn!(lines, "skipping unreadable judgments");
        }
        Ok(State {
            open: OpenCollection::of(collection),
            name,
            judgments: Mutex::new(judgments),
            work: Work::default(),
            thinking: Work::of_engine(),
            figures: Arc::default(),
            access,
            rate: Rate::default(),
        })
    }

    /// The judgments of hits.
    pub(crate) fn judgments(&self) -> MutexGuard<'_, Judgments> {
        // A thread that panics under the lock leaves no judgment half written.
        self.judgments
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
