//! The collections that the server has. They are opened, imported, renamed and deleted while it runs.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, RwLock},
    time::{Duration, SystemTime},
};

use tabiya_question::{Shards, shards::OwnShards};
use tabiya_retrieval::{
    Collection, CollectionError, Statistics,
    collection::Judgments,
    index::numbered,
    trap::{Pattern, mined_patterns},
};

use super::Problem;

/// The files whose change makes the server open a collection again.
const WATCHED: [&str; 2] = ["manifest.json", "traps.tabiya"];

/// A collection as the server has it open.
pub(crate) struct Served {
    pub(crate) name: String,
    /// Whether the server may rename and delete it.
    pub(crate) is_own: bool,
    collection: Collection,
    own: OwnShards,
    traps: Vec<Pattern>,
    judgments: Mutex<Judgments>,
    stamp: Stamp,
}

impl Served {
    fn open(name: String, folder: &Path, is_own: bool) -> Result<Served, CollectionError> {
        // Taken first: what changes meanwhile is noticed later.
        let stamp = Stamp::of(folder);
        let collection = Collection::open(folder)?;
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
            name,
            is_own,
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

    pub(crate) fn shards(&self) -> Shards<'_> {
        Shards::from(&self.collection)
            .with_traps(&self.traps)
            .with_own(&self.own)
    }

    /// The judgments of hits, with those that other processes added.
    pub(crate) fn judgments(&self) -> Result<MutexGuard<'_, Judgments>, CollectionError> {
        // A thread that panics under the lock leaves no judgment half written.
        let mut judgments = lock(&self.judgments);
        let shards = self.shards();
        shards.intact(|| judgments.refresh(&self.collection))?;
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

/// The collections that a request asks, as one: games are numbered through all of them.
pub(crate) struct Asked {
    members: Vec<Arc<Served>>,
    /// The statistics of several members together.
    statistics: Option<Statistics>,
    own: OwnShards,
}

impl Asked {
    fn new(members: Vec<Arc<Served>>) -> Asked {
        let statistics = (members.len() > 1).then(|| {
            let mut sum = Statistics::default();
            members
                .iter()
                .for_each(|it| sum.merge(it.collection().statistics()));
            sum
        });
        Asked {
            members,
            statistics,
            own: OwnShards::default(),
        }
    }

    /// Whether these are its collections, as they are now.
    fn is_of(&self, members: &[Arc<Served>]) -> bool {
        let mut pairs = self.members.iter().zip(members);
        self.members.len() == members.len() && pairs.all(|(one, two)| Arc::ptr_eq(one, two))
    }

    pub(crate) fn shards(&self) -> Shards<'_> {
        match (&self.statistics, self.members.as_slice()) {
            (None, [one]) => one.shards(),
            (statistics, several) => {
                let segments = several.iter().flat_map(|it| it.collection().segments());
                let nothing = &EMPTY;
                let statistics = statistics.as_ref().unwrap_or(nothing);
                Shards::new(numbered(segments), statistics).with_own(&self.own)
            }
        }
    }

    /// The only collection; judgments belong to one.
    pub(crate) fn only(&self) -> Result<&Arc<Served>, Problem> {
        match self.members.as_slice() {
            [one] => Ok(one),
            _ => Err(Problem::request("choose one collection for this")),
        }
    }
}

static EMPTY: LazyLock<Statistics> = LazyLock::new(Statistics::default);

/// All collections of the server.
pub(crate) struct Shelf {
    /// The folder of the collections that the server makes.
    home: Option<PathBuf>,
    served: RwLock<Vec<Arc<Served>>>,
    /// Versions that could not be opened, so that each is tried once.
    broken: Mutex<Vec<(String, Stamp)>>,
    /// The last choice of several collections, whose statistics take a while to add up.
    several: Mutex<Option<Arc<Asked>>>,
}

/// The folder of uploads in the home of the collections.
const UPLOADS: &str = ".uploads";

/// The age at which an upload is surely forgotten.
const UPLOAD_AGE: Duration = Duration::from_secs(24 * 60 * 60);

