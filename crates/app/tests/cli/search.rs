//! Searching: the shapes of answers, queries given in every way, filters,
//! symmetries, and positions that are refused.

use std::fs;

use serde_json::Value;

use crate::{
    program::history,
    workspace::{Ran, Workspace, historical_files},
};

/// The query of the README.
const QUERY: &str = "r1b2rk1/pp3ppp/2n1pn2/q1bp4/2P2B2/P1N1PN2/1PQ2PPP/3RKB1R w K - 1 11";

fn hits(answer: &Value) -> &[Value] {
    answer["hits"].as_array().unwrap()
}

fn games(answer: &Value) -> Vec<u64> {
    let ids = hits(answer).iter().map(|it| it["game"]["id"].as_u64());
    ids.map(Option::unwrap).collect()
}

#[test]
fn the_sample_is_searched_without_any_preparation() {
    let workspace = Workspace::new();
    let first = workspace.run(&["search", QUERY]).succeed();
    for words in ["hit 1", "hit 10", "What was played", "attacks", "games,"] {
        assert!(first.out.contains(words), "{words}: {}", first.out);
    }
    assert!(!first.out.contains('\x1b'), "no colors outside a terminal");
    assert!(workspace.path("cache/tabiya").is_dir());
    // The second time finds it there, and answers the same.
    let again = workspace.run(&["search", QUERY, "--json"]).succeed().json();
    assert!(again["collection"]["games"].as_u64().unwrap() >= 15_000);
    let stats = workspace.json("stats");
    assert_eq!(stats["games"], again["collection"]["games"]);
    // It also works without a writable home.
    let mut homeless = workspace.command();
    homeless
        .args(["search", QUERY, "--json"])
        .env("XDG_CACHE_HOME", "/dev/null/cache")
        .env("TMPDIR", workspace.path("tmp"));
    let homeless = Ran::new(homeless.output().unwrap()).succeed().json();
    assert_eq!(homeless["hits"], again["hits"]);
}

#[test]
fn a_damaged_sample_is_rebuilt() {
    let workspace = Workspace::new();
    let search = || workspace.run(&["search", QUERY, "--json"]).succeed().json();
    let hits = search()["hits"].clone();
    let cache = fs::read_dir(workspace.path("cache/tabiya")).unwrap();
    let sample = cache.last().unwrap().unwrap().path();
    let segment = sample.join("segment-000001.tabiya");
    let sound = fs::read(&segment).unwrap();
    let mut damaged = sound.clone();
    damaged[sound.len() / 2] ^= 1;
    for broken in [&damaged[..], &sound[..1_000]] {
        fs::write(&segment, broken).unwrap();
        assert_eq!(search()["hits"], hits);
        assert!(fs::read(&segment).unwrap() != broken);
    }
    fs::remove_file(&segment).unwrap();
    assert_eq!(search()["hits"], hits);
}

/// Whether a value has the type that a field should have.
type IsType = fn(&Value) -> bool;

/// Checks that a value has just these fields, each of which fits.
#[track_caller]
fn check_fields(value: &Value, required: &[(&str, IsType)]) {
    for (name, fits) in required {
        assert!(fits(&value[name]), "{name} in {value}");
    }
}

#[test]
fn answers_have_the_promised_shape() {
    let workspace = Workspace::with_history();
    let answer = workspace.search(QUERY, "--symmetry all");
    let number_or_nothing = |it: &Value| it.is_u64() || it.is_null();
    check_fields(
        &answer,
        &[
            ("query", Value::is_object),
            ("collection", Value::is_object),
            ("took_ms", Value::is_f64),
            ("hits", Value::is_array),
            ("moves", Value::is_array),
        ],
    );
    assert_eq!(answer["query"]["fen"], QUERY);
    check_fields(
        &answer["collection"],
        &[("games", Value::is_u64), ("positions", Value::is_u64)],
    );
    assert_eq!(hits(&answer).len(), 10);
    for (rank, hit) in (1..).zip(hits(&answer)) {
        assert_eq!(hit["rank"], rank);
        check_fields(
            hit,
            &[
                ("score", Value::is_f64),
                ("similarity", |it| {
                    it.as_f64().is_some_and(|it| (0.0..=1.0).contains(&it))
                }),
                ("symmetry", |it| {
                    matches!(it.as_str(), Some("none" | "mirror" | "swap" | "both"))
                }),
                ("fen", Value::is_string),
                ("turned_fen", Value::is_string),
                ("ply", Value::is_u64),
                ("next", |it| {
                    it.as_array().unwrap().iter().all(Value::is_string)
                }),
            ],
        );
        check_fields(
            &hit["game"],
            &[
                ("id", Value::is_u64),
                ("white", Value::is_string),
                ("black", Value::is_string),
                ("white_elo", number_or_nothing),
                ("black_elo", number_or_nothing),
                ("event", Value::is_string),
                ("site", Value::is_string),
                ("date", Value::is_string),
                ("round", Value::is_string),
                ("result", Value::is_string),
                ("eco", Value::is_string),
            ],
        );
        let families = ["place", "reach", "attack", "defence", "ray"];
        let shares = families.map(|it| hit["families"][it].as_f64().unwrap());
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{hit}");
    }
    for row in answer["moves"].as_array().unwrap() {
        check_fields(
            row,
            &[
                ("uci", Value::is_string),
                ("san", Value::is_string),
                ("games", Value::is_u64),
                ("white", Value::is_u64),
                ("draws", Value::is_u64),
                ("black", Value::is_u64),
                ("weight", Value::is_f64),
                ("average_elo", number_or_nothing),
            ],
        );
    }
}

