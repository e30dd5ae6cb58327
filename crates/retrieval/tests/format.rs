//! Collections that earlier programs wrote stay readable, and answer as if
//! they were written today.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicU64,
};

use tabiya_chess::{Game, Symmetry, pgn::Source};
use tabiya_retrieval::{
    Collection, Filter, Query,
    collection::{Import, Progress, verify},
    index::FormatError,
};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/format-1")
}

/// The games of the fixture, indexed by today's program.
fn made_today(folder: &Path) -> Collection {
    let import = Import::new(vec![Source::File(fixture().join("games.pgn"))]);
    import.run(folder, &Progress::default()).unwrap();
    Collection::open(folder).unwrap()
}

fn games(collection: &Collection) -> Vec<Game> {
    let mut games = Vec::new();
    let visited = collection.for_each_game(&Filter::default(), |_, game| {
        games.push(game);
        Ok::<(), FormatError>(())
    });
    visited.unwrap();
    games
}

#[test]
fn format_1_answers_as_if_written_today() {
    let folder = tempfile::tempdir().unwrap();
    let (then, now) = (
        Collection::open(&fixture()).unwrap(),
        made_today(folder.path()),
    );
    assert_eq!((then.games(), then.positions()), (5, now.positions()));
    assert_eq!(games(&then), games(&now));
    for game in games(&then) {
        for position in game.positions().skip(9).step_by(10) {
            let query = Query {
                symmetries: Symmetry::ALL.to_vec(),
                ..Query::new(position)
            };
            let hits = then.search(&query).unwrap();
            assert!(!hits.is_empty());
            assert_eq!(hits, now.search(&query).unwrap());
        }
    }
}

#[test]
fn format_1_is_verified() {
    let collection = Collection::open(&fixture()).unwrap();
    let checked = AtomicU64::new(0);
    let faults = verify(&collection, &checked);
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(checked.into_inner(), 5);
}

#[test]
fn format_2_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["manifest.json", "segment-000001.tabiya"] {
        fs::copy(fixture().join(name), folder.path().join(name)).unwrap();
    }
    let check = |name: &str, newer: &dyn Fn(Vec<u8>) -> Vec<u8>| {
        let path = folder.path().join(name);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, newer(bytes.clone())).unwrap();
        let error = Collection::open(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("has format 2, this program reads format 1"),
            "{error}"
        );
        fs::write(&path, bytes).unwrap();
    };
    check("segment-000001.tabiya", &|mut bytes| {
        bytes[8] = 2;
        bytes
    });
    check("manifest.json", &|bytes| {
        let text = String::from_utf8(bytes).unwrap();
        text.replace("\"version\": 1", "\"version\": 2")
            .into_bytes()
    });
    Collection::open(folder.path()).unwrap();
}
