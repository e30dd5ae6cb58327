//! A collection over time: stats, verify, export, merge.

use std::fs;

use serde_json::Value;

use crate::workspace::{Workspace, historical_files};

const QUERY: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9";

/// The historical games in several segments: an import for every 20 files.
fn in_pieces() -> Workspace {
    let workspace = Workspace::new();
    for some in historical_files().chunks(20) {
        let files = some.iter().map(|it| it.to_str().unwrap());
        let command: Vec<&str> = ["index", "--db", "db"].into_iter().chain(files).collect();
        workspace.run(&command).succeed();
    }
    workspace
}

fn segments(workspace: &Workspace) -> Vec<fs::Metadata> {
    let files = fs::read_dir(workspace.path("db")).unwrap();
    let files = files.map(|it| it.unwrap());
    let is_segment = |it: &fs::DirEntry| it.file_name().to_str().unwrap().ends_with(".tabiya");
    let files = files.filter(is_segment);
    files.map(|it| it.metadata().unwrap()).collect()
}

#[test]
fn stats_describe_the_collection() {
    let workspace = Workspace::with_history();
    let stats = workspace.json("stats --db db");
    assert_eq!(stats["games"], 103);
    let results = stats["results"].as_object().unwrap().values();
    assert_eq!(results.filter_map(Value::as_u64).sum::<u64>(), 103);
    for count in [
        "positions",
        "bytes",
        "terms",
        "postings",
        "windows",
        "players",
        "plies",
    ] {
        assert!(stats[count].as_u64().unwrap() > 100, "{count}: {stats}");
    }
    let parts = stats["parts"].as_object().unwrap();
    let sum: u64 = parts.values().filter_map(Value::as_u64).sum();
    assert!(sum > 0 && sum <= stats["bytes"].as_u64().unwrap());
    assert_eq!(stats["first_date"], "1620.??.??");
    let on_disk: u64 = segments(&workspace).iter().map(|it| it.len()).sum();
    assert_eq!(stats["bytes"], on_disk);
    let text = workspace.words("stats --db db").succeed().out;
    assert!(text.contains("games") && text.contains("103 ("), "{text}");
}

#[test]
fn every_import_adds_a_segment_and_merge_joins_them() {
    let workspace = in_pieces();
    assert_eq!(segments(&workspace).len(), 6);
    let before = workspace.search(QUERY, "--top 200");
    let exported = workspace.words("export --db db").succeed().out;
    let report = workspace.json("merge --db db");
    assert_eq!(
        (&report["before"], &report["after"]),
        (&6.into(), &1.into())
    );
    assert_eq!(segments(&workspace).len(), 1);
    let after = workspace.search(QUERY, "--top 200");
    assert_eq!(after["hits"], before["hits"]);
    assert_eq!(after["moves"], before["moves"]);
    assert_eq!(workspace.words("export --db db").succeed().out, exported);
    workspace.words("verify --db db").succeed();
    // It is also what importing all at once makes.
    let whole = Workspace::with_history();
    assert_eq!(whole.search(QUERY, "--top 200")["hits"], after["hits"]);
    let again = workspace.json("merge --db db");
    assert_eq!((&again["before"], &again["after"]), (&1.into(), &1.into()));
}

#[test]
fn a_sound_collection_is_verified() {
    let workspace = in_pieces();
    let report = workspace.json("verify --db db");
    assert_eq!(
        (&report["sound"], &report["games"]),
        (&true.into(), &103.into())
    );
    assert_eq!(
        (&report["segments"], &report["faults"]),
        (&6.into(), &Value::Array(vec![]))
    );
    let text = workspace.words("verify --db db").succeed().out;
    assert!(text.starts_with("sound: 103 games"), "{text}");
}

#[test]
fn exports_import_back_to_the_same_games() {
    let workspace = Workspace::with_history();
    let odd = "[White \"A \\\"quoted\\\" name\"]\n[Black \"Back\\\\slash\"]\n[Annotator \"X\"]\n\
        [Result \"1/2-1/2\"]\n\n1. e4 -- 2. d4 d5 1/2-1/2\n\n\
        [FEN \"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 30\"]\n\n30... O-O 31. O-O-O *\n\n\
        [FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8=N Kd7 2. Nb6+ *\n\n\
        [White \"en passant\"]\n\n1. e4 a6 2. e5 d5 3. exd6 *\n";
    workspace.write("odd.pgn", odd);
    workspace.words("index odd.pgn --db db").succeed();
    workspace.words("export --db db -o first.pgn").succeed();
    let report = workspace.json("index first.pgn --db again");
    assert_eq!(
        (&report["games"], &report["duplicates"]),
        (&107.into(), &0.into()),
        "{report}"
    );
    assert_eq!(
        (&report["skipped"], &report["cut_short"]),
        (&0.into(), &0.into()),
        "{report}"
    );
    workspace.words("export --db again -o second.pgn").succeed();
    assert_eq!(workspace.read("first.pgn"), workspace.read("second.pgn"));
    assert_eq!(
        workspace.json("stats --db again")["positions"],
        workspace.json("stats --db db")["positions"]
    );
    // All of them are known to the collection they came from.
    let report = workspace.json("index first.pgn --db db");
    assert_eq!(
        (&report["games"], &report["duplicates"]),
        (&0.into(), &107.into())
    );
}

#[test]
fn exports_are_filtered_like_searches() {
    let workspace = Workspace::with_history();
    let report = workspace.json("export --db db --white Fischer -o fischer.pgn");
    let text = workspace.read("fischer.pgn");
    assert_eq!(report["games"], text.matches("[Event ").count());
    assert!(text.matches("[White \"Fischer").count() > 3);
    assert_eq!(
        text.matches("[White \"").count(),
        text.matches("[White \"Fischer").count()
    );
    // No line is longer than strict PGN has them.
    assert!(text.lines().all(|it| it.len() <= 80 || it.starts_with('[')));
    let nobody = workspace
        .words("export --db db --player Nobody-at-all")
        .succeed();
    assert_eq!(nobody.out, "");
}
