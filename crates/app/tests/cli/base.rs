//! Bases: Scid's in and out, and what is said when one cannot be read.

use std::{fs, path::Path};

use crate::workspace::Workspace;

fn fixture() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../base/tests/fixtures")
}

/// A folder with the base of Scid in it.
fn with_base() -> Workspace {
    let workspace = Workspace::new();
    for ending in ["si4", "sn4", "sg4"] {
        let name = format!("games.{ending}");
        let bytes = fs::read(fixture().join("scid").join(&name)).unwrap();
        workspace.write(&format!("folder/{name}"), bytes);
    }
    workspace
}

#[test]
fn a_base_in_a_folder_is_indexed_beside_pgn() {
    let workspace = with_base();
    let report = workspace.json("index folder --db db --skip 0");
    assert_eq!(
        (&report["games"], &report["deleted"]),
        (&57.into(), &1.into())
    );
    assert_eq!(
        (&report["skipped"], &report["cut_short"]),
        (&0.into(), &0.into())
    );
    let pgn = fs::read(fixture().join("annotated.pgn")).unwrap();
    workspace.write("annotated.pgn", pgn);
    let report = workspace.json("index annotated.pgn folder/games.si4 --db db");
    // All but the game that is deleted in the base.
    assert_eq!(
        (&report["games"], &report["duplicates"]),
        (&1.into(), &62.into())
    );
}

#[test]
fn exported_bases_hold_the_same_games() {
    let workspace = with_base();
    workspace.json("index folder/games.si4 --db db --skip 0");
    let pgn = workspace.words("export --db db").succeed().out;
    for format in ["si4", "si5"] {
        let line = format!("export --db db --format {format} -o out");
        let summary = workspace.json(&line);
        assert_eq!(summary["games"], 57);
        let lost = summary["lost"].as_object().unwrap();
        assert!(lost.values().all(|it| *it == 0), "{summary}");
        workspace.json(&format!("index out.{format} --db {format} --skip 0"));
        let again = workspace.words(&format!("export --db {format}")).succeed();
        assert_eq!(again.out, pgn);
    }
    workspace
        .words("export --db db --format si4")
        .fail(2, "--output");
}

#[test]
fn damaged_games_are_reported_with_their_numbers() {
    let workspace = with_base();
    let path = workspace.path("folder/games.sg4");
    let mut bytes = fs::read(&path).unwrap();
    // In the middle of the moves of the first game.
    bytes[30] = 0xff;
    fs::write(&path, bytes).unwrap();
    let report = workspace.json("index folder/games.si4 --db db --skip 0");
    assert_eq!(
        (&report["games"], &report["cut_short"]),
        (&57.into(), &1.into())
    );
    let problem = report["problems"][0].as_str().unwrap();
    assert!(problem.contains("games.si4:1: Adams"), "{problem}");
}

#[test]
fn what_cannot_be_read_is_said_with_a_remedy() {
    let workspace = with_base();
    fs::remove_file(workspace.path("folder/games.sn4")).unwrap();
    workspace
        .words("index folder --db db")
        .fail(1, "games.sn4 is missing");
    workspace.write("new.2cbh", "");
    workspace
        .words("index new.2cbh --db db")
        .fail(1, "export its games as PGN");
}
