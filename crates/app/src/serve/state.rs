//! What all requests share.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tabiya_chess::trap::library;
use tabiya_engine::library::Library;
use tabiya_retrieval::{
    Collection, CollectionError,
    collection::Judgments,
    trap::{Pattern, Vault},
};

use super::{watch::Figures, work::Work};

/// The collection and everything that goes with it.
pub(crate) struct State {
    /// What is searched.
    pub(crate) collection: Arc<Collection>,
    /// The same as the memory of the player.
    library: OnceLock<Option<Library>>,
    /// How the collection is called.
    pub(crate) name: String,
    /// The known traps, and those mined from the collection.
    pub(crate) patterns: Vec<Pattern>,
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
        let mut patterns: Vec<Pattern> = library().iter().map(Pattern::from).collect();
        if let Some(vault) = Vault::open(&collection)? {
            patterns.extend(vault.traps.iter().map(Pattern::from));
        }
        let judgments = Judgments::open(collection.folder())?;
        if judgments.unreadable() > 0 {
            let lines = judgments.unreadable();
            tracing::warn!(lines, "judgments that could not be read are passed over");
        }
        Ok(State {
            collection: Arc::new(collection),
            library: OnceLock::new(),
            name,
            patterns,
            judgments: Mutex::new(judgments),
            work: Work::default(),
            thinking: Work::of_engine(),
            figures: Figures::default(),
            is_private,
        })
    }

    /// What the player remembers; nothing if the segments are too old. Opened
    /// when first wanted, since that checks all games.
    pub(crate) fn library(&self) -> Option<Library> {
        let open = || {
            let library = Library::of(Arc::clone(&self.collection));
            if let Err(error) = &library {
                tracing::warn!("the engine plays without cases: {error}");
            }
            library.ok()
        };
        self.library.get_or_init(open).clone()
    }

    /// What people said of hits.
    pub(crate) fn judgments(&self) -> MutexGuard<'_, Judgments> {
        // Somebody who panicked while judging left nothing half done.
        self.judgments
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
