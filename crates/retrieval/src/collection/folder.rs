//! The folder of a collection: the names of its files, and the lock for writers.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::Path,
};

use super::{CollectionError, manifest::Manifest};
use crate::disk;

const LOCK: &str = "lock";
/// A manifest that is about to replace the old one.
const NEW_MANIFEST: &str = "manifest.new";
const SEGMENT_BEGIN: &str = "segment-";
const SEGMENT_ENDING: &str = ".tabiya";
/// The ending of an incomplete file.
const PART_ENDING: &str = ".part";
/// Hexadecimal digits of a delivered segment's name.
const DIGITS: usize = 32;

/// The name of the segment with a number.
pub(super) fn numbered(number: u64) -> String {
    format!("{SEGMENT_BEGIN}{number:06}{SEGMENT_ENDING}")
}

/// Whether a name is that of a segment.
pub(super) fn is_segment(name: &str) -> bool {
    let name = name.strip_prefix(SEGMENT_BEGIN);
    let digits = name.and_then(|it| it.strip_suffix(SEGMENT_ENDING));
    digits.is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_hexdigit()))
}

/// The number of a segment that has one.
pub(super) fn number_of(name: &str) -> Option<u64> {
    let name = name.strip_prefix(SEGMENT_BEGIN)?;
    let digits = name.strip_suffix(SEGMENT_ENDING)?;
    digits.parse().ok().filter(|_| digits.len() < DIGITS)
}

/// The name of a delivered segment, by the digest of its contents.
pub(super) fn delivered(digest: u128) -> String {
    format!("{SEGMENT_BEGIN}{digest:032x}{SEGMENT_ENDING}")
}

/// The name of an incomplete delivered segment.
pub(super) fn part(digest: u128, whose: &str) -> String {
    format!("{SEGMENT_BEGIN}{digest:032x}.{whose}{PART_ENDING}")
}

/// Whether a file is a delivered segment, complete or not.
pub(super) fn is_delivered(name: &str) -> bool {
    let digest = name
        .strip_prefix(SEGMENT_BEGIN)
        .and_then(|it| it.split_at_checked(DIGITS));
    digest.is_some_and(|(digest, ending)| {
        digest.bytes().all(|it| it.is_ascii_hexdigit())
            && (ending == SEGMENT_ENDING || ending.ends_with(PART_ENDING))
    })
}

/// Locks the folder for writing until the file is closed.
pub(super) fn lock(folder: &Path) -> Result<File, CollectionError> {
    let path = folder.join(LOCK);
    let file = File::create(&path).map_err(CollectionError::io(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(CollectionError::Locked(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(CollectionError::Io { path, error }),
    }
}

/// Why a folder with other files cannot be used: a writer that makes a collection there, if there is
/// one, or the error that is given.
pub(super) fn in_use(folder: &Path, otherwise: CollectionError) -> CollectionError {
    let file = File::open(folder.join(LOCK));
    match file.map(|it| it.try_lock()) {
        Ok(Err(TryLockError::WouldBlock)) => CollectionError::Locked(folder.to_owned()),
        _ => otherwise,
    }
}

/// Returns an error if a folder holds files that are not ours: only an empty folder, or one with
/// an unfinished collection, becomes a collection. A lock left by a killed writer is ignored.
pub(super) fn refuse_other_files(
    folder: &Path,
    is_ours: impl Fn(&str) -> bool,
) -> Result<(), CollectionError> {
    let is_other = |name: &String| name != LOCK && name != NEW_MANIFEST && !is_ours(name);
    match names(folder)?.into_iter().find(is_other) {
        Some(name) => Err(refused(
            folder,
            &format!("the folder already holds other files ({name})"),
        )),
        None => Ok(()),
    }
}

/// Why a folder cannot be used, with the remedy.
pub(super) fn refused(folder: &Path, what: &str) -> CollectionError {
    CollectionError::Io {
        path: folder.to_owned(),
        error: io::Error::other(format!("{what}; give an empty or new folder")),
    }
}

/// Removes segments that the manifest does not list: replaced ones, and those of killed writers.
pub(super) fn clear_away(folder: &Path, manifest: &Manifest) -> Result<(), CollectionError> {
    let is_ours = |name: &str| {
        name.starts_with(SEGMENT_BEGIN)
            && (name.ends_with(SEGMENT_ENDING) || name.ends_with(PART_ENDING))
    };
    for name in names(folder)? {
        if is_ours(&name) && !manifest.segments.iter().any(|it| it.name == name) {
            let path = folder.join(&name);
            disk::remove(&path).map_err(CollectionError::io(&path))?;
        }
    }
    Ok(())
}

pub(super) fn names(folder: &Path) -> Result<Vec<String>, CollectionError> {
    let failed = CollectionError::io(folder);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(&failed)? {
        let name = entry.map_err(&failed)?.file_name();
        names.push(name.to_string_lossy().into_owned());
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinguished() {
        assert_eq!(number_of(&numbered(7)), Some(7));
        assert_eq!(number_of(&numbered(12_345_678)), Some(12_345_678));
        assert_eq!(number_of(&delivered(7)), None);
        assert_eq!(number_of("traps.tabiya"), None);
        assert!(is_segment(&numbered(7)) && is_segment(&delivered(7)));
        for name in [
            "",
            "..",
            "segment-.tabiya",
            "segment-../1.tabiya",
            "traps.tabiya",
        ] {
            assert!(!is_segment(name), "{name}");
        }
        assert!(is_delivered(&delivered(7)) && is_delivered(&part(7, "1-2")));
        assert!(!is_delivered(&numbered(7)) && !is_delivered("notes.part"));
    }
}
