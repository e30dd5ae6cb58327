//! The planned answer is that of the twin.

use std::path::Path;

use proptest::prelude::*;
use shakmaty::{Chess, Position};
use tabiya_chess::{CompactMove, Game, position};

use super::*;
use crate::{
    index::{Segment, SegmentBuilder, numbered},
    testing::{Dice, annotated_game, random_tags},
};

fn segments(games: &[Game], size: usize, skip: u16, folder: &Path) -> Vec<Segment> {
    let write = |(number, games): (usize, &[Game])| {
        let mut builder = SegmentBuilder::new(skip);
        games.iter().for_each(|it| builder.add(it));
        let path = folder.join(number.to_string());
        builder.write(&path).unwrap();
        Segment::open(&path).unwrap()
    };
    games.chunks(size.max(1)).enumerate().map(write).collect()
}

/// A game of random moves from a position with few pieces, where pawns promote and kings are mated.
fn ending(dice: &mut Dice) -> Game {
    let fens = [
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "7k/P6p/8/8/8/8/p6P/7K w - - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    ];
    let start = position::parse(fens[dice.below(fens.len())]).unwrap();
    let mut here: Chess = start.clone();
    let mut moves = Vec::new();
    for _ in 0..dice.below(50) {
        let legal = here.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[dice.below(legal.len())];
        moves.push(CompactMove::from(mv));
        here.play_unchecked(mv);
    }
    Game {
        setup: Some(Box::new(start)),
        moves,
        ..Game::default()
    }
}

fn choose<'a>(dice: &mut Dice, of: &[&'a str]) -> &'a str {
    of[dice.below(of.len())]
}

fn set(dice: &mut Dice, depth: usize) -> String {
    if depth == 0 || dice.below(3) == 0 {
        let plain = [
            "R",
            "Pd4",
            "[Qq]",
            "k",
            "Ka-h1-3",
            "A",
            "a",
            "_e4",
            "e4",
            "na-h5-6",
            "passedpawns",
            "[Pp]a-h4",
            "p",
            "[BNbn]",
            "f7",
            "Pa-h7",
            "b",
            "isolatedpawns & P",
            ".",
        ];
        return format!("({})", choose(dice, &plain));
    }
    let (one, two) = (set(dice, depth - 1), set(dice, depth - 1));
    match dice.below(13) {
        0 => format!("({one}|{two})"),
        1 => format!("({one}&{two})"),
        2 | 3 => format!("({one} attacks {two})"),
        4 | 5 => format!("({one} attackedby {two})"),
        6 => format!("(~{one})"),
        7 => format!("(xray ({one} {two} [Kk]))"),
        8 => format!("(pin from {one} through {two})"),
        9 => format!("(square x in {one} {{x attacks {two}}})"),
        10 => format!("(up 1 2 {one} & {two})"),
        11 => format!("({one}->{two}->[Kkq])"),
        _ => format!("(parent:{one})"),
    }
}

