//! Positions to test laws on: reached by random play, from the start of the
//! game and from set-ups with few pieces, promotions and en passant near.

use proptest::prelude::*;
use shakmaty::{CastlingMode, Chess, Move, Position, fen::Fen};
use tabiya_gametree::Dice;

use crate::{
    Annotations, CompactMove, Game,
    annotation::{Branch, Remark},
    position as positions,
};

const SETUPS: [&str; 7] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    "8/8/4k3/8/8/4K3/8/8 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
];

/// A position some random moves away from one of the set-ups.
pub(crate) fn positions() -> impl Strategy<Value = Chess> {
    lines().prop_map(|mut line| line.pop().expect("a line starts with a position"))
}

/// All positions of a random line, the set-up first.
pub(crate) fn lines() -> impl Strategy<Value = Vec<Chess>> {
    let choices = proptest::collection::vec(any::<proptest::sample::Index>(), 0..120);
    (proptest::sample::select(&SETUPS[..]), choices).prop_map(|(fen, choices)| {
        let mut line = vec![position(fen)];
        for choice in choices {
            let last = &line[line.len() - 1];
            let legal = last.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mut next = last.clone();
            next.play_unchecked(legal[choice.index(legal.len())]);
            line.push(next);
        }
        line
    })
}

/// A line of random legal moves from the start: the same for the same seed.
pub(crate) fn random_line(seed: u64, plies: usize) -> Vec<Move> {
    let mut dice = Dice::new(seed);
    let mut position = Chess::default();
    let mut line = Vec::new();
    while line.len() < plies {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[dice.below(moves.len())];
        line.push(mv);
        position.play_unchecked(mv);
    }
    line
}

/// A random game with glyphs, comments of this choice, nested variations and
/// null moves: the same for the same seed.
pub(crate) fn annotated_game(seed: u64, comments: &[String]) -> Game {
    let mut dice = Dice::new(seed);
    let plies = dice.below(30);
    let Branch { moves, annotations } =
        annotated_line(&mut dice, &Chess::default(), plies, 4, comments);
    Game {
        moves,
        annotations,
        ..Game::default()
    }
}

fn annotated_line(
    dice: &mut Dice,
    start: &Chess,
    plies: usize,
    depth: usize,
    comments: &[String],
) -> Branch {
    let mut annotations = Annotations::default();
    let (mut moves, mut line) = (Vec::new(), vec![start.clone()]);
    for ply in 0..=plies {
        while dice.below(3) == 0 {
            let remark = match dice.below(3) {
                0 => Remark::Nag(dice.below(256) as u8),
                1 => Remark::Comment(comments[dice.below(comments.len())].clone()),
                _ if moves.is_empty() || depth == 0 => break,
                _ => {
                    let plies = dice.below(6);
                    let before = &line[line.len() - 2];
                    let branch = annotated_line(dice, before, plies, depth - 1, comments);
                    if branch.is_empty() {
                        break;
                    }
                    Remark::Variation(branch)
                }
            };
            annotations.push(moves.len() as u16, remark);
        }
        let last = &line[line.len() - 1];
        let legal = last.legal_moves();
        if ply == plies || legal.is_empty() {
            break;
        }
        let passed = positions::pass(last).filter(|_| dice.below(10) == 0);
        let mv = legal[dice.below(legal.len())];
        moves.push(passed.as_ref().map_or(mv.into(), |_| CompactMove::NULL));
        line.push(passed.unwrap_or_else(|| {
            let mut next = last.clone();
            next.play_unchecked(mv);
            next
        }));
    }
    Branch { moves, annotations }
}

/// The position of a FEN that is known to be sound.
pub(crate) fn position(fen: &str) -> Chess {
    let fen: Fen = fen.parse().expect("a sound FEN");
    fen.into_position(CastlingMode::Standard)
        .expect("a legal position")
}
