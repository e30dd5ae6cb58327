//! Importing: every kind of file, careless PGN, and the reports.

use std::{fs::File, io::Write};

use serde_json::{Value, json};

use crate::{
    program::{history, sample},
    workspace::Workspace,
};

const SHORT: &str = "[White \"Anna\"]\n[Black \"Bert\"]\n[Result \"1-0\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1-0\n\n";
const OTHER: &str = "[White \"Carl\"]\n[Black \"Dora\"]\n[Result \"0-1\"]\n\n\
    1. d4 d5 2. c4 e6 3. Nc3 Nf6 0-1\n\n";

/// Indexes a text with all its plies, and returns the report.
fn index(pgn: impl AsRef<[u8]>) -> (Workspace, Value) {
    let workspace = Workspace::new();
    workspace.write("games.pgn", pgn);
    let report = workspace.json("index games.pgn --db db --skip 0");
    (workspace, report)
}

/// Checks that a text is read as these moves of one game, without complaint.
#[track_caller]
fn check_moves(pgn: impl AsRef<[u8]>, moves: &str) {
    let (workspace, report) = index(pgn);
    assert_eq!(report["games"], 1, "{report}");
    assert_eq!(report["skipped"], 0, "{report}");
    assert_eq!(report["cut_short"], 0, "{report}");
    let exported = workspace.words("export --db db").succeed().out;
    assert_eq!(movetext(&exported), moves);
}

