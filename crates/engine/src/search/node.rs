//! A position on the search's path, with what the search needs at hand.

use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Move, Position};

/// A position, its key and how it was reached.
pub(crate) struct Node {
    pub(crate) position: Chess,
    pub(crate) key: u64,
    pub(crate) ply: usize,
    pub(crate) in_check: bool,
    /// The move that led here, unless it was a pass or the game's own.
    pub(crate) last: Option<Move>,
}

impl Node {
    pub(crate) fn root(position: Chess, last: Option<Move>) -> Node {
        let key = key_of(&position);
        let in_check = position.is_check();
        Node {
            position,
            key,
            ply: 0,
            in_check,
            last,
        }
    }

    /// The position after a legal move.
    pub(crate) fn after(&self, mv: Move) -> Node {
        let mut position = self.position.clone();
        position.play_unchecked(mv);
        let key = self
            .position
            .update_zobrist_hash(Zobrist64(self.key), mv, EnPassantMode::Legal)
            .map_or_else(|| key_of(&position), |it| it.0);
        let in_check = position.is_check();
        Node {
            position,
            key,
            ply: self.ply + 1,
            in_check,
            last: Some(mv),
        }
    }

    /// The position if the side to move passes; none in check.
    pub(crate) fn after_pass(&self) -> Option<Node> {
        let position = self.position.clone().swap_turn().ok()?;
        let key = key_of(&position);
        Some(Node {
            position,
            key,
            ply: self.ply + 1,
            in_check: false,
            last: None,
        })
    }

    /// Does the move take back what was just taken with?
    pub(crate) fn is_recapture(&self, mv: Move) -> bool {
        mv.is_capture()
            && self
                .last
                .is_some_and(|it| it.is_capture() && it.to() == mv.to())
    }
}

/// The key of a position; two positions that count as a repetition share it.
pub(crate) fn key_of(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tests::{POSITIONS, position};

    #[test]
    fn incremental_keys_equal_computed_keys() {
        for fen in POSITIONS {
            let root = Node::root(position(fen), None);
            for mv in root.position.legal_moves() {
                let child = root.after(mv);
                assert_eq!(child.key, key_of(&child.position), "{fen} {mv}");
                for reply in child.position.legal_moves() {
                    let grandchild = child.after(reply);
                    assert_eq!(
                        grandchild.key,
                        key_of(&grandchild.position),
                        "{fen} {mv} {reply}"
                    );
                }
            }
        }
    }

    fn perft(node: &Node, depth: u32) -> u64 {
        let moves = node.position.legal_moves();
        if depth == 1 {
            return moves.len() as u64;
        }
        moves
            .into_iter()
            .map(|mv| perft(&node.after(mv), depth - 1))
            .sum()
    }

    #[test]
    fn the_usual_positions_have_the_usual_number_of_lines() {
        for (fen, depth, lines) in [
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                4,
                197_281,
            ),
            (
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                3,
                97_862,
            ),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4, 43_238),
            (
                "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
                3,
                9_467,
            ),
            (
                "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
                3,
                62_379,
            ),
            (
                "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
                3,
                89_890,
            ),
        ] {
            assert_eq!(
                perft(&Node::root(position(fen), None), depth),
                lines,
                "{fen}"
            );
        }
    }
}
