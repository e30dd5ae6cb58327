//! A delivery: segments built elsewhere become the collection of a folder, all or nothing.
//!
//! Delivered segments are named by their contents. A second delivery therefore brings only what is
//! missing, and games that came another way are recognized and never replaced.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use super::{
    Collection, CollectionError,
    folder::{
        clear_away, delivered, in_use, is_delivered, lock, part, refuse_other_files, refused,
    },
    judgments::anchor,
    manifest::{Entry, Manifest, sync_folder},
    writer::entry,
};
use crate::{disk, index::Segment};

/// A delivery in progress. There is one at a time; dropping it or ending the process releases the
/// lock. Until [`finish`](Delivery::finish) the folder holds the previous collection, or none.
#[derive(Debug)]
pub struct Delivery {
    folder: PathBuf,
    manifest: Option<Manifest>,
    _lock: File,
}

impl Delivery {
    /// Begins a delivery to a folder, creating it if necessary, or continues an interrupted one.
    ///
    /// # Errors
    ///
    /// When another process is writing, or the folder holds anything that was not delivered.
    pub fn open(folder: &Path) -> Result<Delivery, CollectionError> {
        disk::create_folder(folder).map_err(CollectionError::io(folder))?;
        let manifest = delivered_manifest(folder)?;
        if manifest.is_none()
            && let Err(error) = refuse_other_files(folder, is_delivered)
            // Unless another writer made a collection of these files since we looked.
            && delivered_manifest(folder)?.is_none()
        {
            return Err(in_use(folder, error));
        }
        let lock = lock(folder)?;
        // Read again: it may have changed before we had the lock.
        let manifest = delivered_manifest(folder)?;
        Ok(Delivery {
            folder: folder.to_owned(),
            manifest,
            _lock: lock,
        })
    }

    /// The path of a segment, by the 128-bit digest of its contents.
    pub fn segment(folder: &Path, digest: u128) -> PathBuf {
        folder.join(delivered(digest))
    }

    /// The path of a segment while it is incomplete. Every call returns another one, so that no
    /// two writers share it.
    pub fn part(folder: &Path, digest: u128) -> PathBuf {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        folder.join(part(digest, &format!("{}-{call}", std::process::id())))
    }

    /// Makes these segments of the folder the collection, and removes all others.
    ///
    /// # Errors
    ///
    /// When something cannot be written. The collection is then as it was.
    pub fn finish(self, skip: u16, segments: &[Segment]) -> Result<(), CollectionError> {
        sync_folder(&self.folder)?;
        let mut manifest = Manifest::new(skip);
        manifest.segments = segments.iter().map(entry_of).collect();
        if let Some(old) = &self.manifest {
            manifest.next_segment = old.next_segment;
            anchor(&Collection::open(&self.folder)?)?;
        }
        manifest.write(&self.folder)?;
        // The delivery is complete; the next one removes what cannot be removed now.
        let _ = clear_away(&self.folder, &manifest);
        Ok(())
    }
}

fn entry_of(segment: &Segment) -> Entry {
    let name = segment.path().file_name().unwrap_or_default();
    entry(&name.to_string_lossy(), segment.summary())
}