#[test]
fn hits_are_distinct_games_best_first() {
    let workspace = Workspace::with_history();
    let answer = workspace.search(QUERY, "--top 1000");
    let scores: Vec<f64> = hits(&answer)
        .iter()
        .map(|it| it["similarity"].as_f64().unwrap())
        .collect();
    assert!(scores.len() > 50 && scores.is_sorted_by(|a, b| a >= b));
    assert!(scores.iter().all(|it| (0.0..=1.0).contains(it)));
    let mut games = games(&answer);
    games.sort_unstable();
    games.dedup();
    assert_eq!(games.len(), scores.len());
    // Fewer are the first of more.
    let few = workspace.search(QUERY, "--top 3");
    assert_eq!(hits(&few), &hits(&answer)[..3]);
    assert_eq!(hits(&workspace.search(QUERY, "--top 0")).len(), 0);
}

#[test]
fn a_position_of_a_game_finds_itself() {
    let workspace = Workspace::with_history();
    let pgn = history().join("kasparov-topalov-1999.pgn");
    let pgn = pgn.to_str().unwrap();
    let command = ["search", "--pgn", pgn, "--at", "46", "--db", "db", "--json"];
    let answer = workspace.run(&command).succeed().json();
    let best = &hits(&answer)[0];
    assert_eq!(best["similarity"], 1.0);
    assert_eq!(
        (&best["ply"], &best["symmetry"]),
        (&46.into(), &"none".into())
    );
    assert_eq!(best["game"]["white"], "Kasparov, Garry");
    assert_eq!(best["fen"], answer["query"]["fen"]);
    assert_eq!(best["next"][0], answer["moves"][0]["san"]);
    // Its own game may be left out.
    let id = best["game"]["id"].to_string();
    let without = [&command[..], &["--exclude-game", &id]].concat();
    let without = workspace.run(&without).succeed().json();
    assert_eq!(
        games(&without)[..5],
        games(
            &workspace
                .run(&[&command[..], &["--top", "6"]].concat())
                .succeed()
                .json()
        )[1..]
    );
}

#[test]
fn positions_are_given_by_moves_or_by_a_file() {
    let workspace = Workspace::with_games("1. e4 c5 2. Nf3 d6 *\n\n1. d4 Nf6 2. c4 *\n");
    let by_moves = workspace
        .run(&["search", "--moves", "1.d4 Nf6", "--db", "db", "--json"])
        .succeed()
        .json();
    let fen = "rnbqkb1r/pppppppp/5n2/8/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 1 2";
    assert_eq!(by_moves["query"]["fen"], fen);
    let by_file = workspace.json("search --pgn games.pgn --game 2 --at 2 --db db");
    assert_eq!(by_file["query"]["fen"], fen);
    assert_eq!(by_file["hits"], by_moves["hits"]);
    // Four fields do as well, and so do six words.
    let short = workspace.search(&fen[..fen.len() - 4], "");
    assert_eq!(short["hits"][0]["game"]["id"], 2);
    let unquoted = workspace.json(&format!("search {fen} --db db"));
    assert_eq!(unquoted["hits"], by_moves["hits"]);
    workspace
        .words("search --pgn games.pgn --game 3 --db db")
        .fail(1, "has only 2 games; --game 3");
    workspace
        .words("search --pgn games.pgn --at 9 --db db")
        .fail(1, "has only 4 plies; --at 9");
    workspace
        .run(&["search", "--moves", "1.e4 e5 2.Ke3", "--db", "db"])
        .fail(2, "move 2. \"Ke3\" is not legal");
}

