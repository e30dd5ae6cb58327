//! The manifest: the segments of a collection.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write},
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::{
    CollectionError,
    folder::{is_segment, number_of},
};
use crate::{
    disk,
    index::{FormatError, Segment},
};

const NAME: &str = "manifest.json";
const FORMAT: &str = "tabiya collection";
const VERSION: u32 = 1;

/// The default number of opening plies that are not indexed.
pub(super) const DEFAULT_SKIP: u16 = 0;

/// The contents of `manifest.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    format: String,
    version: u32,
    /// The number of opening plies that are not indexed.
    pub skip: u16,
    /// The number of the next segment. Numbers are never reused, so a file name always means the
    /// same bytes.
    pub(super) next_segment: u64,
    /// The segments in the order of their games.
    pub segments: Vec<Entry>,
}

/// A segment in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The file's name.
    pub name: String,
    /// The number of games.
    pub games: u32,
    /// The number of indexed positions.
    pub positions: u64,
}

impl Entry {
    /// Checks that the file is the one in the manifest.
    pub(super) fn check(&self, segment: &Segment) -> Result<(), FormatError> {
        let found = segment.summary();
        if (found.games, found.positions) == (self.games, self.positions) {
            return Ok(());
        }
        Err(segment.damaged(format!(
            "it holds {} games and {} positions, the manifest says {} and {}",
            found.games, found.positions, self.games, self.positions
        )))
    }
}

impl Manifest {
    pub(super) fn new(skip: u16) -> Manifest {
        Manifest {
            format: FORMAT.to_owned(),
            version: VERSION,
            skip,
            next_segment: 1,
            segments: Vec::new(),
        }
    }

    /// Reads the manifest of a collection.
    pub(super) fn read(folder: &Path) -> Result<Manifest, CollectionError> {
        let path = folder.join(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if is_absent(&error) => {
                return Err(CollectionError::NotACollection(folder.to_owned()));
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidData => String::new(),
            Err(error) => return Err(CollectionError::Io { path, error }),
        };
        Manifest::parse(&text).map_err(|what| CollectionError::Manifest { path, what })
    }

    fn parse(text: &str) -> Result<Manifest, String> {
        // The version comes first: a newer manifest may have another shape.
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| format!("it is damaged ({error})"))?;
        if value["format"] != FORMAT {
            return Err("it is not the manifest of a tabiya collection".to_owned());
        }
        if value["version"] != VERSION {
            return Err(format!(
                "the collection has format {}, this program reads format {VERSION}",
                value["version"]
            ));
        }
        let manifest: Manifest =
            serde_json::from_value(value).map_err(|error| format!("it is damaged ({error})"))?;
        let mut known = BTreeSet::new();
        for Entry { name, .. } in &manifest.segments {
            // A name with a path in it could point anywhere.
            if !is_segment(name) {
                return Err(format!("it is damaged (segment name \"{name}\")"));
            }
            // A segment with a reused number would replace the first one.
            let number = number_of(name);
            if number.is_some_and(|it| it >= manifest.next_segment || !known.insert(it)) {
                return Err(format!("it is damaged (the number of \"{name}\")"));
            }
        }
        Ok(manifest)
    }

    /// Replaces the old manifest. After a crash, either the old or the new one is there, complete.
    pub(super) fn write(&self, folder: &Path) -> Result<(), CollectionError> {
        let text =
            serde_json::to_string_pretty(self).map_err(|error| CollectionError::Manifest {
                path: folder.join(NAME),
                what: error.to_string(),
            })?;
        replace(&folder.join(NAME), text.as_bytes())
    }
}

/// Writes a file beside its place, then moves it there.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), CollectionError> {
    let failed = CollectionError::io(path);
    let beside = path.with_extension("new");
    let mut file = disk::File::create(&beside).map_err(&failed)?;
    file.write_all(bytes)
        .and_then(|()| file.sync())
        .map_err(&failed)?;
    disk::rename(&beside, path).map_err(&failed)?;
    sync_folder(path.parent().unwrap_or(Path::new(".")))
}

/// Makes new names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), CollectionError> {
    disk::sync_folder(folder).map_err(CollectionError::io(folder))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let mut manifest = Manifest::new(24);
        manifest.next_segment = 2;
        manifest.segments.push(Entry {
            name: "segment-000001.tabiya".into(),
            games: 3,
            positions: 70,
        });
        manifest.write(folder.path()).unwrap();
        assert_eq!(Manifest::read(folder.path()).unwrap(), manifest);
    }

    #[test]
    fn strange_manifests_are_refused_with_a_reason() {
        #[track_caller]
        fn check(text: &str, reason: &str) {
            let error = Manifest::parse(text).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        check("", "it is damaged");
        check("{}", "not the manifest of a tabiya collection");
        check(
            r#"{"format":"tabiya collection","version":2}"#,
            "has format 2, this program reads format 1",
        );
        check(
            r#"{"format":"tabiya collection","version":1}"#,
            "it is damaged (missing field",
        );
        check(
            r#"{"format":"tabiya collection","version":1,"skip":0,"next_segment":1,"segments":[{"name":"../x","games":1,"positions":1}]}"#,
            "segment name",
        );
        let numbered = |next: u64, names: [&str; 2]| {
            let entry = |name| format!(r#"{{"name":"{name}","games":1,"positions":1}}"#);
            let [first, second] = names.map(entry);
            format!(
                r#"{{"format":"tabiya collection","version":1,"skip":0,"next_segment":{next},"segments":[{first},{second}]}}"#
            )
        };
        let names = ["segment-000001.tabiya", "segment-000002.tabiya"];
        assert!(Manifest::parse(&numbered(3, names)).is_ok());
        check(
            &numbered(2, names),
            "the number of \"segment-000002.tabiya\"",
        );
        check(&numbered(3, [names[0]; 2]), "the number of");
    }

    #[test]
    fn an_absent_manifest_means_no_collection() {
        let folder = tempfile::tempdir().unwrap();
        let error = Manifest::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("is not a collection"), "{error}");
    }
}
