//! A preparation counts what is there: results in the opponent's view, openings, structures,
//! endings, and nothing of other players.

use tabiya_chess::pgn::Input;
use tabiya_question::{
    Shards, answer,
    prepare::{Answer, Prepare, Results},
    read::read,
};
use tabiya_retrieval::{
    Collection,
    collection::{Import, Progress},
    search::Cancel,
};

/// Fifteen moves that lead to a Carlsbad structure, and on.
const CARLSBAD: &str = "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. cxd5 exd5 5. Bg5 Be7 6. e3 c6 7. Bd3 Nbd7 8. Nf3 O-O \
    9. Qc2 Re8 10. O-O Nf8 11. Rab1 a5 12. a3 Ng6 13. h3 h6 14. Bxf6 Bxf6 15. Rfc1 Be6 16. Na4 Qd6";

/// The same moves, but too few of them.
const SHORT: &str = "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. cxd5 exd5 5. Bg5 Be7 6. e3 c6";

const ROOKS: &str = "[SetUp \"1\"]\n[FEN \"4k3/4p3/8/8/8/8/4P3/R3K2r w - - 0 1\"]\n";

fn game(white: &str, black: &str, year: u16, result: &str, moves: &str, more: &str) -> String {
    format!(
        "[White \"{white}\"]\n[Black \"{black}\"]\n[Date \"{year}.??.??\"]\n[Result \"{result}\"]\n{more}\n{moves} {result}\n\n"
    )
}

fn prepared(parameters: &str) -> Result<Answer, String> {
    let games = [
        game("Smith, Ann", "Other", 2019, "1-0", CARLSBAD, ""),
        game("Other", "Smith, Ann", 2021, "1-0", SHORT, ""),
        game("Smith, Ann", "Third", 2020, "1/2-1/2", "1. Kd2 Rxa1", ROOKS),
        game("Other", "Third", 2022, "0-1", "1. e4 e5 2. f4 exf4", ""),
    ];
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("games.pgn");
    std::fs::write(&pgn, games.concat()).unwrap();
    let home = folder.path().join("db");
    Import::new(vec![Input::File(pgn)])
        .run(&home, &Progress::default())
        .unwrap();
    let collection = Collection::open(&home).unwrap();
    let question = read::<Prepare>(parameters).map_err(|it| it.to_string())?;
    let found = answer(&question, &Shards::from(&collection), &Cancel::default());
    found.map_err(|it| it.to_string())
}

fn counts(it: &Results) -> (u32, u32, u32) {
    (it.wins, it.draws, it.losses)
}

#[test]
fn results_are_those_of_the_opponent() {
    let answer = prepared("against=smith&least=1").unwrap();
    assert_eq!(counts(&answer.white.total), (1, 1, 0));
    assert_eq!(counts(&answer.black.total), (0, 0, 1));
    assert_eq!(answer.black.total.last_year, Some(2021));
    // What he lost comes first.
    assert_eq!(answer.games[0].result, "loss");
    assert_eq!(answer.games.len(), 3);
    let line = |it: &tabiya_question::prepare::Branch| it.results.name.clone();
    let lines: Vec<String> = answer.black.tree.iter().map(line).collect();
    assert!(lines.contains(&"1.d4 d5 2.c4".to_owned()), "{lines:?}");
    assert!(lines.iter().all(|it| it.starts_with("1.d4")), "{lines:?}");
}

#[test]
fn structures_and_endings_are_named_where_they_are() {
    let answer = prepared("against=smith").unwrap();
    let names: Vec<&str> = answer
        .structures
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    let carlsbad = names.iter().position(|it| *it == "carlsbad");
    // The short game never gets that far.
    assert_eq!(
        counts(&answer.structures[carlsbad.unwrap()]),
        (1, 0, 0),
        "{names:?}"
    );
    let endings: Vec<&str> = answer.endings.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(endings, ["rook ending"]);
    let other = prepared("against=third").unwrap();
    assert!(other.structures.is_empty());
}

#[test]
fn only_what_was_asked_for_is_counted() {
    let answer = prepared("against=smith&since=2020").unwrap();
    assert_eq!(counts(&answer.white.total), (0, 1, 0));
    let nobody = prepared("against=nobody").unwrap_err();
    assert!(nobody.contains("no game of nobody"), "{nobody}");
    assert!(prepared("against=+").unwrap_err().contains("give the name"));
}

#[test]
fn positions_like_the_repertoire_are_of_the_opponent() {
    // A line with the moves of the first game, and one that leads elsewhere.
    let lines = "1.d4+d5+2.c4+e6+3.Nc3+Nf6+4.cxd5+exd5+5.Bg5+Be7+6.e3+c6+7.Bd3+Nbd7+8.Nf3+O-O+9.Qc2+Re8+10.O-O+Nf8\
        +(10...h6)+11.Rab1+*";
    let ask = |name: &str| prepared(&format!("against={name}&repertoire={lines}")).unwrap();
    let parallels = ask("smith").parallels;
    let first = &parallels[0];
    assert_eq!(first.game.white, "Smith, Ann");
    assert_eq!((first.similarity, first.ply), (1.0, 21));
    assert!(first.line.ends_with("10.O-O Nf8 11.Rab1"), "{}", first.line);
    assert_eq!(first.next[0], "a5");
    let games: Vec<_> = parallels.iter().map(|it| it.game.id).collect();
    assert!(
        games
            .iter()
            .all(|it| games.iter().filter(|id| *id == it).count() == 1)
    );
    // The same position was not reached by another player.
    let third = ask("third").parallels;
    assert!(third.iter().all(|it| it.similarity < 0.9), "{third:?}");
    assert!(prepared("against=smith").unwrap().parallels.is_empty());
    let nothing = prepared("against=smith&repertoire=hello").unwrap_err();
    assert!(nothing.contains("no line"), "{nothing}");
}