#[test]
fn impossible_positions_are_refused_with_the_reason() {
    let workspace = Workspace::new();
    for (fen, reason) in [
        ("8/8/8/8/8/4K3/8/8 w - - 0 1", "a king is missing"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "the board is empty"),
        ("4k3/8/8/8/8/8/8/KK6 w - - 0 1", "more than one king"),
        (
            "P3k3/8/8/8/8/8/8/K7 w - - 0 1",
            "a pawn stands on the first or last rank",
        ),
        (
            "4k3/4R3/8/8/8/8/8/K7 w - - 0 1",
            "the side not to move is in check",
        ),
        (
            "4k3/8/8/8/8/8/PPPPPPPP/KQQQQQQQ w - - 0 1",
            "more pieces than promotions allow",
        ),
        ("4k3/8/8/8/8 w - - 0 1", "not a FEN"),
        ("hello", "not a FEN"),
        ("", "not a FEN"),
    ] {
        for verb in ["search", "encode"] {
            workspace.run(&[verb, fen]).fail(2, reason);
        }
        workspace.run(&["explain", fen, QUERY]).fail(2, reason);
    }
}

/// The historical games with ratings: White's from 2000, Black's from 2100,
/// ten more each game.
fn with_ratings() -> Workspace {
    let rated = (0..).zip(historical_files()).map(|(number, path)| {
        let (white, black) = (2000 + 10 * number, 2100 + 10 * number);
        let text = fs::read_to_string(path).unwrap();
        format!("[WhiteElo \"{white}\"]\n[BlackElo \"{black}\"]\n{text}\n")
    });
    let workspace = Workspace::new();
    workspace.write("rated.pgn", rated.collect::<String>());
    workspace.words("index rated.pgn --db db").succeed();
    workspace
}

#[test]
fn filters_of_games_answer_with_the_best_that_is_admitted() {
    let workspace = with_ratings();
    let all = workspace.search(QUERY, "--top 1000 --group none --rerank none");
    let text = |game: &Value, tag: &str| game[tag].as_str().unwrap().to_owned();
    let check = |filter: &str, admits: &dyn Fn(&Value) -> bool| {
        let answer = workspace.search(
            QUERY,
            &format!("--top 4 --group none --rerank none {filter}"),
        );
        let admitted = hits(&all).iter().filter(|it| admits(&it["game"])).take(4);
        let expected: Vec<&Value> = admitted.map(|it| &it["game"]["id"]).collect();
        let found: Vec<&Value> = hits(&answer).iter().map(|it| &it["game"]["id"]).collect();
        assert_eq!(found, expected, "{filter}");
        assert!(!found.is_empty(), "{filter}");
        assert_ne!(games(&answer), games(&all)[..4], "{filter} changes nothing");
    };
    check("--player kasparov", &|game| {
        ["white", "black"]
            .iter()
            .any(|it| text(game, it).contains("Kasparov"))
    });
    check("--white Fischer", &|game| {
        text(game, "white").contains("Fischer")
    });
    check("--black Fischer", &|game| {
        text(game, "black").contains("Fischer")
    });
    check("--elo 2300-2700", &|game| {
        let elo = |side: &str| game[side].as_u64().unwrap();
        elo("white_elo") >= 2300 && elo("black_elo") <= 2700
    });
    check("--date 1990-1999", &|game| {
        ("1990".."2000").contains(&text(game, "date").as_str())
    });
    check("--date -1900", &|game| text(game, "date").as_str() < "1901");
    check("--eco B20-C99", &|game| {
        ("B20"..="C99").contains(&text(game, "eco").as_str())
    });
    check("--result 0-1", &|game| game["result"] == "0-1");
    check("--result 1/2-1/2,0-1", &|game| game["result"] != "1-0");
    check("--event olympiad", &|game| {
        text(game, "event").contains("Olympiad")
    });
    let best = games(&all)[0];
    check(&format!("--exclude-game {best}"), &|game| {
        game["id"] != best
    });
}