/// The manifest, if there is one; an error if it names what was not delivered.
fn delivered_manifest(folder: &Path) -> Result<Option<Manifest>, CollectionError> {
    let manifest = match Manifest::read(folder) {
        Ok(manifest) => manifest,
        Err(CollectionError::NotACollection(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    match manifest.segments.iter().find(|it| !is_delivered(&it.name)) {
        None => Ok(Some(manifest)),
        Some(_) => Err(refused(
            folder,
            "the collection there has games of its own, which would be lost",
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{
        collection::{Judgments, folder::names, retain},
        testing::{Dice, collection_of, random_game},
    };

    /// Copies the segments of a collection to a folder, as a delivery does.
    fn bring(collection: &Collection, folder: &Path, first: u128) -> Vec<Segment> {
        let bring = |(digest, segment): (u128, &Segment)| {
            let path = Delivery::segment(folder, digest);
            fs::copy(segment.path(), &path).unwrap();
            Segment::open(&path).unwrap()
        };
        (first..).zip(collection.segments()).map(bring).collect()
    }

    fn files(folder: &Path) -> Vec<String> {
        let mut names = names(folder).unwrap();
        names.sort();
        names
    }

    #[test]
    fn a_delivery_is_all_or_nothing_and_can_be_replaced() {
        let (source, one) = collection_of("1. e4 e5 *\n");
        let folder = source.path().join("new");
        let delivery = Delivery::open(&folder).unwrap();
        let segments = bring(&one, &folder, 1);
        fs::write(Delivery::part(&folder, 7), "half").unwrap();
        assert!(matches!(
            Collection::open(&folder),
            Err(CollectionError::NotACollection(_))
        ));
        assert!(matches!(
            Delivery::open(&folder),
            Err(CollectionError::Locked(_))
        ));
        // Interrupted and continued.
        drop(delivery);
        let delivery = Delivery::open(&folder).unwrap();
        delivery.finish(24, &segments).unwrap();
        assert_eq!(Collection::open(&folder).unwrap().games(), 1);
        let name = format!("segment-{:032x}.tabiya", 1);
        assert_eq!(files(&folder), ["lock", "manifest.json", &name]);
        // The next one replaces it.
        let (_other, two) = collection_of("1. d4 d5 *\n\n1. c4 c5 *\n");
        let delivery = Delivery::open(&folder).unwrap();
        let segments = bring(&two, &folder, 2);
        assert_eq!(Collection::open(&folder).unwrap().games(), 1);
        delivery.finish(24, &segments).unwrap();
        assert_eq!(Collection::open(&folder).unwrap().games(), 2);
        let name = format!("segment-{:032x}.tabiya", 2);
        assert_eq!(files(&folder), ["lock", "manifest.json", &name]);
    }

    #[test]
    fn judgments_never_refer_to_other_games() {
        let (source, one) = collection_of("1. e4 e5 *\n");
        let folder = source.path().join("new");
        let deliver = |segments: &[Segment]| {
            let delivery = Delivery::open(&folder).unwrap();
            delivery.finish(24, segments).unwrap();
            Judgments::open(&Collection::open(&folder).unwrap()).unwrap()
        };
        fs::create_dir(&folder).unwrap();
        let first = bring(&one, &folder, 1);
        deliver(&first);
        let old = r#"{"assessor":"A","query":"x","game":1,"ply":2,"grade":3,"time":4}"#;
        fs::write(folder.join("judgments.jsonl"), format!("{old}\n")).unwrap();
        let (_other, two) = collection_of("1. d4 d5 *\n\n1. c4 c5 *\n");
        let [first, second] = [first, bring(&two, &folder, 2)].map(|mut it| it.remove(0));
        let game = |it: &Judgments| it.iter().next().unwrap().game;
        let number = |it| Some(crate::GameNumber(it));
        let both = [second, first];
        assert_eq!(game(&deliver(&both)), number(3));
        let reopened = bring(&two, &folder, 2);
        assert_eq!(game(&deliver(&reopened)), None);
        let both = [bring(&one, &folder, 1), reopened].map(|mut it| it.remove(0));
        assert_eq!(game(&deliver(&both)), number(1));
    }

    #[test]
    fn games_of_its_own_and_files_of_others_are_never_replaced() {
        #[track_caller]
        fn check(folder: &Path, reason: &str) {
            let error = Delivery::open(folder).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        let (source, collection) = collection_of("1. e4 e5 *\n");
        check(collection.folder(), "games of its own, which would be lost");
        let folder = source.path().join("new");
        let delivery = Delivery::open(&folder).unwrap();
        let segments = bring(&collection, &folder, 1);
        delivery.finish(24, &segments).unwrap();
        // A game was added since.
        retain(&folder, &[random_game(&mut Dice::new(1), 40)]).unwrap();
        check(&folder, "games of its own");
        let other = source.path().join("other");
        fs::create_dir(&other).unwrap();
        fs::write(other.join("notes.txt"), "").unwrap();
        check(&other, "already holds other files (notes.txt)");
    }
}