impl Shelf {
    /// Puts collections kept elsewhere on the shelf, and all collections of its home.
    pub(crate) fn new(
        given: Vec<(String, PathBuf)>,
        home: Option<PathBuf>,
    ) -> Result<Shelf, CollectionError> {
        let shelf = Shelf {
            home,
            served: RwLock::default(),
            broken: Mutex::default(),
            several: Mutex::default(),
        };
        shelf.forget_uploads();
        for (name, folder) in given {
            shelf.put(Served::open(shelf.free_name(&name), &folder, false)?);
        }
        for (name, folder) in shelf.at_home() {
            // A folder that is not a collection, or half of one, is none of the server's business.
            if let Ok(served) = Served::open(name, &folder, true) {
                shelf.put(served);
            }
        }
        Ok(shelf)
    }

    /// Deletes uploads that a server left behind. Another server may still receive the newer ones.
    fn forget_uploads(&self) {
        let uploads = self.home.as_ref().map(|it| it.join(UPLOADS));
        let entries = uploads.and_then(|it| fs::read_dir(it).ok());
        for entry in entries.into_iter().flatten().flatten() {
            let changed = entry.metadata().and_then(|it| it.modified()).ok();
            let age = changed.and_then(|it| it.elapsed().ok());
            if age.is_some_and(|it| it > UPLOAD_AGE) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    fn at_home(&self) -> Vec<(String, PathBuf)> {
        let entries = self.home.as_ref().and_then(|it| fs::read_dir(it).ok());
        let folders = entries.into_iter().flatten().flatten().map(|it| it.path());
        let mut named: Vec<(String, PathBuf)> = folders
            .filter(|it| it.is_dir())
            .filter_map(|it| Some((it.file_name()?.to_str()?.to_owned(), it)))
            .filter(|it| check_name(&it.0).is_ok())
            .collect();
        named.sort();
        named
    }

    /// A name that no collection has.
    fn free_name(&self, wanted: &str) -> String {
        let numbered = (2..).map(|it| format!("{wanted} {it}"));
        let names = std::iter::once(wanted.to_owned()).chain(numbered);
        names
            .into_iter()
            .find(|it| self.named(it).is_none())
            .unwrap_or_default()
    }

    /// Adds a collection, or replaces the one of its name.
    fn put(&self, served: Served) {
        let mut all = self.served.write().unwrap_or_else(PoisonError::into_inner);
        let served = Arc::new(served);
        match all.iter_mut().find(|it| it.name == served.name) {
            Some(known) => *known = served,
            None => all.push(served),
        }
    }

    /// Replaces a collection, unless it was replaced or deleted meanwhile.
    fn replace(&self, old: &Arc<Served>, renewed: Served) {
        let mut all = self.served.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.iter_mut().find(|it| Arc::ptr_eq(it, old)) {
            *known = Arc::new(renewed);
        }
    }

    /// Opens the collections again whose files changed. Requests that began before end with what they
    /// began with.
    pub(crate) fn renew(&self) {
        for served in self.all() {
            let folder = served.collection().folder();
            let found = Stamp::of(folder);
            let version = (served.name.clone(), found);
            if found == served.stamp || lock(&self.broken).contains(&version) {
                continue;
            }
            match Served::open(served.name.clone(), folder, served.is_own) {
                Ok(renewed) => {
                    let games = renewed.collection().games();
                    tracing::info!(games, "a collection changed; opened it again");
                    self.replace(&served, renewed);
                }
                // A deleted collection changes too.
                Err(_) if self.named(&served.name).is_none() => {}
                Err(reason) => {
                    tracing::error!(%reason, "a collection changed and cannot be opened; serving the old one");
                    lock(&self.broken).push(version);
                }
            }
        }
    }

    fn remove(&self, name: &str) {
        let mut all = self.served.write().unwrap_or_else(PoisonError::into_inner);
        all.retain(|it| it.name != name);
        // It holds the deleted files.
        *lock(&self.several) = None;
    }

    pub(crate) fn all(&self) -> Vec<Arc<Served>> {
        let all = self.served.read().unwrap_or_else(PoisonError::into_inner);
        all.clone()
    }

    fn named(&self, name: &str) -> Option<Arc<Served>> {
        self.all().into_iter().find(|it| it.name == name)
    }

    /// The collections with these names, separated by commas; the first one if there is no name.
    pub(crate) fn find(&self, names: &str) -> Result<Arc<Asked>, Problem> {
        let members: Vec<Arc<Served>> = if names.is_empty() {
            self.all().into_iter().take(1).collect()
        } else {
            let find = |it: &str| self.named(it).ok_or_else(|| self.missing(it));
            names.split(',').map(find).collect::<Result<_, _>>()?
        };
        if members.len() < 2 {
            return Ok(Arc::new(Asked::new(members)));
        }
        let known = lock(&self.several).clone();
        if let Some(asked) = known.filter(|it| it.is_of(&members)) {
            return Ok(asked);
        }
        let asked = Arc::new(Asked::new(members));
        *lock(&self.several) = Some(asked.clone());
        Ok(asked)
    }

    fn missing(&self, name: &str) -> Problem {
        let names: Vec<String> = self.all().iter().map(|it| it.name.clone()).collect();
        Problem::missing(format!(
            "no collection is named \"{name}\"; the server has {}",
            names.join(", ")
        ))
    }

    /// The folder of a collection that the server makes.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf, Problem> {
        check_name(name)?;
        let Some(home) = &self.home else {
            let words = "this server cannot keep collections; start it with --home DIR";
            return Err(Problem::refused(words));
        };
        if self.named(name).is_some_and(|it| !it.is_own) {
            let words =
                format!("\"{name}\" was given with --db and only read; choose another name");
            return Err(Problem::request(words));
        }
        fs::create_dir_all(home).map_err(|error| Problem::internal(&error))?;
        Ok(home.join(name))
    }

    /// Opens a collection of its home again after a change.
    pub(crate) fn reopen(&self, name: &str) -> Result<(), Problem> {
        let folder = self.folder(name)?;
        self.put(Served::open(name.to_owned(), &folder, true)?);
        Ok(())
    }

    pub(crate) fn rename(&self, name: &str, to: &str) -> Result<(), Problem> {
        let (from, target) = (self.own(name)?, self.folder(to)?);
        if self.named(to).is_some() || target.exists() {
            let words = format!("there is a collection \"{to}\" already; choose another name");
            return Err(Problem::request(words));
        }
        fs::rename(from, target).map_err(|error| Problem::internal(&error))?;
        self.remove(name);
        self.reopen(to)
    }

    pub(crate) fn delete(&self, name: &str) -> Result<(), Problem> {
        let folder = self.own(name)?;
        self.remove(name);
        fs::remove_dir_all(folder).map_err(|error| Problem::internal(&error))
    }

    /// The folder of a collection that the server may change.
    fn own(&self, name: &str) -> Result<PathBuf, Problem> {
        let served = self.named(name).ok_or_else(|| self.missing(name))?;
        if !served.is_own {
            let words = "this collection was given with --db; the server does not change it";
            return Err(Problem::refused(words));
        }
        Ok(served.collection().folder().to_owned())
    }

    /// A new folder for uploaded files.
    pub(crate) fn upload_folder(&self, id: &str) -> Result<PathBuf, Problem> {
        let is_fit =
            (8..=64).contains(&id.len()) && id.bytes().all(|it| it.is_ascii_alphanumeric());
        if !is_fit {
            let words = "the name of an upload has 8 to 64 letters and digits";
            return Err(Problem::request(words));
        }
        let Some(home) = &self.home else {
            return Err(self.folder("upload").err().unwrap_or_else(Problem::busy));
        };
        Ok(home.join(UPLOADS).join(id))
    }
}

/// Checks the name of a collection, which is also the name of a folder.
pub(crate) fn check_name(name: &str) -> Result<(), Problem> {
    let is_fit = (1..=64).contains(&name.chars().count())
        && !name.starts_with('.')
        && name == name.trim()
        && !name.contains(['/', '\\', ',', ':', '*', '?', '"', '<', '>', '|'])
        && !name.chars().any(char::is_control);
    if is_fit {
        return Ok(());
    }
    let words = "a collection's name has 1 to 64 letters, digits, spaces and hyphens";
    Err(Problem::request(words))
}

/// Checks the name of a file in an upload.
pub(crate) fn file_at(folder: &Path, name: &str) -> Result<PathBuf, Problem> {
    let is_fit = (1..=200).contains(&name.len())
        && !name.starts_with('.')
        && !name.contains(['/', '\\'])
        && !name.chars().any(char::is_control);
    if !is_fit {
        return Err(Problem::request(
            "the file needs a plain name of at most 200 bytes",
        ));
    }
    let make = || -> io::Result<()> { fs::create_dir_all(folder) };
    make().map_err(|error| Problem::internal(&error))?;
    Ok(folder.join(name))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use tabiya_chess::pgn::Input;
    use tabiya_retrieval::collection::{Import, Progress};

    use super::*;

    fn import(folder: &Path, bytes: &'static [u8]) {
        let name = "games";
        let import = Import::new(vec![Input::BuiltIn { name, bytes }]);
        import.run(folder, &Progress::default()).unwrap();
    }

    fn shelf(home: &Path) -> Shelf {
        Shelf::new(vec![("games".to_owned(), home.to_owned())], None).unwrap()
    }

    #[test]
    fn an_import_beside_the_server_becomes_visible() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("games");
        import(&home, b"1. e4 e5 *\n");
        let shelf = shelf(&home);
        let games = || shelf.all()[0].collection().games();
        let old = shelf.all().remove(0);
        shelf.renew();
        assert!(Arc::ptr_eq(&old, &shelf.all()[0]));
        import(&home, b"1. d4 d5 *\n");
        shelf.renew();
        assert_eq!(games(), 2);
        // A request that began before ends with what it began with.
        assert_eq!(old.collection().games(), 1);
        fs::write(home.join("manifest.json"), "nonsense").unwrap();
        shelf.renew();
        shelf.renew();
        assert_eq!(games(), 2);
        assert_eq!(lock(&shelf.broken).len(), 1);
    }

