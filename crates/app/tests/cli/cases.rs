//! Cases: what was replied to a move in positions like this one.

use crate::workspace::Workspace;

const SPANISH: &str = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";

fn games() -> Workspace {
    Workspace::with_games(
        "[White \"Anna\"]\n[Black \"Bert\"]\n[Date \"1974.01.01\"]\n[Result \"1-0\"]\n\n\
         1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 1-0\n\n\
         [White \"Carla\"]\n[Black \"Dov\"]\n[Result \"0-1\"]\n\n\
         1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 0-1\n\n\
         [White \"Eva\"]\n[Black \"Finn\"]\n[Source \"self\"]\n[Result \"1/2-1/2\"]\n\n\
         1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. d3 1/2-1/2\n\n\
         [White \"Gus\"]\n[Black \"Hal\"]\n[Result \"0-1\"]\n\n\
         1. e4 c5 2. Bb5 a6 3. Ba4 0-1\n",
    )
}

#[test]
fn a_move_and_a_position_recall_what_was_replied() {
    let workspace = games();
    let arguments = [
        "cases",
        SPANISH,
        "--last-move",
        "f1b5",
        "--db",
        "db",
        "--json",
    ];
    let report = workspace.run(&arguments).succeed().json();
    assert_eq!(report["actions"], serde_json::json!(["Bb5", "Bxb5"]));
    assert_eq!(report["count"], 4);
    let replies = &report["reactions"];
    assert_eq!(
        (&replies[0]["san"], &replies[0]["cases"]),
        (&"a6".into(), &3.into())
    );
    assert_eq!(
        (&replies[0]["won"], &replies[0]["lost"]),
        (&2.into(), &1.into())
    );
    assert_eq!(
        (&replies[1]["uci"], &replies[1]["drawn"]),
        (&"g8f6".into(), &1.into())
    );
    assert_eq!(report["cases"][0]["similarity"], 1.0);
    assert_eq!(report["cases"][0]["game"]["white"], "Anna");
    let sources: Vec<_> = (0..4).map(|it| &report["cases"][it]["source"]).collect();
    assert_eq!(sources, ["archive", "archive", "self", "archive"]);
    let last = report["cases"][3]["similarity"].as_f64().unwrap();
    assert!((0.4..0.9).contains(&last), "{last}");
}

#[test]
fn moves_and_files_include_the_last_move() {
    let workspace = games();
    for (line, count) in [
        (
            vec!["--moves", "1.e4 e5 2.Nf3 Nc6 3.Bb5", "--threshold", "0.99"],
            3,
        ),
        (
            vec!["--pgn", "games.pgn", "--at", "5", "--threshold", "0.99"],
            3,
        ),
        (
            vec!["--pgn", "games.pgn", "--at", "5", "--source", "self"],
            1,
        ),
        (vec![SPANISH, "--last-move", "Bb5"], 4),
        (vec![SPANISH, "--last-move", "Bxb5"], 0),
    ] {
        let arguments = [&["cases", "--db", "db", "--json"], &line[..]].concat();
        assert_eq!(
            workspace.run(&arguments).succeed().json()["count"],
            count,
            "{line:?}"
        );
    }
}

#[test]
fn the_table_reads_well() {
    let workspace = games();
    let text = workspace
        .run(&["cases", SPANISH, "--last-move", "Bb5", "--db", "db"])
        .succeed()
        .out;
    assert!(
        text.starts_with("4 cases of Bb5 at least 40 % alike"),
        "{text}"
    );
    assert!(
        text.contains("Anna – Bert  1-0  3...a6, 1974, game 1"),
        "{text}"
    );
    let none = workspace
        .run(&["cases", SPANISH, "--last-move", "Bxb5", "--db", "db"])
        .succeed()
        .out;
    assert!(none.contains("lower --threshold"), "{none}");
}

#[test]
fn wrong_questions_are_answered_with_advice() {
    let workspace = games();
    for (line, words) in [
        (vec![SPANISH], "--last-move"),
        (
            vec![SPANISH, "--last-move", "e7e5"],
            "White has no piece on e5",
        ),
        (vec![SPANISH, "--last-move", "b5f1"], "no piece on f1"),
        (
            vec![SPANISH, "--last-move", "d4"],
            "White has no pawn on d4",
        ),
        (
            vec![SPANISH, "--last-move", "O-O"],
            "where castling puts them",
        ),
        (vec![SPANISH, "--last-move", "a1b5"], "a1 is not empty"),
        (vec![SPANISH, "--last-move", "b1b5"], "b1 is not empty"),
        (
            vec![SPANISH, "--last-move", "b6b5"],
            "no bishop can have reached",
        ),
        (
            vec![SPANISH, "--last-move", "f1b5q"],
            "no pawn can have promoted",
        ),
        (
            vec![SPANISH, "--last-move", "quickly"],
            "write it as e7e5 or Nxe5",
        ),
        (
            vec![SPANISH, "--last-move", "Bb5", "--threshold", "4"],
            "a number from 0 to 1",
        ),
    ] {
        let arguments = [&["cases", "--db", "db"], &line[..]].concat();
        workspace.run(&arguments).fail(2, words);
    }
    workspace
        .run(&["cases", "--moves", "", "--db", "db"])
        .fail(2, "--last-move");
}