#[test]
fn filters_of_positions_admit_only_such() {
    let workspace = Workspace::with_history();
    let all = workspace.search(QUERY, "--side-to-move any");
    let check = |filter: &str, admits: &dyn Fn(&str) -> bool| {
        let answer = workspace.search(QUERY, filter);
        assert!(!hits(&answer).is_empty(), "{filter}");
        for hit in hits(&answer) {
            assert!(
                admits(hit["turned_fen"].as_str().unwrap()),
                "{filter}: {hit}"
            );
        }
        assert_ne!(answer["hits"], all["hits"], "{filter} changes nothing");
    };
    let pieces = |fen: &str| {
        let board = fen.split(' ').next().unwrap();
        board.chars().filter(|it| it.is_ascii_alphabetic()).count()
    };
    check("--side-to-move black", &|fen| fen.contains(" b "));
    check("--side-to-move same", &|fen| fen.contains(" w "));
    check("--pieces 10-12", &|fen| (10..=12).contains(&pieces(fen)));
    check("--material same", &|fen| pieces(fen) == pieces(QUERY));
    check("--material same", &|fen| pieces(fen) == pieces(QUERY));
    check("--ply 25-", &|fen| {
        let number: usize = fen.split(' ').next_back().unwrap().parse().unwrap();
        number >= 13
    });
}

#[test]
fn wrong_filters_are_wrong_usage() {
    let workspace = Workspace::new();
    for filter in [
        "--elo 2600-2400",
        "--elo x",
        "--date soon",
        "--eco Z00",
        "--result 2-0",
        "--side-to-move up",
        "--material x",
        "--pieces -",
        "--ply late",
        "--top x",
        "--k1 -1",
        "--b 2",
        "--weights center=1",
        "--run Nothing",
        "--symmetry left",
        "--output paper",
        "--threads 0",
    ] {
        let words = filter.split(' ').collect::<Vec<_>>();
        let command = [&["search", QUERY], &words[..]].concat();
        workspace.run(&command).fail(2, "error:");
    }
    workspace
        .words("search")
        .fail(2, "give a position as a FEN");
    workspace.words("").fail(2, "Usage");
    workspace.words("nonsense").fail(2, "nonsense");
}

/// The board with colors swapped and turned, or mirrored left to right.
fn twin(fen: &str, swap: bool, mirror: bool) -> String {
    let fields: Vec<&str> = fen.split(' ').collect();
    assert_eq!(fields[2..4], ["-", "-"], "nothing else to turn");
    let mut ranks: Vec<String> = fields[0].split('/').map(str::to_owned).collect();
    let mut turn = fields[1];
    if mirror {
        ranks = ranks.iter().map(|it| it.chars().rev().collect()).collect();
    }
    if swap {
        let other_case = |it: char| {
            if it.is_ascii_uppercase() {
                it.to_ascii_lowercase()
            } else {
                it.to_ascii_uppercase()
            }
        };
        ranks = ranks
            .iter()
            .rev()
            .map(|it| it.chars().map(other_case).collect())
            .collect();
        turn = if turn == "w" { "b" } else { "w" };
    }
    format!("{} {turn} - - {} {}", ranks.join("/"), fields[4], fields[5])
}

#[test]
fn twins_are_found_and_labeled() {
    let workspace = Workspace::with_history();
    // Kasparov's 24th move against Topalov, 1999.
    let fen = "b2r3r/k4p1p/p2q1np1/NppP4/3p1Q2/P4PPB/1PP4P/1K1RR3 w - - 1 24";
    let names = [
        ("none", false, false),
        ("swap", true, false),
        ("mirror", false, true),
        ("both", true, true),
    ];
    for (name, swap, mirror) in names {
        let query = twin(fen, swap, mirror);
        let answer = workspace.search(&query, "--symmetry all");
        let best = &hits(&answer)[0];
        assert_eq!(
            (&best["symmetry"], &best["similarity"]),
            (&name.into(), &1.0.into())
        );
        assert_eq!(best["fen"], fen, "as it stands in the game");
        assert_eq!(
            board(&best["turned_fen"]),
            board(&query.as_str().into()),
            "in the query's view"
        );
        assert_eq!(best["next"][0], "Rxd4");
        // Without its symmetry, the twin is another position.
        for choice in ["none", "swap", "mirror"] {
            let answer = workspace.search(&query, &format!("--symmetry {choice}"));
            let is_found = name == "none" || name == choice;
            assert_eq!(
                hits(&answer)[0]["similarity"] == 1.0,
                is_found,
                "{name} by {choice}"
            );
        }
    }
    // Swap is the usual choice, and what was played is turned back as well.
    let swapped = workspace.search(&twin(fen, true, false), "--top 1");
    assert_eq!(swapped["hits"][0]["symmetry"], "swap");
    let played = &swapped["moves"][0];
    assert_eq!(
        (&played["san"], &played["uci"]),
        (&"Rxd5".into(), &"d8d5".into())
    );
    // White won the game; seen from here it was Black.
    assert_eq!((&played["white"], &played["black"]), (&0.into(), &1.into()));
}

