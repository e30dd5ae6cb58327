//! The built-in sample collection: a few thousand games inside the program, indexed on
//! first use.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use clap::Args;
use tabiya_chess::pgn::Source;
use tabiya_retrieval::{
    Collection,
    collection::{Import, Progress},
    index::VERSION,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::cache;

/// Engine games and famous games; `sample/README.md` describes their origin.
const GAMES: &[u8] = include_bytes!("../../../sample/sample.pgn.zst");

/// The collection to use.
#[derive(Clone, Debug, Args)]
pub struct Database {
    /// Directory of the collection [default: the built-in sample]
    #[arg(long, value_name = "DIR")]
    pub db: Option<PathBuf>,
}

impl Database {
    /// Opens the collection, or the built-in sample.
    ///
    /// # Errors
    ///
    /// When it cannot be read or created.
    pub fn open(&self) -> anyhow::Result<Collection> {
        match &self.db {
            Some(folder) => Ok(Collection::open(folder)?),
            None => open(),
        }
    }

    /// The name of the collection: that of its directory.
    pub fn name(&self) -> String {
        let folder = self.db.as_deref().and_then(Path::file_name);
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

/// Builds the sample beside its place and moves it there, so that programs that start at
/// the same time never see half a collection.
fn make(place: &Path) -> anyhow::Result<()> {
    let beside = place.with_extension(std::process::id().to_string());
    let parent = place.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
    let import = Import::new(vec![Source::BuiltIn {
        name: "sample",
        bytes: GAMES,
    }]);
    import.run(&beside, &Progress::default())?;
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
