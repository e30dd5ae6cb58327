//! Writing to a collection: one at a time, and all or nothing.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    Collection, CollectionError,
    folder::{clear_away, in_use, lock, numbered, refuse_other_files},
    manifest::{DEFAULT_SKIP, Entry, Manifest, sync_folder},
};
use crate::{disk, index::Summary};

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
    /// When another process is writing, the folder holds something else, or it
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
    /// When another process is writing, or the folder is not a collection.
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
        // Only a manifest that is right about what it names may say what is of no use.
        writer.collection()?;
        clear_away(&writer.folder, &writer.manifest)?;
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

    /// Removes segments that were written and are not part of the collection.
    pub(super) fn clear_away(&self) -> Result<(), CollectionError> {
        clear_away(&self.folder, &self.manifest)
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
            // The change is made; what cannot be removed now the next writer removes.
            let _ = clear_away(&self.folder, &self.manifest);
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
        numbered(number)
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
    disk::create_folder(folder).map_err(CollectionError::io(folder))?;
    if let Err(error) = refuse_other_files(folder, |_| false) {
        // Unless another writer made a collection of these files since we looked.
        let found = Manifest::read(folder).map(drop);
        return found.map_err(|_| in_use(folder, error));
    }
    let _lock = lock(folder)?;
    // Somebody may have been faster since we looked.
    match Manifest::read(folder) {
        Err(CollectionError::NotACollection(_)) => Manifest::new(skip).write(folder),
        found => found.map(drop),
    }
}
