//! Contests between programs, some of which misbehave.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use crate::workspace::Workspace;

/// A program that gets ready, and does something of its own when asked for a
/// move.
fn program(workspace: &Workspace, name: &str, on_go: &str) -> String {
    let script = format!(
        "#!/bin/sh\nwhile read word rest; do case $word in\n\
         uci) echo option name UCI_LimitStrength type check; echo option name UCI_Elo type spin; echo uciok;;\nisready) echo readyok;;\nquit) exit 0;;\ngo) {on_go};;\nesac; done\n"
    );
    let path = workspace.write(name, script);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

fn own() -> String {
    format!(
        "{} uci;name=own;go=nodes:100",
        env!("CARGO_BIN_EXE_tabiya-lab")
    )
}

#[test]
fn a_program_that_misbehaves_forfeits_and_the_contest_continues() {
    let workspace = Workspace::new();
    for (name, on_go, reason) in [
        ("crash", "exit 1", "the program ended"),
        ("hang", "sleep 60", "no answer in time"),
        ("cheat", "echo bestmove a1a8", "illegal move a1a8"),
        ("babble", "echo bestmove", "no answer in time"),
    ] {
        let other = format!(
            "{};name={name};go=nodes:1",
            program(&workspace, name, on_go)
        );
        let pgn = format!("{name}.pgn");
        let report = workspace
            .run(&[
                "contest",
                "--engine",
                &own(),
                "--engine",
                &other,
                "--games",
                "2",
                "--guard",
                "1",
                "--pgn",
                &pgn,
                "--json",
            ])
            .succeed()
            .json();
        assert_eq!(
            report["counts"],
            serde_json::json!([2, 0, 0]),
            "{name}: {report}"
        );
        assert_eq!(
            report["forfeits"],
            serde_json::json!([0, 2]),
            "{name}: {report}"
        );
        assert!(
            workspace
                .read(&pgn)
                .contains(&format!("forfeits: {reason}")),
            "{name}"
        );
    }
}

#[test]
fn a_contest_goes_on_where_it_stopped() {
    let workspace = Workspace::new();
    let other = own().replace("own", "twin");
    let run = |games: &str| {
        let own = own();
        let arguments = [
            "contest",
            "--engine",
            &own,
            "--engine",
            &other,
            "--games",
            games,
            "--pgn",
            "games.pgn",
            "--json",
        ];
        workspace.run(&arguments).succeed().json()
    };
    run("4");
    // As if the second of two games at once had ended first.
    let text = workspace.read("games.pgn");
    let games: Vec<&str> = text.split("[Event ").skip(1).collect();
    let kept = format!("[Event {}[Event {}", games[1], games[3]);
    workspace.write("games.pgn", kept);
    let report = run("4");
    let counts = report["counts"].as_array().unwrap();
    assert_eq!(counts.iter().filter_map(|it| it.as_u64()).sum::<u64>(), 4);
    let text = workspace.read("games.pgn");
    for round in 1..=4 {
        assert_eq!(
            text.matches(&format!("[Round \"{round}\"]")).count(),
            1,
            "{round}"
        );
    }
    let pairs = report["pairs"].as_array().unwrap();
    assert_eq!(pairs.iter().filter_map(|it| it.as_u64()).sum::<u64>(), 2);
    // Nothing is left to play, so nobody is started.
    assert_eq!(run("4"), report);
    workspace.write("games.pgn", text.replace("twin", "stranger"));
    let own = own();
    workspace
        .run(&[
            "contest",
            "--engine",
            &own,
            "--engine",
            &other,
            "--pgn",
            "games.pgn",
        ])
        .fail(1, "holds games of other players");
}

#[test]
fn a_program_that_is_not_there_ends_the_contest() {
    let workspace = Workspace::new();
    workspace
        .run(&["contest", "--engine", &own(), "--engine", "no-such-program"])
        .fail(1, "cannot start: no-such-program");
}

#[test]
fn the_papers_experiment_is_played_cell_by_cell() {
    let workspace = Workspace::with_games("1. e4 e5 2. Nf3 Nc6 *\n");
    let line = format!(
        "abr --db db --work abr --games 2 --tc nodes:60 --only standard,both-0.4 --opponent {}",
        program(&workspace, "crash", "exit 1")
    );
    let report = workspace.json(&line);
    assert_eq!(report["rows"][1]["version"], "both-0.4");
    assert_eq!(
        report["rows"][0]["counts"],
        serde_json::json!([[2, 0, 0], [2, 0, 0], [2, 0, 0], [2, 0, 0]])
    );
    assert!(workspace.path("abr/both-0.4-2500.pgn").exists());
    let text = workspace
        .words(&line.replace("--games 2", "--games 0"))
        .succeed()
        .out;
    assert!(text.contains("| both-0.4 | 2-0-0 [38-44-118] |"), "{text}");
    workspace
        .words(&line.replace("standard,", "imaginary,"))
        .fail(1, "no version has the name \"imaginary\"");
}

#[test]
fn a_level_is_asked_about_games_of_its_rating() {
    let game = |line: &str| {
        format!("[WhiteElo \"2350\"]\n[BlackElo \"2450\"]\n\n1. e4 e5 2. Nf3 {line} *\n\n")
    };
    let known: String = ["a3", "a4", "b3", "c3", "d3", "d4", "h3", "g3"]
        .iter()
        .map(|it| game(&format!("f6 3. {it}")))
        .collect();
    let workspace = Workspace::with_games(&known);
    workspace.write("other.pgn", game("f6 3. Bc4") + &game("f6 3. Be2"));
    let line = "like-a-level other.pgn --db db --levels 2400 --positions 1 --first-ply 3";
    let report = workspace.json(line);
    assert_eq!(report[0]["positions"], 1);
    assert_eq!(report[0]["known"], 1);
    workspace
        .words(&line.replace("2400", "2000"))
        .fail(1, "only 0 games qualify");
}

#[test]
fn like_a_master_observes_each_position_once() {
    let workspace = Workspace::with_games(
        "[WhiteElo \"2600\"]\n[BlackElo \"2600\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 *\n",
    );
    let mut text = String::new();
    for (white, black) in [
        ("d4", "d5"),
        ("c4", "c5"),
        ("Nf3", "Nf6"),
        ("g3", "g6"),
        ("b3", "b6"),
    ] {
        text += &format!(
            "[WhiteElo \"2600\"]\n[BlackElo \"2600\"]\n\n1. e4 e5 2. {white} {black} *\n\n"
        );
    }
    workspace.write("other.pgn", text);
    let line =
        "like-a-master other.pgn --db db --positions 5 --nodes 200 --first-ply 2 --work seen.jsonl";
    let report = workspace.json(line);
    let players: Vec<_> = (0..3)
        .map(|it| report["reports"][it]["player"].as_str().unwrap())
        .collect();
    assert_eq!(players, ["library alone", "search alone", "both"]);
    assert_eq!(report["reports"][0]["all"]["positions"], 5);
    let seen = workspace.read("seen.jsonl");
    assert_eq!(seen.lines().count(), 6);
    // What is observed is not observed again, even if the last line was cut off.
    workspace.write("seen.jsonl", &seen[..seen.len() - 20]);
    assert_eq!(workspace.json(line), report);
    workspace
        .words(&line.replace("--nodes 200", "--nodes 300"))
        .fail(1, "under other conditions");
    workspace
        .words(
            &line
                .replace("--positions 5", "--positions 30")
                .replace("--work seen.jsonl", ""),
        )
        .fail(1, "only 5 games qualify");
    for wrong in [
        "--threshold 7",
        "--threshold nan",
        "--threshold -1",
        "--folds 0",
        "--folds 1",
    ] {
        workspace
            .words(&format!("{line} {wrong}"))
            .fail(2, wrong.split(' ').next().unwrap());
    }
    // Weaker players have games, too.
    workspace.write(
        "weak.pgn",
        workspace.read("other.pgn").replace("2600", "1400"),
    );
    let line = line
        .replace("other.pgn", "weak.pgn")
        .replace("--work seen.jsonl", "");
    workspace.words(&line).fail(1, "only 0 games qualify");
    let report = workspace.json(&format!("{line} --elo 1300"));
    assert_eq!(report["reports"][0]["all"]["positions"], 5);
}

#[test]
fn openings_that_are_cut_to_the_same_moves_count_once() {
    let workspace = Workspace::new();
    workspace.write("openings.txt", "e4 e5 Nf3\ne4 e5 Bc4\nd4 d5\n");
    let (one, two) = (own(), own().replace("name=own", "name=other"));
    workspace
        .run(&[
            "contest",
            "--engine",
            &one,
            "--engine",
            &two,
            "--games",
            "4",
            "--openings",
            "openings.txt",
            "--opening-plies",
            "2",
            "--pgn",
            "games.pgn",
        ])
        .succeed();
    let text = std::fs::read_to_string(workspace.path("games.pgn")).unwrap();
    let begin = |moves: &str| text.matches(moves).count();
    assert_eq!((begin("1. e4 e5"), begin("1. d4 d5")), (2, 2), "{text}");
}

#[test]
fn a_sequential_test_takes_two_differences() {
    let workspace = Workspace::new();
    let other = format!(
        "{};name=cheat;go=nodes:1",
        program(&workspace, "cheat", "echo bestmove a1a8")
    );
    let run = |sprt: &str| {
        workspace.run(&[
            "contest",
            "--engine",
            &own(),
            "--engine",
            &other,
            "--games",
            "40",
            "--sprt",
            sprt,
            "--json",
        ])
    };
    for wrong in ["0", "10,0", "0,nan", "0,inf", "5,5", "0,5,10", "a,b"] {
        run(wrong).fail(2, "the lower one first");
    }
    run("-10,0").succeed();
    // A program that wins every pair is soon the stronger one.
    let report = run("0,10").succeed().json();
    assert!(
        report["likelihood_ratio"].as_f64().unwrap() > 2.9,
        "{report}"
    );
    assert!(report["counts"][0].as_u64().unwrap() < 30, "{report}");
}

#[test]
fn one_game_is_not_a_pair_and_gives_no_elo() {
    let workspace = Workspace::new();
    let other = program(&workspace, "cheat", "echo bestmove a1a8") + ";go=nodes:1";
    let run = |games: &str| {
        let own = own();
        let line = ["contest", "--engine", &own, "--engine", &other];
        workspace
            .run(&[&line[..], &["--games", games]].concat())
            .succeed()
    };
    let one = run("1");
    assert!(one.err.contains("(100.0 %), Elo -, forfeits"), "{one:?}");
    assert!(one.out.contains("Elo -, pairs [0, 0, 0, 0, 0]"), "{one:?}");
    let two = run("2");
    assert!(two.out.contains("Elo +2400.0 ["), "{two:?}");
    assert!(!two.out.contains("[+2400"), "{two:?}");
}

#[test]
fn clocks_of_more_than_a_day_are_wrong_usage() {
    let workspace = Workspace::new();
    let (one, day) = (own(), own().replace("nodes:100", "1e19"));
    let run = |other: &str, more: &[&str]| {
        let line = ["contest", "--engine", &one, "--engine", other];
        workspace.run(&[&line[..], more].concat())
    };
    for guard in ["18446744073709551615", "86401", "0", "-1"] {
        run(&one, &[&format!("--guard={guard}")]).fail(2, "--guard");
    }
    for tc in ["1e19", "inf", "nan", "-1", "1+1e19", "soon"] {
        run(&one, &[&format!("--tc={tc}")]).fail(2, "at most a day");
    }
    run(&day, &[]).fail(2, "at most a day");
}

#[test]
fn remarks_on_options_are_printed_once() {
    let workspace = Workspace::new();
    let one = own() + ";Collection=/nowhere;hash=abc";
    let two = own().replace("name=own", "name=other");
    let run = |one: &str| {
        let line = ["contest", "--engine", one, "--engine", &two];
        let more = ["--games", "4", "--concurrency", "2", "--json"];
        workspace.run(&[&line[..], &more].concat())
    };
    let report = run(&one).succeed();
    for words in [
        "own: playing without a library: /nowhere",
        "own: \"abc\" is not a number",
    ] {
        assert_eq!(report.err.matches(words).count(), 1, "{report:?}");
    }
    assert!(!report.err.contains("other:"), "{report:?}");
    run(&(own() + ";Hsah=16")).fail(1, "own has no option \"Hsah\"; there are Hash, Threads");
    let bare = program(&workspace, "crash", "exit 1") + ";name=bare;Hash=16";
    run(&bare).fail(
        1,
        "bare has no option \"Hash\"; there are UCI_LimitStrength, UCI_Elo",
    );
}

#[test]
fn a_program_may_take_its_time_to_end() {
    let workspace = Workspace::new();
    let script = program(&workspace, "slow", "echo bestmove a1a8");
    let text = workspace
        .read("slow")
        .replace("exit 0", "sleep 1; echo kept > kept; exit 0");
    std::fs::write(&script, text).unwrap();
    let other = script + ";go=nodes:1";
    let own = own();
    let line = ["contest", "--engine", &own, "--engine", &other];
    workspace
        .run(&[&line[..], &["--games", "1"]].concat())
        .succeed();
    assert_eq!(workspace.read("kept"), "kept\n");
}

#[test]
fn openings_that_are_not_moves_are_refused() {
    let workspace = Workspace::new();
    let own = own();
    for (text, words) in [
        ("d4 d5\n\ne4 e5 Ke3\n", "openings.txt: line 3: \"Ke3\""),
        ("garbage\n", "openings.txt: line 1: \"garbage\""),
        (
            "eco\tmoves\nA00\te4\nA01\n",
            "openings.txt: line 3: the column of moves is missing",
        ),
        ("\n", "no openings in"),
    ] {
        workspace.write("openings.txt", text);
        let other = format!("{own};name=other");
        let line = ["contest", "--engine", &own, "--engine", &other];
        workspace
            .run(&[&line[..], &["--openings", "openings.txt"]].concat())
            .fail(1, words);
    }
    workspace
        .run(&["contest", "--engine", &own, "--engine", &own])
        .fail(1, "give one another with ;name=");
}