fn filter(dice: &mut Dice, depth: usize) -> String {
    if depth == 0 || dice.below(4) == 0 {
        let one = set(dice, 2);
        let two = set(dice, 1);
        let number = dice.below(4);
        let sign = choose(dice, &["==", ">=", "<=", "!=", "<", ">"]);
        return match dice.below(16) {
            0 | 1 => one,
            2 => format!("{one}{sign}{number}"),
            3 => format!("#{one}{sign}#{two}"),
            4 => format!("power A - power a{sign}{number}"),
            5 => format!("[QqRr]{sign}{number}"),
            6 => format!("move from {one} to {two}"),
            7 => format!("move from {one} capture {two}"),
            8 => format!("{one}--(check)"),
            9 => choose(
                dice,
                &[
                    "wtm",
                    "check",
                    "mate",
                    "stalemate",
                    "terminal",
                    "initial",
                    "castle",
                ],
            )
            .to_owned(),
            10 => format!("ply{sign}{}", dice.below(30)),
            11 => choose(
                dice,
                &[
                    "result 1-0",
                    "player \"Anna\"",
                    "elo>=1800",
                    "year<1990",
                    "eco \"B\"",
                    "not result 1/2-1/2",
                ],
            )
            .to_owned(),
            12 => format!("not {one}"),
            13 => choose(
                dice,
                &[
                    "move promote [QN]",
                    "move enpassant",
                    "move castle",
                    "P==0",
                    "[Pp]<=3",
                    "(legal P--a-h8)",
                    // In parentheses, because a move before it takes the word for its own.
                    "(legal K--(not check))",
                    "countmoves legal --(check)>=2",
                ],
            )
            .to_owned(),
            14 => format!("y={one} y attacks {two}"),
            _ => format!("rank {one}{sign}4"),
        };
    }
    let (one, two) = (filter(dice, depth - 1), filter(dice, depth - 1));
    match dice.below(21) {
        16 => format!("child:not {{{one}}}"),
        17 => format!(
            "{{{one} y={}}} or {{y attacks {}}}",
            set(dice, 1),
            set(dice, 1)
        ),
        18 => format!(
            "y={} {{{{y={} {one}}} or {two}}} y attacks {}",
            set(dice, 1),
            set(dice, 1),
            set(dice, 1)
        ),
        19 => format!("{{path focus A A--{{1,3}} {{{one}}}}}"),
        20 => format!(
            "piece x in {} {{x attacks {} {one}}}",
            set(dice, 1),
            set(dice, 1)
        ),
        0..=3 => format!("{{{one} {two}}}"),
        4 => format!("{{{one}}} or {{{two}}}"),
        5 => format!("not {{{one}}}"),
        6 => format!("flipcolor {{{one} {two}}}"),
        7 => format!("shifthorizontal {{{one}}}"),
        8 => format!("find {{{one}}}"),
        9 => format!("find <-- {{{one}}}"),
        10 => format!("(line --> {{{one}}} --> .{{1,12}} --> {{{two}}})"),
        11 => format!("(line --> {{{one}}}{{2,}} --> {{{two}}})"),
        12 => format!("(line <-- {{{one}}} <-- .* <-- {{{two}}})"),
        13 => format!("{{path {{{one}}} --{{1,9}} {{{two}}}}}"),
        14 => format!("child:{{{one}}}"),
        _ => format!("initialposition:{{{one}}}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn the_plan_never_changes_the_answer(seed: u64) {
        let mut dice = Dice::new(seed);
        let game = |dice: &mut Dice| {
            let plies = dice.below(110);
            let game = if dice.below(2) == 0 { annotated_game(dice, plies) } else { ending(dice) };
            Game { tags: random_tags(dice), ..game }
        };
        let games: Vec<Game> = (0..30).map(|_| game(&mut dice)).collect();
        let folder = tempfile::tempdir().unwrap();
        let (size, skip) = (5 + dice.below(30), [0, 0, 0, 7][dice.below(4)]);
        let segments = segments(&games, size, skip, folder.path());
        let shards = numbered(&segments);
        for _ in 0..24 {
            let text = filter(&mut dice, 2);
            let pattern: Pattern = match text.parse() {
                Ok(pattern) => pattern,
                // Some have too many parts when their transforms are spelled out.
                Err(error) => {
                    let error: tabiya_pattern::PatternError = error;
                    prop_assert!(error.message().starts_with("the transforms make more than"), "{}: {}", text, error);
                    continue;
                }
            };
            let mut query = FindQuery { variations: dice.below(2) == 0, ..FindQuery::new(&pattern) };
            if dice.below(4) == 0 {
                query.filter.ply.from = Some(Ply(dice.below(20) as u16));
            }
            let planned = find(&shards, &query).unwrap();
            let twin = find_exhaustively(&shards, &query).unwrap();
            let differs = planned.matches.iter().zip(&twin).find(|it| it.0 != it.1);
            let counts = (planned.matches.len(), twin.len());
            prop_assert!(planned.matches == twin, "{} (variations {}, skip {}): {:?} {:?}", text, query.variations, skip, counts, differs);
        }
    }
}

#[test]
fn a_canceled_search_looks_at_nothing() {
    let mut dice = Dice::new(3);
    let games = [annotated_game(&mut dice, 60)];
    let folder = tempfile::tempdir().unwrap();
    let segments = segments(&games, 5, 0, folder.path());
    let pattern: Pattern = "K".parse().unwrap();
    let query = FindQuery::new(&pattern);
    assert_eq!(find(&numbered(&segments), &query).unwrap().matches.len(), 1);
    query.cancel.cancel();
    assert_eq!(find(&numbered(&segments), &query).unwrap().looked_at, 0);
}
