//! A collection: a directory of immutable segments, and the manifest that lists them.
//!
//! ```text
//! manifest.json            the segments in order, written last and by renaming
//! segment-000001.tabiya    games, and the index over their positions
//! import.log               every game with an error, and the reason
//! judgments.jsonl          people's grades for hits
//! judgments.lock           held by writers of judgments
//! lock                     held by writers of games
//! ```
//!
//! Only the manifest decides what is visible. A killed writer leaves the old manifest or the new
//! one, and at worst unlisted files, which the next writer removes.

#[cfg(test)]
mod crash;
mod delivery;
mod folder;
mod import;
pub mod journal;
mod judgments;
mod log;
mod manifest;
mod merge;
mod qrels;
mod report;
mod retain;
mod selection;
pub mod shard;
mod slab;
mod verify;
mod writer;

use std::{
    io,
    path::{Path, PathBuf},
};

use tabiya_chess::{Game, Tags};

pub use delivery::Delivery;
pub use import::{Import, Preparation, Progress};
pub use judgments::{BEST_GRADE, Judgment, Judgments};
pub use manifest::Manifest;
pub(crate) use manifest::sync_folder;
pub use merge::merge;
pub use qrels::{Qrels, QrelsError};
pub use report::{BrokenGame, Report};
pub use retain::{forget, retain};
pub use selection::Selection;
pub use slab::is_pipe;
pub use verify::verify;
pub use writer::Writer;

use crate::{
    index::{self, FormatError, GameNumber, Segment, Shard, Statistics, numbered},
    search::{self, Filter, Hit, Query, SearchError},
};

/// A collection, opened for reading.
///
/// ```
/// use std::io::Write;
/// use tabiya_chess::{pgn::Input, position};
/// use tabiya_retrieval::{collection::{Collection, Import, Progress}, search::Query};
///
/// # let folder = tempfile::tempdir()?;
/// let pgn = folder.path().join("games.pgn");
/// std::fs::write(&pgn, "[White \"Anna\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n")?;
///
/// let home = folder.path().join("collection");
/// let import = Import { skip: Some(4), ..Import::new(vec![Input::File(pgn)]) };
/// let report = import.run(&home, &Progress::default())?;
/// assert_eq!(report.games, 1);
///
/// let collection = Collection::open(&home)?;
/// let position = position::parse("r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4")?;
/// let hits = collection.search(&Query::new(position))?;
/// assert_eq!((hits[0].game.0, hits[0].ply), (1, 6.into()));
/// assert_eq!(collection.game(hits[0].game)?.unwrap().tags.white, "Anna");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Collection {
    folder: PathBuf,
    manifest: Manifest,
    segments: Vec<Segment>,
    statistics: Statistics,
}

/// Why a collection cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectionError {
    /// There is no manifest in the directory.
    #[error(
        "{0} is not a collection (it has no manifest.json); \
         make one with: tabiya index GAMES.pgn --db {0}"
    )]
    NotACollection(PathBuf),
    /// The manifest cannot be read.
    #[error("{path}: {what}; restore it from a copy, or index the games again")]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Another process is writing to the collection.
    #[error("another process is writing to {0}; wait until it has finished")]
    Locked(PathBuf),
    /// The collection skips another number of plies.
    #[error(
        "the collection leaves out the first {collection} plies of a game, not {asked}; \
         leave --skip out, or make a new collection"
    )]
    Skip {
        /// The number that the collection skips.
        collection: u16,
        /// The requested number.
        asked: u16,
    },
    /// A file of the collection cannot be used.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// An error of the operating system.
    #[error("{path}: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

impl CollectionError {
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> CollectionError + '_ {
        |error| CollectionError::Io {
            path: path.to_owned(),
            error,
        }
    }
}

