//! Counting lines of play: every legal move is stored in two bytes, read back
//! and played, so a move that is lost, doubled or played wrongly changes the
//! count.

use std::collections::BTreeSet;

use shakmaty::{Chess, Position};
use tabiya_chess::{CompactMove, position};

const COUNTS: &str = include_str!("perft.txt");

/// The lines of play of a length, over moves that differ in their stored form.
fn perft(position: &Chess, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let stored: BTreeSet<u16> = position
        .legal_moves()
        .into_iter()
        .map(|mv| CompactMove::from(mv).to_bits())
        .collect();
    stored
        .into_iter()
        .map(|bits| perft(&play(CompactMove::from_bits(bits), position), depth - 1))
        .sum()
}

/// Plays a move by the rules and on the bare board, which must agree.
fn play(mv: CompactMove, position: &Chess) -> Chess {
    let mut board = position.board().clone();
    mv.play_on(&mut board);
    let after = mv.play(position.clone()).expect("a legal move");
    assert_eq!(after.board(), &board, "{mv:?}");
    after
}

#[test]
fn stored_moves_play_as_many_lines_as_there_are() {
    let lines = COUNTS
        .lines()
        .filter(|it| !it.is_empty() && !it.starts_with('#'));
    let mut checked = 0;
    for line in lines {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [name, fen, depth, expected] = fields[..] else {
            panic!("four fields expected: {line}");
        };
        let start = position::parse(fen).expect(name);
        let (depth, expected) = (depth.parse().unwrap(), expected.parse::<u64>().unwrap());
        assert_eq!(perft(&start, depth), expected, "{name} at depth {depth}");
        checked += 1;
    }
    assert_eq!(checked, 9);
}
