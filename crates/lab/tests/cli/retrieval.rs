//! The experiments on retrieval, on small material.

use crate::workspace::{Workspace, historical_files};

const QRELS: &str = "1 0 a 3\n1 0 b 0\n1 0 c 2\n2 0 a 2\n";
const GOOD: &str = "1 Q0 a 1 3 good\n1 Q0 c 2 2 good\n2 Q0 a 1 1 good\n";
const BAD: &str = "1 Q0 b 1 3 bad\n1 Q0 x 2 2 bad\n1 Q0 a 3 1 bad\n";

fn judged() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("judged.qrels", QRELS);
    workspace.write("good.run", GOOD);
    workspace.write("bad.run", BAD);
    workspace
}

#[test]
fn runs_are_measured() {
    let workspace = judged();
    let report = workspace.json(
        "measure --qrels judged.qrels --run good.run --run bad.run --measures map,p@5,mrr --per-query --out tables",
    );
    let value = |run: usize, at: usize| report["runs"][run]["measures"][at]["mean"].as_f64();
    assert_eq!(report["runs"][1]["run"], "bad");
    assert_eq!((value(0, 0), value(0, 2)), (Some(1.0), Some(1.0)));
    // The only relevant document found stands third, of two; query 2 found nothing.
    assert_eq!(value(1, 0), Some(1.0 / 3.0 / 2.0 / 2.0));
    assert_eq!(report["runs"][1]["queries"][1]["values"][0], 0.0);
    assert!(
        workspace
            .read("tables/measures.csv")
            .contains("good,1,MAP,1\n")
    );
    let text = workspace
        .words("measure --qrels judged.qrels --run good.run")
        .succeed()
        .out;
    for word in ["nDCG-exp@10", "bpref", "1.0000 [1.0000, 1.0000]", "seed 1"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn runs_are_compared() {
    let workspace = judged();
    let line = "compare bad.run good.run --qrels judged.qrels --measures ndcg@10 --out tables";
    let report = workspace.json(line);
    let row = &report["measures"][0];
    assert_eq!((&row["wins"], &row["losses"]), (&2.into(), &0.into()));
    assert!(row["difference"]["mean"].as_f64().unwrap() > 0.5);
    assert!(
        workspace
            .read("tables/comparison.csv")
            .starts_with("query,measure,bad,good\n")
    );
    assert!(workspace.words(line).succeed().out.contains("better on 2"));
}

#[test]
fn errors_name_the_line_of_a_file() {
    let workspace = judged();
    workspace.write("wrong.run", "1 Q0 a 1 2 x\n1 Q0 a 2\n");
    workspace.write("empty.qrels", "\n");
    let measure =
        |qrels: &str, run: &str| workspace.words(&format!("measure --qrels {qrels} --run {run}"));
    measure("judged.qrels", "wrong.run").fail(1, "line 2: 4 fields");
    measure("empty.qrels", "good.run").fail(1, "holds no judgments");
    measure("absent", "good.run").fail(1, "absent");
    let line = "measure --qrels judged.qrels --run good.run --measures f1";
    workspace.words(line).fail(2, "unknown measure \"f1\"");
    workspace.write("wrong.fen", "# a comment\nnonsense\n");
    workspace
        .words("runs --queries wrong.fen --out x")
        .fail(1, "wrong.fen:2");
}

const FEN: &str = "r1b2rk1/pp3ppp/2n1pn2/q1bp4/2P2B2/P1N1PN2/1PQ2PPP/3RKB1R w K - 1 11\n";

#[test]
fn runs_and_pools_are_written_and_swept() {
    let workspace = Workspace::with_history();
    workspace.write("queries.fen", FEN);
    let report = workspace.json("runs --db db --queries queries.fen --out out --top 20 --pool 12");
    assert_eq!(report["pooled"], 12);
    assert!(report["statistics"]["documents"].as_u64().unwrap() > 1000);
    let run = workspace.read("out/CombAll.run");
    assert_eq!(run.lines().count(), 20);
    let pool = workspace.read("out/pool.tsv");
    let documents: Vec<&str> = pool
        .lines()
        .map(|it| it.split('\t').nth(1).unwrap())
        .collect();
    assert_eq!(documents.len(), 12);
    // A document judged highest is found where the run has it: first.
    let first = run.lines().next().unwrap().split(' ').nth(2).unwrap();
    workspace.write("own.qrels", format!("1 0 {first} 4\n"));
    let line =
        "sweep --db db --queries queries.fen --qrels own.qrels --k1 1.2,2 --b 0.75 --out out";
    let report = workspace.json(line);
    assert_eq!(report["cells"][0]["value"]["mean"], 1.0);
    assert_eq!(report["cells"].as_array().unwrap().len(), 2);
    for name in ["sweep.csv", "sweep.svg", "pieces.csv", "pieces.svg"] {
        assert!(!workspace.read(&format!("out/{name}")).is_empty());
    }
    workspace.words(line).succeed();
}

#[test]
fn known_items_are_found_and_turned_ones_with_symmetries() {
    let workspace = Workspace::with_history();
    let report = workspace.json("known-item --db db --items 6 --out out");
    let rows = report["rows"].as_array().unwrap();
    let first = |disturbance: &str, way: &str| {
        let row = rows
            .iter()
            .find(|it| it["disturbance"] == disturbance && it["way"] == way);
        row.unwrap()["first"].as_f64().unwrap()
    };
    assert_eq!(first("as it is", "CombAll"), 1.0);
    assert_eq!(first("colors swapped", "CombAll, swap"), 1.0);
    assert_eq!(first("mirrored", "CombAll, all"), 1.0);
    assert_eq!(first("colors swapped", "Tabiya"), 1.0);
    assert!(workspace.read("out/known-item.csv").lines().count() > rows.len());
}

#[test]
fn next_moves_are_of_games_that_the_collection_does_not_hold() {
    let workspace = Workspace::with_history();
    let texts = historical_files()
        .into_iter()
        .map(|it| std::fs::read_to_string(it).unwrap() + "\n");
    let text: String = texts.collect();
    workspace.write("same.pgn", &text);
    let line = "next-move --db db --games same.pgn";
    workspace
        .words(line)
        .fail(1, "the collection does not hold");
    // The same games by others are other games.
    workspace.write("others.pgn", text.replace("[White \"", "[White \"X"));
    let report = workspace.json("next-move --db db --games others.pgn --cases 5 --top 5");
    let rows = report["rows"].as_array().unwrap();
    let exact = rows
        .iter()
        .find(|it| it["proposer"] == "exact position")
        .unwrap();
    assert_eq!(exact["cases"], 5);
    assert!(exact["first"]["mean"].as_f64().unwrap() > 0.5, "{exact}");
}

/// Puzzles of two motifs: mates on the back rank and forks by a knight.
fn puzzles() -> String {
    let mut table =
        "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n"
            .to_owned();
    for number in 0..240 {
        let rows = [
            (
                "6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,h7h5 d1d8",
                "backRankMate mate",
            ),
            ("3qk3/8/8/8/3N4/8/8/6K1 b - - 0 1,e8f7 d4e6", "fork short"),
        ];
        let (line, themes) = rows[number % 2];
        table += &format!("{number:05},{line},900,80,90,100,{themes},x,\n");
    }
    table
}

#[test]
fn motifs_are_found_by_every_ranking() {
    let workspace = Workspace::new();
    workspace.write("puzzles.csv", puzzles().replace("h7h5 d1d8", "h7h6 d1d8"));
    let report = workspace.json("motifs --puzzles puzzles.csv --queries 3 --out out");
    let rows = report["rankings"].as_array().unwrap();
    assert!(rows.len() > 12);
    for row in rows.iter().filter(|it| it["ranking"] != "chance") {
        assert_eq!(row["nDCG@10"]["mean"], 1.0, "{row}");
    }
    for name in ["motifs.csv", "motifs-by-motif.csv", "motifs.svg"] {
        assert!(!workspace.read(&format!("out/{name}")).is_empty());
    }
    workspace
        .words("motifs --puzzles puzzles.csv --quick --grading counted")
        .succeed();
    workspace
        .words("sweep --puzzles puzzles.csv --k1 1 --b 0.5")
        .succeed();
    workspace.write("none.csv", "PuzzleId,FEN\n");
    workspace
        .words("motifs --puzzles none.csv")
        .fail(1, "too few puzzles");
}

/// Games between two players with one result.
fn games(white: &str, black: &str, result: &str, count: usize) -> String {
    format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 {result}\n\n")
        .repeat(count)
}

#[test]
fn players_are_rated_with_the_errors_of_those_they_met() {
    let workspace = Workspace::new();
    let mut text = String::new();
    for (white, black, won, lost) in [
        ("A", "B", 3, 1),
        ("B", "A", 1, 3),
        ("B", "C", 500, 500),
        ("C", "B", 500, 500),
        ("X", "Y", 3, 2),
        ("T", "A", 9, 0),
        ("L", "A", 0, 9),
    ] {
        text += &games(white, black, "1-0", won);
        text += &games(white, black, "0-1", lost);
    }
    workspace.write("games.pgn", text);
    let line = "rating games.pgn --anchor A=2500";
    let out = workspace.words(line).succeed().out;
    for row in [
        "| B | 2249 ± 283 | A | 8 | 2-0-6 |",
        "| C | 2249 ± 284 | B | 2000 | 1000-0-1000 | 50.0 % |",
        "| X | not connected to an anchor | Y | 5 | 3-0-2 | - | - |",
        "| T | no point lost | A | 9 | 9-0-0 | - | - |",
        "| L | no point won | A | 9 | 0-0-9 | - | - |",
    ] {
        assert!(out.contains(row), "{row}\n{out}");
    }
    let rows = workspace.json(line);
    assert_eq!(rows[0]["elo"], 2500.0);
    assert_eq!(rows[5]["unrated"], "no point lost");
    assert!(rows[5]["elo"].is_null(), "{rows}");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let workspace = Workspace::new();
    workspace.words("tune tuned gone.pgn").fail(1, "gone.pgn");
    workspace.write("games/cut.pgn.zst", [0x28, 0xb5, 0x2f, 0xfd, 0x24]);
    workspace.words("tune tuned games").fail(1, "cut.pgn.zst");
}

#[test]
fn ratings_say_what_is_wrong() {
    let workspace = Workspace::new();
    workspace.write(
        "games.pgn",
        games("A", "B", "1-0", 1) + &games("B", "A", "1-0", 1),
    );
    workspace.write("open.pgn", games("A", "B", "*", 1));
    workspace.write("cut.pgn.zst", [0x28, 0xb5, 0x2f, 0xfd, 0x24]);
    let line = "rating games.pgn --anchor A=2500";
    for wrong in ["nan", "inf", "1e9", "x", ""] {
        let line = line.replace("2500", wrong);
        workspace.words(&line).fail(2, "is not a rating");
    }
    workspace
        .words("rating games.pgn --anchor A")
        .fail(2, "NAME=ELO");
    workspace
        .words(&format!("{line} --drawelo -500"))
        .fail(2, "cannot be negative");
    workspace
        .words(&format!("{line} --advantage -20 --drawelo 0"))
        .succeed();
    workspace
        .words(&line.replace("A=", "C="))
        .fail(1, "no player has the name \"C\"; choose from A, B");
    workspace
        .words(&line.replace("games.pgn", "open.pgn"))
        .fail(1, "no games with a result");
    let crowd: String = (0..3_001)
        .map(|it| games("A", &it.to_string(), "1-0", 1))
        .collect();
    workspace.write("crowd.pgn", crowd);
    workspace
        .words(&line.replace("games.pgn", "crowd.pgn"))
        .fail(
            1,
            "3002 players; the most that can be rated together is 3000",
        );
    workspace
        .words(&line.replace("games.pgn", "cut.pgn.zst"))
        .fail(1, "cut.pgn.zst");
}