#[test]
fn own_games_are_exported_and_forgotten() {
    let workspace = games();
    let text = workspace
        .words("export --db db --source self")
        .succeed()
        .out;
    assert!(text.contains("Eva") && !text.contains("Anna"), "{text}");
    workspace.words("forget --db db").fail(2, "--source self");
    assert_eq!(workspace.json("forget --db db --source self")["games"], 1);
    assert_eq!(
        workspace
            .words("export --db db --source self")
            .succeed()
            .out,
        ""
    );
    let left = workspace.words("export --db db").succeed().out;
    assert!(left.contains("Anna") && !left.contains("Eva"), "{left}");
    workspace.words("verify --db db").succeed();
    let report = workspace
        .words("forget --db db --source self")
        .succeed()
        .out;
    assert!(report.starts_with("0 games removed"), "{report}");
}

#[test]
fn the_engine_says_why_it_plays_a_move() {
    let workspace = games();
    let line = [
        "play",
        "--moves",
        "1.e4 e5 2.Nf3 Nc6 3.Bb5",
        "--db",
        "db",
        "--nodes",
        "3000",
    ];
    let restricted = [&line[..], &["--mode", "restrict", "--json"]].concat();
    let report = workspace.run(&restricted).succeed().json();
    assert!(
        ["a6", "Nf6"].contains(&report["san"].as_str().unwrap()),
        "{report}"
    );
    assert_eq!(
        (&report["memory"]["cases"], &report["memory"]["overruled"]),
        (&4.into(), &false.into())
    );
    assert!(
        report["memory"]["because"]
            .as_str()
            .unwrap()
            .contains("of 4 cases"),
        "{report}"
    );
    assert_eq!(report["memory"]["remembered"][0]["san"], "a6");
    let text = workspace
        .run(&[&line[..], &["--explain"]].concat())
        .succeed()
        .out;
    assert!(text.contains("games with this position"), "{text}");
    let alone = [&line[..], &["--without-cases", "--json"]].concat();
    let report = workspace.run(&alone).succeed().json();
    assert_eq!(
        (&report["memory"]["cases"], &report["memory"]["because"]),
        (&0.into(), &serde_json::Value::Null)
    );
}

#[test]
fn a_game_in_the_terminal_is_retained() {
    let workspace = games();
    let moves = b"e2e4\nrubbish\nNf3\nback\nNf3\nd2d3\ng2g3\nBg2\na2a4\nh2h4\nquit\n";
    let ran = workspace.run_with_input("play --interactive --retain --db db --nodes 300", moves);
    let text = ran.succeed().out;
    assert!(
        text.contains("\"rubbish\" is not a legal move here"),
        "{text}"
    );
    assert!(text.ends_with("retained 1 game\n"), "{text}");
    let own = workspace
        .words("export --db db --source self")
        .succeed()
        .out;
    assert!(
        own.contains("[Black \"Tabiya\"]") && own.contains("[Source \"self\"]"),
        "{own}"
    );
    workspace.words("verify --db db").succeed();
}

#[test]
fn a_game_in_the_terminal_survives_bad_bytes_and_ends_by_resigning() {
    let workspace = games();
    let moves = b"e2e4\nd2d3\n\xff\xfe\ng2g3\nBg2\na2a4\nh2h4\nresign\n";
    let ran = workspace.run_with_input("play --interactive --retain --db db --nodes 300", moves);
    let text = ran.succeed().out;
    assert!(text.contains("is not a legal move here"), "{text}");
    assert!(text.ends_with("retained 1 game\n"), "{text}");
    let own = workspace
        .words("export --db db --source self")
        .succeed()
        .out;
    let retained = own.split("[Black \"Tabiya\"]").nth(1).unwrap();
    assert!(retained.contains("[Result \"0-1\"]"), "{own}");
}

#[test]
fn a_game_in_the_terminal_is_safe_when_somebody_else_writes() {
    let workspace = games();
    let lock = std::fs::File::create(workspace.path("db/lock")).unwrap();
    lock.lock().unwrap();
    let moves = b"e2e4\nd2d3\ng2g3\nBg2\na2a4\nh2h4\nquit\n";
    let ran = workspace.run_with_input("play --interactive --retain --db db --nodes 300", moves);
    ran.fail(1, "add it with: tabiya index");
    drop(lock);
    let file = workspace.path("db-retained.pgn");
    let report = workspace.words(&format!("index {} --db db", file.display()));
    report.succeed();
    let own = workspace
        .words("export --db db --source self")
        .succeed()
        .out;
    assert!(own.contains("[Black \"Tabiya\"]"), "{own}");
}

#[test]
fn a_game_that_is_over_has_no_move() {
    let workspace = games();
    let mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
    let text = workspace
        .run(&["play", mated, "--db", "db", "--nodes", "10"])
        .succeed()
        .out;
    assert_eq!(text, "the game is over\n");
    workspace.words("play --retain").fail(2, "--interactive");
    workspace
        .words("play --threshold 7")
        .fail(2, "a number from 0 to 1");
    for time in ["nan", "inf", "-1", "0.5"] {
        workspace
            .words(&format!("play --movetime={time}"))
            .fail(2, "--movetime");
    }
}
