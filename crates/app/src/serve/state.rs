//! The state that all requests share.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    time::{Duration, SystemTime},
};

use tabiya_question::{Shards, shards::OwnShards};
use tabiya_retrieval::{
    Collection, CollectionError,
    collection::Judgments,
    trap::{Pattern, mined_patterns},
};
use tokio::{task, time};

use super::{access::Access, client::Rate, watch::Figures, work::Work};

/// How often the server looks for changes of its collection.
const LOOK: Duration = Duration::from_secs(1);

/// The files whose change makes the server open its collection again.
const WATCHED: [&str; 2] = ["manifest.json", "traps.tabiya"];

/// The collection, its judgments and the server's counters.
pub(crate) struct State {
    served: RwLock<Arc<Served>>,
    /// The name of the collection.
    pub(crate) name: String,
    /// Places for cheap questions.
    pub(crate) work: Work,
    /// Places for expensive questions.
    pub(crate) heavy: Work,
    /// Places for questions that the engine answers.
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
        Ok(State {
            served: RwLock::new(Arc::new(Served::new(collection)?)),
            name,
            work: Work::default(),
            heavy: Work::heavy(),
            thinking: Work::heavy(),
            figures: Arc::default(),
            access,
            rate: Rate::default(),
        })
    }

    /// The collection as it is now. A request uses one of these from beginning to end.
    pub(crate) fn served(&self) -> Arc<Served> {
        let served = self.served.read();
        served.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Opens the collection again whenever it changes.
    pub(crate) async fn watch(self: Arc<State>) {
        let mut seen = self.served().stamp;
        loop {
            time::sleep(LOOK).await;
            let state = self.clone();
            let renewed = task::spawn_blocking(move || state.renew(seen)).await;
            seen = renewed.unwrap_or(seen);
        }
    }

    /// Opens the collection again if its files differ from those seen last.
    fn renew(&self, seen: Stamp) -> Stamp {
        let folder = self.served().folder().to_owned();
        let found = Stamp::of(&folder);
        if found == seen {
            return seen;
        }
        match Collection::open(&folder).and_then(Served::new) {
            Ok(served) => {
                let games = served.collection().games();
                tracing::info!(games, "the collection changed; opened it again");
                let mut place = self.served.write().unwrap_or_else(PoisonError::into_inner);
                *place = Arc::new(served);
            }
            Err(reason) => {
                tracing::error!(%reason, "the collection changed and cannot be opened; serving the old one");
            }
        }
        found
    }
}

/// A collection as the server has it open.
pub(crate) struct Served {
    collection: Collection,
    own: OwnShards,
    traps: Vec<Pattern>,
    judgments: Mutex<Judgments>,
    stamp: Stamp,
}

impl Served {
    fn new(collection: Collection) -> Result<Served, CollectionError> {
        let stamp = Stamp::of(collection.folder());
        let judgments = Judgments::open(&collection)?;
        if judgments.unreadable() > 0 {
            let lines = judgments.unreadable();
            tracing::warn!(lines, "skipping unreadable judgments");
        }
        let traps = mined_patterns(&collection).unwrap_or_else(|reason| {
            tracing::error!(%reason, "serving without mined traps; mine them again with: tabiya traps --mine");
            Vec::new()
        });
        Ok(Served {
            collection,
            own: OwnShards::default(),
            traps,
            judgments: Mutex::new(judgments),
            stamp,
        })
    }

    pub(crate) fn collection(&self) -> &Collection {
        &self.collection
    }

    fn folder(&self) -> &Path {
        self.collection.folder()
    }

    pub(crate) fn shards(&self) -> Shards<'_> {
        Shards::from(&self.collection)
            .with_traps(&self.traps)
            .with_own(&self.own)
    }

    /// The judgments of hits, with those that other processes added.
    pub(crate) fn judgments(&self) -> Result<MutexGuard<'_, Judgments>, CollectionError> {
        // A thread that panics under the lock leaves no judgment half written.
        let judgments = self.judgments.lock();
        let mut judgments = judgments.unwrap_or_else(PoisonError::into_inner);
        judgments.refresh(&self.collection)?;
        Ok(judgments)
    }
}

/// What tells versions of the watched files apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp([Option<(SystemTime, u64)>; 2]);

impl Stamp {
    fn of(folder: &Path) -> Stamp {
        let stamp = |path: PathBuf| {
            let found = fs::metadata(path).ok()?;
            Some((found.modified().ok()?, found.len()))
        };
        Stamp(WATCHED.map(|it| stamp(folder.join(it))))
    }
}

#[cfg(test)]
mod tests {
    use tabiya_chess::pgn::Source;
    use tabiya_retrieval::collection::{Import, Progress};

    use super::*;

    fn import(folder: &Path, bytes: &'static [u8]) {
        let name = "games";
        let import = Import::new(vec![Source::BuiltIn { name, bytes }]);
        import.run(folder, &Progress::default()).unwrap();
    }

    #[test]
    fn an_import_beside_the_server_becomes_visible() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("games");
        import(&home, b"1. e4 e5 *\n");
        let collection = Collection::open(&home).unwrap();
        let state = State::new(collection, "games".to_owned(), Access::private()).unwrap();
        let (old, stamp) = (state.served(), state.served().stamp);
        assert_eq!(state.renew(stamp), stamp);
        import(&home, b"1. d4 d5 *\n");
        let stamp = state.renew(stamp);
        assert_eq!(state.served().collection().games(), 2);
        // A request that began before ends with what it began with.
        assert_eq!(old.collection().games(), 1);
        fs::write(home.join("manifest.json"), "nonsense").unwrap();
        let broken = state.renew(stamp);
        assert!(broken != stamp && state.renew(broken) == broken);
        assert_eq!(state.served().collection().games(), 2);
    }

    #[test]
    fn a_broken_file_of_traps_costs_only_the_traps() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("games");
        import(&home, b"1. e4 e5 *\n");
        fs::write(home.join("traps.tabiya"), "nonsense").unwrap();
        let collection = Collection::open(&home).unwrap();
        assert!(mined_patterns(&collection).is_err());
        let state = State::new(collection, "games".to_owned(), Access::private()).unwrap();
        assert_eq!(state.served().shards().traps().unwrap().len(), 0);
    }
}
