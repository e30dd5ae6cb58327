//! Collections that earlier programs wrote stay readable, and answer as if
//! they were written today.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tabiya_chess::{Game, Symmetry, pgn::Input};
use tabiya_retrieval::{
    Collection, Filter, Query,
    case::{Action, Case, Inquiry, retrieve},
    collection::{Import, Progress, merge, verify},
    index::FormatError,
};

/// All formats that were ever written.
const FORMATS: [&str; 3] = ["format-1", "format-2", "format-3"];

fn fixture(format: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fixtures.join(format)
}

/// The games of a fixture, indexed by today's program.
fn made_today(format: &str, folder: &Path) -> Collection {
    // Until the third format, imports left out the first 24 plies.
    let skip = if format == "format-3" { 0 } else { 24 };
    let import = Import {
        skip: Some(skip),
        ..Import::new(vec![Input::File(fixture(format).join("games.pgn"))])
    };
    import.run(folder, &Progress::default()).unwrap();
    Collection::open(folder).unwrap()
}

/// A copy of a fixture that may be changed.
fn copy(format: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["manifest.json", "segment-000001.tabiya"] {
        fs::copy(fixture(format).join(name), folder.path().join(name)).unwrap();
    }
    folder
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
fn every_format_answers_as_if_written_today() {
    for format in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let then = Collection::open(&fixture(format)).unwrap();
        let now = made_today(format, folder.path());
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
}

#[test]
fn every_format_is_verified() {
    for format in FORMATS {
        let collection = Collection::open(&fixture(format)).unwrap();
        let progress = Progress::default();
        let faults = verify(&collection, &progress);
        assert!(faults.is_empty(), "{format}: {faults:?}");
        assert_eq!(progress.games.into_inner(), 5);
    }
}

/// The cases of the first answered move of the fixture's first game.
fn cases(collection: &Collection) -> Result<Vec<Case>, FormatError> {
    let game = &games(collection)[0];
    let mut boards = game.boards();
    let first = game.moves[0].to_move(&boards.next().unwrap()).unwrap();
    let inquiry = Inquiry {
        board: boards.next().unwrap(),
        actions: vec![Action::of(&game.boards().next().unwrap(), first).unwrap()],
        threshold: 0.4,
        filter: Filter::default(),
    };
    retrieve(&collection.shards(), &inquiry)
}

#[test]
fn a_merge_renews_a_format_that_had_no_cases() {
    let folder = copy("format-1");
    let old = Collection::open(folder.path()).unwrap();
    let error = cases(&old).unwrap_err().to_string();
    assert!(
        error.contains("has no cases; renew it with: tabiya merge"),
        "{error}"
    );
    drop(old);
    merge(folder.path(), &Progress::default()).unwrap();
    let renewed = Collection::open(folder.path()).unwrap();
    let found = cases(&renewed).unwrap();
    assert!(!found.is_empty());
    let today = Collection::open(&fixture("format-2")).unwrap();
    assert_eq!(found, cases(&today).unwrap());
}

#[test]
fn newer_formats_are_refused_by_name() {
    let folder = copy("format-2");
    let check = |name: &str, reads: &str, newer: &dyn Fn(Vec<u8>) -> Vec<u8>| {
        let path = folder.path().join(name);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, newer(bytes.clone())).unwrap();
        let error = Collection::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains(reads), "{error}");
        fs::write(&path, bytes).unwrap();
    };
    let reads = "has format 4, this program reads formats 1 to 3";
    check("segment-000001.tabiya", reads, &|mut bytes| {
        bytes[8] = 4;
        bytes
    });
    let reads = "has format 2, this program reads format 1";
    check("manifest.json", reads, &|bytes| {
        let text = String::from_utf8(bytes).unwrap();
        text.replace("\"version\": 1", "\"version\": 2")
            .into_bytes()
    });
    Collection::open(folder.path()).unwrap();
}
