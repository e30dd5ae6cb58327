//! Writing to a collection: one at a time, and all or nothing.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    Collection, CollectionError,
    manifest::{DEFAULT_SKIP, Entry, Manifest, sync_folder},
};
use crate::index::Summary;

pub(super) const LOCK: &str = "lock";
pub(super) const SEGMENT_ENDING: &str = ".tabiya";

/// The right to change a collection. There is one at a time; the lock is
/// given back when it is dropped, or when the process dies.
#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    manifest: Manifest,
    names: SegmentNames,
    _lock: File,
}

impl Writer {
    /// Opens a collection for writing, or makes it if it is not there.
    ///
    /// # Errors
    ///
    /// When somebody else is writing, the folder holds something else, or it
    /// leaves out another number of plies than `skip`.
    pub fn open_or_create(folder: &Path, skip: Option<u16>) -> Result<Writer, CollectionError> {
        match Manifest::read(folder) {
            Ok(_) => {}
            Err(CollectionError::NotACollection(_)) => {
                create(folder, skip.unwrap_or(DEFAULT_SKIP))?
            }
            Err(error) => return Err(error),
        }
        let writer = Writer::open(folder)?;
        let collection = writer.manifest.skip;
        match skip.filter(|&it| it != collection) {
            Some(asked) => Err(CollectionError::Skip { collection, asked }),
            None => Ok(writer),
        }
    }

    /// Opens a collection that is there for writing.
    ///
    /// # Errors
    ///
    /// When somebody else is writing, or the folder is no collection.
    pub fn open(folder: &Path) -> Result<Writer, CollectionError> {
        // Without a manifest there is nothing to lock.
        Manifest::read(folder)?;
        let lock = lock(folder)?;
        // Read again: it may have changed before we had the lock.
        let manifest = Manifest::read(folder)?;
        let names = SegmentNames::from(manifest.next_segment);
        let writer = Writer {
            folder: folder.to_owned(),
            manifest,
            names,
            _lock: lock,
        };
        writer.clear_away()?;
        Ok(writer)
    }

    /// How many plies are left out at the beginning of a game.
    pub fn skip(&self) -> u16 {
        self.manifest.skip
    }

    /// The collection as it is now.
    ///
    /// # Errors
    ///
    /// As for [`Collection::open`].
    pub fn collection(&self) -> Result<Collection, CollectionError> {
        Collection::open(&self.folder)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.manifest.segments
    }

    /// Where names for new segments come from.
    pub(super) fn segment_names(&self) -> SegmentNames {
        self.names.clone()
    }

    /// Makes segments that are safely on disk part of the collection.
    pub(super) fn append(&mut self, segments: &[(String, Summary)]) -> Result<(), CollectionError> {
        let mut entries = self.manifest.segments.clone();
        entries.extend(segments.iter().map(|(name, summary)| entry(name, summary)));
        self.replace(entries)
    }

    /// Makes these the segments of the collection, and removes the others.
    pub(super) fn replace(&mut self, entries: Vec<Entry>) -> Result<(), CollectionError> {
        sync_folder(&self.folder)?;
        let mut manifest = self.manifest.clone();
        manifest.segments = entries;
        manifest.next_segment = self.names.0.load(Ordering::Relaxed);
        manifest.write(&self.folder)?;
        let old = std::mem::replace(&mut self.manifest, manifest);
        if old
            .segments
            .iter()
            .any(|it| !self.manifest.segments.contains(it))
        {
            self.clear_away()?;
        }
        Ok(())
    }

    /// Removes segments that the manifest does not mention: left by a writer
    /// that was killed, or replaced by a merge.
    fn clear_away(&self) -> Result<(), CollectionError> {
        let failed = CollectionError::io(&self.folder);
        for entry in fs::read_dir(&self.folder).map_err(&failed)? {
            let path = entry.map_err(&failed)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_ours = name.starts_with("segment-") && name.ends_with(SEGMENT_ENDING);
            if is_ours && !self.manifest.segments.iter().any(|it| it.name == name) {
                fs::remove_file(&path).map_err(CollectionError::io(&path))?;
            }
        }
        Ok(())
    }
}

/// Names for new segments, none of them used twice. Clones share the count.
#[derive(Clone, Debug)]
pub(super) struct SegmentNames(Arc<AtomicU64>);

impl SegmentNames {
    fn from(number: u64) -> SegmentNames {
        SegmentNames(Arc::new(AtomicU64::new(number)))
    }

    pub(super) fn next(&self) -> String {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        format!("segment-{number:06}{SEGMENT_ENDING}")
    }
}

pub(super) fn entry(name: &str, summary: &Summary) -> Entry {
    Entry {
        name: name.to_owned(),
        games: summary.games,
        positions: summary.positions,
    }
}

fn create(folder: &Path, skip: u16) -> Result<(), CollectionError> {
    let failed = CollectionError::io(folder);
    fs::create_dir_all(folder).map_err(&failed)?;
    // Only an empty folder becomes a collection: no file of somebody else's
    // is ever taken for ours. A lock left by a killed writer is no obstacle.
    for entry in fs::read_dir(folder).map_err(&failed)? {
        let name = entry.map_err(&failed)?.file_name();
        if name != LOCK && name != "manifest.new" {
            let what = format!(
                "the folder already holds other files ({})",
                name.to_string_lossy()
            );
            return Err(CollectionError::Io {
                path: folder.to_owned(),
                error: std::io::Error::other(format!("{what}; give an empty or new one")),
            });
        }
    }
    let _lock = lock(folder)?;
    // Somebody may have been faster since we looked.
    match Manifest::read(folder) {
        Err(CollectionError::NotACollection(_)) => Manifest::new(skip).write(folder),
        found => found.map(drop),
    }
}

pub(super) fn lock(folder: &Path) -> Result<File, CollectionError> {
    let path = folder.join(LOCK);
    let file = File::create(&path).map_err(CollectionError::io(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(CollectionError::Locked(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(CollectionError::Io { path, error }),
    }
}