/// The moves of an exported game, on one line.
fn movetext(pgn: &str) -> String {
    let moves = pgn.split("\n\n").nth(1).unwrap_or_default();
    moves.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn counts_are_reported_as_json() {
    let (_, report) = index([SHORT, OTHER].concat());
    // A game of n plies has n + 1 positions.
    assert_eq!(report["games"], 2);
    assert_eq!(report["positions"], 11 + 7);
    for count in [
        "skipped",
        "left_out",
        "duplicates",
        "variants",
        "cut_short",
        "variations",
        "lost_notes",
        "disagreeing_results",
    ] {
        assert_eq!(report[count], 0, "{count}");
    }
    assert_eq!(report["canceled"], false);
    assert_eq!(report["problems"], json!([]));
    assert_eq!(report["failed_files"], json!([]));
}

#[test]
fn counts_are_reported_as_text() {
    let workspace = Workspace::new();
    workspace.write("games.pgn", [SHORT, SHORT].concat());
    let report = workspace
        .words("index games.pgn --db db --skip 0")
        .succeed();
    assert!(
        report.out.contains("1 game with 11 positions"),
        "{report:?}"
    );
    assert!(report.out.contains("1 duplicates skipped"), "{report:?}");
}

#[test]
fn all_plies_are_indexed_unless_some_are_skipped() {
    let workspace = Workspace::new();
    workspace.write("games.pgn", SHORT);
    let report = workspace.json("index games.pgn --db all");
    assert_eq!(
        (&report["games"], &report["positions"]),
        (&json!(1), &json!(11))
    );
    let report = workspace.json("index games.pgn --db db --skip 24");
    assert_eq!(
        (&report["games"], &report["positions"]),
        (&json!(1), &json!(0))
    );
    workspace
        .words("index games.pgn --db db --skip 8")
        .fail(1, "leaves out the first 24 plies of a game, not 8");
}

#[test]
fn plain_and_compressed_files_are_read() {
    let workspace = Workspace::new();
    workspace.write("a.pgn", SHORT);
    workspace.write("b.pgn.zst", zstd::encode_all(SHORT.as_bytes(), 3).unwrap());
    let file = File::create(workspace.path("c.pgn.gz")).unwrap();
    let mut gz = flate2::write::GzEncoder::new(file, flate2::Compression::default());
    gz.write_all(SHORT.as_bytes()).unwrap();
    gz.finish().unwrap();
    let file = File::create(workspace.path("d.pgn.bz2")).unwrap();
    let mut bz = bzip2::write::BzEncoder::new(file, bzip2::Compression::default());
    bz.write_all(SHORT.as_bytes()).unwrap();
    bz.finish().unwrap();
    for name in ["a.pgn", "b.pgn.zst", "c.pgn.gz", "d.pgn.bz2"] {
        let report = workspace.json(&format!("index {name} --db {name}.db"));
        assert_eq!(report["games"], 1, "{name}");
    }
    // Together, three of the four are seen to be the first again.
    let report = workspace.json("index a.pgn b.pgn.zst c.pgn.gz d.pgn.bz2 --db db");
    assert_eq!(
        (&report["games"], &report["duplicates"]),
        (&json!(1), &json!(3))
    );
}

#[test]
fn standard_input_is_read() {
    let workspace = Workspace::new();
    let compressed = zstd::encode_all(OTHER.as_bytes(), 3).unwrap();
    for (text, name) in [(SHORT.as_bytes(), "plain"), (&compressed, "compressed")] {
        let report = workspace
            .run_with_input(&format!("index - --db {name} --json"), text)
            .succeed()
            .json();
        assert_eq!(report["games"], 1, "{name}");
    }
}

#[test]
fn folders_are_read_with_all_below_them() {
    let workspace = Workspace::new();
    workspace.write("folder/one.pgn", SHORT);
    workspace.write("folder/below/two.PGN", OTHER);
    workspace.write("folder/notes.txt", "no games");
    assert_eq!(workspace.json("index folder --db db")["games"], 2);
    std::fs::create_dir(workspace.path("empty")).unwrap();
    workspace
        .words("index empty --db db2")
        .fail(1, "holds no files of games");
    workspace
        .words("index nowhere.pgn --db db2")
        .fail(1, "nowhere.pgn");
}

#[cfg(unix)]
#[test]
fn links_lead_to_every_game_once_and_to_nothing_at_worst() {
    use std::os::unix::fs::symlink;
    let workspace = Workspace::new();
    workspace.write("folder/one.pgn", SHORT);
    for name in ["around", "around-again"] {
        symlink(".", workspace.path("folder").join(name)).unwrap();
    }
    let report = workspace.json("index folder --db db");
    assert_eq!(
        (&report["games"], &report["duplicates"]),
        (&1.into(), &0.into())
    );
    symlink("nowhere", workspace.path("folder/gone.pgn")).unwrap();
    workspace
        .words("index folder --db db2")
        .fail(1, "folder/gone.pgn");
    assert_eq!(workspace.json("stats --db db2")["games"], 1);
}

#[test]
fn lines_may_end_as_on_old_machines() {
    let workspace = Workspace::new();
    let games = format!("{SHORT}\n{OTHER}");
    workspace.write("old.pgn", games.replace('\n', "\r"));
    assert_eq!(workspace.json("index old.pgn --db db")["games"], 2);
}

#[test]
fn a_variation_that_never_ends_is_counted() {
    let workspace = Workspace::new();
    workspace.write(
        "cut.pgn",
        "1. e4 e5 (1... c5 2. Nf3) 2. Nf3 (2. d4 exd4 3. Qxd4 *\n",
    );
    workspace.words("index cut.pgn --db db --skip 0").succeed();
    assert!(
        workspace
            .read("db/import.log")
            .contains("a variation never ends")
    );
}

#[test]
fn a_manifest_that_names_the_wrong_file_costs_no_games() {
    let workspace = Workspace::with_games(SHORT);
    let manifest = workspace.read("db/manifest.json");
    workspace.write(
        "db/manifest.json",
        manifest.replace("segment-000001", "segment-000000"),
    );
    workspace.write("other.pgn", OTHER);
    workspace
        .words("index other.pgn --db db")
        .fail(1, "segment-000000.tabiya is missing");
    workspace.write("db/manifest.json", manifest);
    workspace.words("verify --db db").succeed();
}

#[test]
fn places_and_cores_that_make_no_sense_are_wrong_usage() {
    let workspace = Workspace::with_games(SHORT);
    for line in [
        "record --moves e4 --at 1",
        "record --moves e4 --game 2",
        "record --pgn games.pgn --game 0",
        "index games.pgn --db db --threads 0",
        "index games.pgn --db db --threads 65535",
        "search --moves e4 --db db --threads 65535",
    ] {
        assert_eq!(workspace.words(line).code, Some(2), "{line}");
    }
}

#[test]
fn the_historical_games_are_sound() {
    let workspace = Workspace::new();
    let folder = history().to_str().unwrap();
    let report = workspace
        .run(&["index", folder, "--db", "db", "--json"])
        .succeed()
        .json();
    let files = std::fs::read_dir(history()).unwrap().count();
    assert_eq!(report["games"], files);
    assert_eq!(
        (&report["skipped"], &report["cut_short"]),
        (&json!(0), &json!(0))
    );
}

#[test]
fn the_threads_do_not_change_the_collection() {
    let workspace = Workspace::new();
    let folder = history().to_str().unwrap();
    for threads in ["1", "3"] {
        workspace
            .run(&["index", folder, "--db", threads, "--threads", threads])
            .succeed();
    }
    // Names of files depend on who is faster; their order and bytes do not.
    let bytes = |db: &str| -> Vec<Vec<u8>> {
        let manifest = workspace.read(&format!("{db}/manifest.json"));
        let manifest: Value = serde_json::from_str(&manifest).unwrap();
        let segments = manifest["segments"].as_array().unwrap().iter();
        let names = segments.map(|it| it["name"].as_str().unwrap());
        names
            .map(|it| std::fs::read(workspace.path(db).join(it)).unwrap())
            .collect()
    };
    assert!(bytes("1") == bytes("3"));
}

#[test]
fn marks_and_line_ends_do_not_matter() {
    let plain = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1-0";
    check_moves(SHORT, plain);
    check_moves(format!("\u{feff}{SHORT}"), plain);
    check_moves(SHORT.replace('\n', "\r\n"), plain);
}

#[test]
fn careless_spellings_are_understood() {
    check_moves(
        "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0 0-0 *\n",
        "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O *",
    );
    for promotion in ["e8Q", "e8=Q", "e8(Q)", "e8/Q"] {
        check_moves(
            format!("[SetUp \"1\"]\n[FEN \"8/4P3/8/8/8/k7/8/K7 w - - 0 1\"]\n\n1. {promotion} *\n"),
            "1. e8=Q *",
        );
    }
}

#[test]
fn comments_glyphs_and_variations_are_kept() {
    let (workspace, report) = index(
        "1. e4! {best by test} e5 $1 (1... c5 2. Nf3 (2. c3 {(}) d6) ; to the end\n\
         2. Nf3 $14 (2. f4) Nc6 *\n",
    );
    let exported = workspace.words("export --db db").succeed().out;
    let kept = "1. e4 $1 {best by test} 1... e5 $1 (1... c5 2. Nf3 (2. c3 {(}) 2... d6) \
                { to the end} 2. Nf3 $14 (2. f4) 2... Nc6 *";
    assert_eq!(movetext(&exported), kept);
    assert_eq!(report["variations"], 3);
    assert_eq!(report["lost_notes"], 0);
}

#[test]
fn lines_with_a_percent_sign_are_passed_over() {
    check_moves(
        "% a remark\n1. e4 e5\n% another 2. d4\n2. Nf3 *\n",
        "1. e4 e5 2. Nf3 *",
    );
}

#[test]
fn null_moves_are_kept() {
    let (workspace, report) = index("1. e4 -- 2. d4 *\n");
    assert_eq!(
        (&report["games"], &report["positions"]),
        (&json!(1), &json!(4))
    );
    let exported = workspace.words("export --db db").succeed().out;
    assert!(movetext(&exported).contains("1. e4 -- 2. d4"), "{exported}");
}

#[test]
fn games_may_start_from_a_position() {
    let pgn = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]\n\n7... Kd7 8. e4 *\n";
    let (workspace, report) = index(pgn);
    assert_eq!(
        (&report["games"], &report["positions"]),
        (&json!(1), &json!(3))
    );
    let exported = workspace.words("export --db db").succeed().out;
    assert!(exported.contains("[SetUp \"1\"]"), "{exported}");
    assert!(exported.contains("[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]"));
    assert_eq!(movetext(&exported), "7... Kd7 8. e4 *");
}