/// The board of a FEN, and whose turn it is.
fn board(fen: &Value) -> String {
    let fields = fen.as_str().unwrap().split(' ').take(2);
    fields.collect::<Vec<_>>().join(" ")
}

#[test]
fn ranking_options_change_the_scores() {
    let workspace = Workspace::with_history();
    let usual = workspace.search(QUERY, "");
    assert_eq!(
        workspace.search(QUERY, "--run Tabiya")["hits"],
        usual["hits"]
    );
    assert_eq!(
        workspace.search(QUERY, "--k1 1.2 --b 0.75")["hits"],
        usual["hits"]
    );
    assert_eq!(
        workspace.search(QUERY, "--threads 1")["hits"],
        usual["hits"]
    );
    let options = [
        "--k1 0.5",
        "--b 0.1",
        "--weights attack=3",
        "--run CombAll",
        "--run TruePos",
        "--run RchblePos",
        "--run Attk",
        "--run Def",
        "--run RayAttk",
    ];
    let mut scores = vec![hits(&usual)[0]["score"].to_string()];
    scores.extend(options.map(|it| hits(&workspace.search(QUERY, it))[0]["score"].to_string()));
    let all = scores.len();
    scores.sort();
    scores.dedup();
    assert_eq!(scores.len(), all, "every option has scores of its own");
}

#[test]
fn many_queries_are_answered_line_by_line() {
    let workspace = Workspace::with_history();
    let second = "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1";
    let text = format!("{QUERY}\n\n# a remark\nnonsense\n{second}\n");
    workspace.write("queries.fen", &text);
    let by_file = workspace
        .words("search --queries queries.fen --db db --top 2")
        .fail(1, "1 lines of queries.fen are not positions");
    let lines: Vec<Value> = by_file
        .out
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    for (line, fen) in [(&lines[0], QUERY), (&lines[2], second)] {
        assert!(line["took_ms"].as_f64().unwrap() > 0.0);
        assert_eq!(line["query"]["fen"], fen);
        assert_eq!(line["hits"], workspace.search(fen, "--top 2")["hits"]);
    }
    assert_eq!(
        (&lines[1]["line"], &lines[1]["query"]["fen"]),
        (&4.into(), &"nonsense".into())
    );
    assert!(lines[1]["error"].as_str().unwrap().contains("not a FEN"));
    let by_input = workspace.run_with_input(
        "search --queries - --db db --top 2",
        format!("{QUERY}\n{second}\n").as_bytes(),
    );
    assert_eq!(by_input.succeed().out.lines().count(), 2);
    workspace
        .words("search --queries nowhere --db db")
        .fail(1, "nowhere");
}

#[test]
fn other_outputs_say_the_same() {
    let workspace = Workspace::with_history();
    let answer = workspace.search(QUERY, "--top 3");
    let output = |format: &str| {
        let command = [
            "search", QUERY, "--db", "db", "--top", "3", "--output", format,
        ];
        workspace.run(&command).succeed().out
    };
    for (hit, line) in hits(&answer).iter().zip(output("trec").lines()) {
        let (game, ply, rank) = (&hit["game"]["id"], &hit["ply"], &hit["rank"]);
        let similarity = hit["similarity"].as_f64().unwrap();
        let expected = format!("1 Q0 {game}.{ply} {rank} {similarity} Tabiya");
        assert_eq!(line, expected);
    }
    for (hit, line) in hits(&answer).iter().zip(output("epd").lines()) {
        let fen = hit["fen"].as_str().unwrap();
        let epd: Vec<&str> = fen.split(' ').take(4).collect();
        let next = hit["next"][0].as_str().unwrap();
        assert!(
            line.starts_with(&format!("{} pm {next};", epd.join(" "))),
            "{line}"
        );
    }
    let pgn = output("pgn");
    for hit in hits(&answer) {
        let white = format!("[White \"{}\"]", hit["game"]["white"].as_str().unwrap());
        assert!(pgn.contains(&white), "{pgn}");
    }
    assert_eq!(pgn.matches("[Event ").count(), 3);
    // In a file of queries, the line number identifies a query.
    workspace.write("queries.fen", format!("{QUERY}\n{QUERY}\n"));
    let many = workspace
        .words("search --queries queries.fen --db db --top 1 --output trec")
        .succeed();
    let numbers: Vec<&str> = many.out.lines().map(|it| &it[..5]).collect();
    assert_eq!(numbers, ["1 Q0 ", "2 Q0 "]);
}