    #[test]
    fn several_collections_change_together() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["one", "two"];
        let homes = names.map(|it| folder.path().join(it));
        homes.iter().for_each(|it| import(it, b"1. e4 e5 *\n"));
        let given = names.map(str::to_owned).into_iter().zip(homes.clone());
        let shelf = Shelf::new(given.collect(), None).unwrap();
        let both = || shelf.find("one,two").unwrap();
        let games = |asked: &Asked| asked.shards().statistics().positions();
        let old = both();
        assert!(Arc::ptr_eq(&old, &both()));
        import(&homes[1], b"1. d4 d5 *\n");
        shelf.renew();
        assert_eq!((games(&old), games(&both())), (6, 9));
        // Their order is that of the request.
        let swapped = shelf.find("two,one").unwrap();
        assert_eq!(swapped.members[0].name, "two");
        assert!(shelf.find("one,three").is_err());
    }

    #[test]
    fn a_deleted_collection_stays_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("games");
        import(&home, b"1. e4 e5 *\n");
        let shelf = Shelf::new(Vec::new(), Some(folder.path().to_owned())).unwrap();
        let old = shelf.all().remove(0);
        // Another thread is opening it again.
        let renewed = Served::open("games".to_owned(), &home, true).unwrap();
        shelf.delete("games").unwrap();
        shelf.replace(&old, renewed);
        assert!(shelf.all().is_empty());
        assert!(!home.exists());
    }

    #[test]
    fn a_broken_file_of_traps_costs_only_the_traps() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("games");
        import(&home, b"1. e4 e5 *\n");
        fs::write(home.join("traps.tabiya"), "nonsense").unwrap();
        let collection = Collection::open(&home).unwrap();
        assert!(mined_patterns(&collection).is_err());
        assert_eq!(shelf(&home).all()[0].shards().traps().unwrap().len(), 0);
    }
}
