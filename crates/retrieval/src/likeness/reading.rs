//! What is read of one position, to be compared with that of another.

use shakmaty::{Bitboard, Board, Chess, Color, Position};

use super::{skeleton::Skeleton, words::Words};
use crate::term::{Control, TermSet};

/// A position, read.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) board: Board,
    pub(super) turn: Color,
    pub(super) terms: TermSet,
    /// The pieces of each kind, White's pawn to king, then Black's.
    pub(super) pieces: [Bitboard; 12],
    pub(super) skeleton: Skeleton,
    pub(super) words: Words,
}

impl Reading {
    /// Reads a position as `us` sees it.
    pub(super) fn of(position: &Chess, us: Color) -> Reading {
        let board = position.board();
        Reading {
            board: board.clone(),
            turn: position.turn(),
            terms: TermSet::of_document(board),
            pieces: Control::pieces_on(board),
            skeleton: Skeleton::of(board),
            words: Words::of(position, us),
        }
    }

    /// Whether nothing on the board differs, nor who is to move.
    pub(super) fn is_same(&self, other: &Reading) -> bool {
        self.pieces == other.pieces && self.turn == other.turn
    }
}