#[test]
fn boards_are_drawn_in_figures_or_letters() {
    let workspace = Workspace::with_history();
    let command = ["search", QUERY, "--db", "db", "--top", "1"];
    let figures = workspace.run(&command).succeed().out;
    assert!(figures.contains('♜') && figures.contains("  a b c d e f g h"));
    let letters = workspace
        .run(&[&command[..], &["--figures", "ascii"]].concat())
        .succeed()
        .out;
    assert!(letters.contains("8 r . b . . r k .") && !letters.contains('♜'));
}

#[test]
fn two_positions_are_explained() {
    let workspace = Workspace::with_history();
    let other = "rqb2rk1/pp3ppp/4pn2/1N1pn3/2P5/P3PN2/1PQ2PPP/2KR1B1R w - - 4 13";
    let report = workspace
        .run(&["explain", QUERY, other, "--db", "db", "--json"])
        .succeed()
        .json();
    let similarity = report["similarity"].as_f64().unwrap();
    assert!((0.1..0.95).contains(&similarity), "{similarity}");
    let words: Vec<&str> = report["shared"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["words"].as_str().unwrap())
        .collect();
    assert!(
        words.contains(&"white pawn on c4 attacks the pawn on d5"),
        "{words:?}"
    );
    assert!(
        report["only_query"]
            .as_array()
            .unwrap()
            .contains(&"Ke1".into())
    );
    assert!(
        report["only_other"]
            .as_array()
            .unwrap()
            .contains(&"Kc1".into())
    );
    let same = workspace
        .run(&["explain", QUERY, QUERY, "--db", "db", "--json"])
        .succeed()
        .json();
    assert_eq!(same["similarity"], 1.0);
    let text = workspace
        .run(&["explain", QUERY, other, "--db", "db"])
        .succeed()
        .out;
    assert!(
        text.contains("% alike") && text.contains("only there:"),
        "{text}"
    );
}

#[test]
fn a_position_is_encoded_in_the_papers_notation() {
    let workspace = Workspace::with_games("1. e4 *");
    let fen = "8/8/4k3/8/8/4K3/8/8 w - - 0 1";
    let document = workspace.run(&["encode", fen, "--db", "db"]).succeed().out;
    assert!(
        document.contains("Ke3") && document.contains("Ke4|0.89"),
        "{document}"
    );
    let query = workspace
        .run(&["encode", fen, "--db", "db", "--query"])
        .succeed()
        .out;
    assert!(query.contains("Ke3") && !query.contains('|'), "{query}");
    let report = workspace
        .run(&["encode", fen, "--db", "db", "--json"])
        .succeed()
        .json();
    assert_eq!(report["fen"], fen);
    let terms = report["terms"].as_array().unwrap();
    assert_eq!(report["length"], terms.len());
    assert!(
        terms
            .iter()
            .all(|it| it["term"].is_string() && it["weight"].is_f64())
    );
}

#[test]
fn hits_are_reranked_by_motif() {
    let workspace = Workspace::with_history();
    let answer = workspace.search(QUERY, "--rerank motif --run Tabiya --top 3");
    assert_eq!(answer["hits"].as_array().unwrap().len(), 3);
    assert!(answer["hits"][0]["rerank"]["similarity"].is_f64());
}

#[cfg(unix)]
#[test]
fn a_file_of_queries_without_end_is_refused() {
    let workspace = Workspace::with_games("1. e4 e5 *\n");
    workspace
        .words("search --queries /dev/zero --db db")
        .fail(1, "line 1 of /dev/zero is too long for a position");
}

#[test]
fn a_condition_without_end_is_a_fault_of_the_query() {
    let moves = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(60);
    let workspace = Workspace::with_games(&format!("[White \"A\"]\n\n{moves}*\n"));
    let endless = "find find find find find {x=K check}";
    for words in [
        ["search", QUERY, "--where", endless, "--db", "db"].as_slice(),
        &["find", endless, "--db", "db"],
    ] {
        let ran = workspace.run(words);
        ran.fail(2, "too many filters in one game");
    }
}