#[test]
fn latin_1_names_are_understood() {
    let (workspace, _) = index(b"[White \"M\xfcller\"]\n[Black \"B\"]\n\n1. e4 *\n");
    let exported = workspace.words("export --db db").succeed().out;
    assert!(exported.contains("[White \"Müller\"]"), "{exported}");
}

#[test]
fn missing_tags_are_no_obstacle() {
    let (workspace, report) = index("1. e4 e5 *\n");
    assert_eq!(report["games"], 1);
    let exported = workspace.words("export --db db").succeed().out;
    assert!(exported.starts_with("[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n"));
}

#[test]
fn results_that_disagree_are_counted() {
    let (workspace, report) = index(SHORT.replace("Be7 1-0", "Be7 0-1"));
    assert_eq!(report["disagreeing_results"], 1);
    let exported = workspace.words("export --db db").succeed().out;
    assert!(exported.contains("[Result \"1-0\"]"), "{exported}");
}

#[test]
fn variants_are_refused_and_counted() {
    let variant = "[White \"Eve\"]\n[Black \"Finn\"]\n[Variant \"Atomic\"]\n\n1. e4 e5 *\n\n";
    let shuffled = "[White \"Gus\"]\n[Black \"Hana\"]\n\
        [FEN \"bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1\"]\n\n1. e4 *\n\n";
    let (workspace, report) = index([variant, SHORT, shuffled].concat());
    assert_eq!(
        (&report["games"], &report["variants"], &report["skipped"]),
        (&json!(1), &json!(2), &json!(2)),
        "{report}"
    );
    let log = workspace.read("db/import.log");
    assert!(
        log.contains("games.pgn:1: Eve - Finn: variant Atomic"),
        "{log}"
    );
    assert!(log.contains("Gus - Hana: variant Chess960"), "{log}");
}