impl Collection {
    /// Opens a collection. The time does not depend on its size.
    ///
    /// # Errors
    ///
    /// When the directory is not a collection, or one of its files is missing, damaged, of
    /// another version, or not one of ours.
    pub fn open(folder: &Path) -> Result<Collection, CollectionError> {
        // A merge may remove segments between reading the manifest and
        // opening them; the new manifest is there by then.
        let manifest = Manifest::read(folder)?;
        let opened = Collection::open_with(folder, manifest);
        match opened {
            Err(CollectionError::Format(FormatError::Io { error, .. }))
                if error.kind() == io::ErrorKind::NotFound =>
            {
                Collection::open_with(folder, Manifest::read(folder)?)
            }
            opened => opened,
        }
    }

    fn open_with(folder: &Path, manifest: Manifest) -> Result<Collection, CollectionError> {
        let segments = manifest
            .segments
            .iter()
            .map(|entry| {
                let segment = Segment::open(&folder.join(&entry.name))?;
                entry.check(&segment)?;
                Ok(segment)
            })
            .collect::<Result<Vec<_>, FormatError>>()?;
        let statistics = Statistics::of(&segments)?;
        Ok(Collection {
            folder: folder.to_owned(),
            manifest,
            segments,
            statistics,
        })
    }

    /// The folder of the collection.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The manifest at the time of opening.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The segments in order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The statistics over all segments.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.segments
            .iter()
            .map(|it| u64::from(it.summary().games))
            .sum()
    }

    /// The number of indexed positions.
    pub fn positions(&self) -> u64 {
        self.statistics.positions()
    }

    /// The segments, each with the number of its first game.
    pub fn shards(&self) -> Vec<Shard<'_>> {
        numbered(&self.segments)
    }

    /// Searches for the best position of each game, best first.
    pub fn search(&self, query: &Query) -> Result<Vec<Hit>, SearchError> {
        search::search(&self.shards(), query, &self.statistics)
    }

    /// A game by its number.
    pub fn game(&self, number: GameNumber) -> Result<Option<Game>, FormatError> {
        index::game(&self.shards(), number)
    }

    /// The tags of a game by its number.
    pub fn tags(&self, number: GameNumber) -> Result<Option<Tags>, FormatError> {
        index::tags(&self.shards(), number)
    }

    /// Calls `visit` with every game that a filter admits and its number, in order, up to the
    /// first error.
    ///
    /// # Errors
    ///
    /// When a segment is damaged, and those of `visit`.
    pub fn for_each_game<E: From<FormatError>>(
        &self,
        filter: &Filter,
        visit: impl FnMut(GameNumber, Game) -> Result<(), E>,
    ) -> Result<(), E> {
        search::for_each_game(&self.shards(), filter, visit)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};

    use shakmaty::Chess;

    use super::*;
    use crate::testing::collection_of;

    #[cfg(unix)]
    #[test]
    fn a_segment_that_is_cut_while_it_is_read_is_an_error() {
        let (_folder, collection) = collection_of("1. e4 e5 2. Nf3 Nc6 *\n\n1. d4 d5 2. c4 e6 *\n");
        let query = Query::new(Chess::default());
        assert_eq!(collection.search(&query).unwrap().len(), 2);
        let is_segment = |it: &PathBuf| it.extension().is_some_and(|it| it == "tabiya");
        let paths = fs::read_dir(collection.folder()).unwrap();
        let mut paths = paths.map(|it| it.unwrap().path());
        let path = paths.find(is_segment).unwrap();
        let file = OpenOptions::new().write(true).open(path).unwrap();
        file.set_len(4096).unwrap();
        // Blocks that were read before are not checked again, so their bytes are missing in the
        // middle of the answer.
        let error = collection.search(&query).unwrap_err().to_string();
        assert!(error.contains("cut while it was in use"), "{error}");
        assert!(collection.game(GameNumber(1)).is_err());
        // It stays so when the file is whole again.
        file.set_len(1 << 20).unwrap();
        assert!(collection.search(&query).is_err());
    }
}
