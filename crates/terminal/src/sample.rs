//! The built-in collection: games of masters inside the program, indexed on first use.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use anyhow::Context;
use clap::Args;
use tabiya_chess::pgn::Input;
use tabiya_retrieval::{
    Collection,
    collection::{Import, Progress},
    index::VERSION,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    cache,
    progress::{Bar, grouped},
    style::{FAINT, PLAIN},
};

/// Games of masters; `sample/README.md` describes their origin.
const GAMES: &[u8] = include_bytes!("../../../sample/sample.pgn.zst");

/// The collection to use.
#[derive(Clone, Debug, Args)]
pub struct Database {
    /// Directory of the collection [default: the built-in games]
    #[arg(long, value_name = "DIR", env = "TABIYA_DB", hide_env_values = true)]
    db: Option<PathBuf>,
}

impl Database {
    /// The directory, unless the built-in games are meant.
    pub fn folder(&self) -> Option<&Path> {
        // An empty variable is like none.
        let folder = self.db.as_deref();
        folder.filter(|it| !it.as_os_str().is_empty())
    }

    /// Opens the collection. Says so if it is the built-in one.
    ///
    /// # Errors
    ///
    /// When it cannot be read or created.
    pub fn open(&self) -> anyhow::Result<Collection> {
        if let Some(folder) = self.folder() {
            return Ok(Collection::open(folder)?);
        }
        let collection = open()?;
        anstream::eprintln!(
            "{FAINT}from the built-in games; choose others with --db or TABIYA_DB{PLAIN}"
        );
        Ok(collection)
    }

    /// The name of the collection: that of its directory.
    pub fn name(&self) -> String {
        let folder = self.folder().and_then(Path::file_name);
        folder.map_or("sample".to_owned(), |it| it.to_string_lossy().into_owned())
    }
}

/// Opens the sample, creating it on first use.
pub fn open() -> anyhow::Result<Collection> {
    // Each format version has its own sample: an older one may lack new parts.
    let name = format!("sample-{:016x}-{VERSION}", xxh3_64(GAMES));
    let places = [cache::folder(), Some(cache::temporary_folder())];
    let mut places = places
        .into_iter()
        .flatten()
        .map(|it| it.join(&name))
        .peekable();
    while let Some(place) = places.next() {
        if let Some(collection) = open_sound(&place) {
            return Ok(collection);
        }
        match make(&place) {
            Ok(()) => return Ok(Collection::open(&place)?),
            // If the cache folder is not writable, try the next place.
            Err(_) if places.peek().is_some() => {}
            Err(error) => {
                return Err(error)
                    .context("cannot create the sample collection; choose a collection with --db");
            }
        }
    }
    anyhow::bail!("no folder for the sample collection; choose a collection with --db")
}

/// The sample at a place, if it is complete and undamaged. It is small enough to check in
/// full, and a damaged one is rebuilt without asking the user.
fn open_sound(place: &Path) -> Option<Collection> {
    let collection = Collection::open(place).ok()?;
    let mut segments = collection.segments().iter();
    segments.all(|it| it.check().is_ok()).then_some(collection)
}

/// Removes what programs that were killed left half done: it is a day old.
fn remove_leftovers(parent: &Path) {
    const OLD: Duration = Duration::from_secs(24 * 60 * 60);
    let is_leftover = |path: &Path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let process = path.extension().unwrap_or_default().to_string_lossy();
        let changed = fs::metadata(path).and_then(|it| it.modified());
        name.starts_with("sample-")
            && process.parse::<u32>().is_ok()
            && changed.is_ok_and(|it| it.elapsed().is_ok_and(|age| age > OLD))
    };
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for path in entries.map(|it| it.path()).filter(|it| is_leftover(it)) {
        // Somebody else may be faster.
        let _ = fs::remove_dir_all(path);
    }
}

/// Builds the sample beside its place and moves it there, so that programs that start at
/// the same time never see half a collection.
fn make(place: &Path) -> anyhow::Result<()> {
    let beside = place.with_extension(std::process::id().to_string());
    let parent = place.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
    let import = Import::new(vec![Input::BuiltIn {
        name: "sample",
        bytes: GAMES,
    }]);
    remove_leftovers(parent);
    let progress = Arc::new(Progress::default());
    let watched = progress.clone();
    let bar = Bar::start(Some(GAMES.len() as u64), move || {
        let games = grouped(watched.games.load(Ordering::Relaxed));
        let message = format!("indexing the built-in games, {games} so far");
        (watched.consumed.load(Ordering::Relaxed), message)
    });
    import.run(&beside, &progress)?;
    drop(bar);
    if fs::rename(&beside, place).is_err() {
        // Another program was faster, or an old sample is damaged.
        if open_sound(place).is_none() {
            fs::remove_dir_all(place).with_context(|| place.display().to_string())?;
            fs::rename(&beside, place).with_context(|| place.display().to_string())?;
        } else {
            fs::remove_dir_all(&beside).with_context(|| beside.display().to_string())?;
        }
    }
    Ok(())
}