#[test]
fn duplicates_are_recognized_within_and_against() {
    let (workspace, report) = index([SHORT, OTHER, SHORT].concat());
    assert_eq!(
        (&report["games"], &report["duplicates"]),
        (&json!(2), &json!(1))
    );
    // Other players make it another game; another event does not.
    let renamed = SHORT.replace("Anna", "Ada");
    let elsewhere = format!("[Event \"Elsewhere\"]\n{SHORT}");
    workspace.write("more.pgn", [OTHER, &renamed, &elsewhere].concat());
    let report = workspace.json("index more.pgn --db db");
    assert_eq!(
        (&report["games"], &report["duplicates"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(workspace.json("stats --db db")["games"], 3);
}

#[test]
fn a_bad_game_keeps_its_sound_part() {
    let bad = SHORT.replace("4. Ba4", "4. Bb8");
    let (workspace, report) = index([OTHER, &bad].concat());
    assert_eq!(
        (&report["games"], &report["cut_short"]),
        (&json!(2), &json!(1))
    );
    let expected = "games.pgn:7: Anna - Bert: illegal move 4. Bb8 (kept up to there)";
    assert_eq!(report["problems"], json!([expected]));
    assert_eq!(workspace.read("db/import.log"), format!("{expected}\n"));
    let exported = workspace
        .words("export --db db --player Anna")
        .succeed()
        .out;
    assert!(movetext(&exported).starts_with("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"));
    assert!(!exported.contains("4."), "{exported}");
}

#[test]
fn a_bad_game_without_indexed_position_is_left_out() {
    let workspace = Workspace::new();
    let bad = SHORT.replace("4. Ba4", "4. what");
    workspace.write("games.pgn", [bad.as_str(), OTHER].concat());
    let report = workspace
        .words("index games.pgn --db db --skip 24")
        .succeed();
    let expected = "games.pgn:1: Anna - Bert: cannot read \"what\" at move 4. (left out)";
    assert!(report.err.contains(expected), "{}", report.err);
    assert!(workspace.read("db/import.log").contains(expected));
    assert_eq!(workspace.json("stats --db db")["games"], 1);
}

#[test]
fn twenty_problems_are_shown_and_all_are_logged() {
    let bad =
        |number: usize| format!("[White \"Player {number}\"]\n[Black \"Other\"]\n\n1. e5 e5 *\n\n");
    let workspace = Workspace::new();
    workspace.write("games.pgn", (0..30).map(bad).collect::<String>());
    let report = workspace.words("index games.pgn --db db").succeed();
    let shown = report.err.lines().filter(|it| it.contains("illegal move"));
    assert_eq!(shown.count(), 20);
    assert!(
        report.err.contains("db/import.log lists all 30"),
        "{}",
        report.err
    );
    assert_eq!(workspace.read("db/import.log").lines().count(), 30);
}

#[test]
fn a_truncated_file_is_reported_and_fails() {
    let workspace = Workspace::new();
    let whole = std::fs::read(sample()).unwrap();
    workspace.write("cut.pgn.zst", &whole[..whole.len() / 2]);
    let report = workspace
        .words("index cut.pgn.zst --db db --json")
        .fail(1, "could not be read to the end");
    let report = report.json();
    assert!(
        report["games"].as_u64().unwrap() > 100,
        "{}",
        report["games"]
    );
    assert_eq!(report["failed_files"][0][0], "cut.pgn.zst");
    workspace.words("verify --db db").succeed();
}

#[cfg(unix)]
#[test]
fn a_pipe_without_a_writer_is_named_and_can_be_left() {
    use std::{
        io::{BufRead, BufReader, Read},
        process::{Command, Stdio},
    };
    let workspace = Workspace::new();
    let made = Command::new("mkfifo").arg(workspace.path("pipe")).status();
    assert!(made.unwrap().success());
    let mut command = workspace.command();
    command.args(["index", "pipe", "--db", "db"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut messages = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    messages.read_line(&mut line).unwrap();
    assert!(line.contains("waiting for a writer of pipe"), "{line}");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let id = child.id().to_string();
    let told = Command::new("kill").args(["-INT", &id]).status();
    assert!(told.unwrap().success());
    messages.read_to_string(&mut line).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{line}");
    assert!(line.contains("stopped early"), "{line}");
}
