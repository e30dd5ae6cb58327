//! How squares look to the player to move.

use shakmaty::{Board, Chess, Color, Position, Square};

/// The player to move at the beginning of a line, and his opponent's king.
pub(crate) struct View {
    pub(crate) us: Color,
    king: Square,
}

impl View {
    pub(crate) fn of(position: &Chess) -> View {
        View::new(position.board(), position.turn())
    }

    /// The view of a player.
    pub(crate) fn new(board: &Board, us: Color) -> View {
        View {
            us,
            // Sound positions have kings.
            king: board.king_of(!us).unwrap_or(Square::E8),
        }
    }

    /// The enemy's king when the line begins.
    pub(crate) fn king(&self) -> Square {
        self.king
    }

    /// The rank, our first being 0.
    pub(crate) fn rank(&self, square: Square) -> i32 {
        let rank = square.rank() as i32;
        if self.us == Color::White {
            rank
        } else {
            7 - rank
        }
    }

    /// The way from a king to a square: files to either side, ranks forward.
    pub(crate) fn offset(&self, square: Square, king: Square) -> (i32, i32) {
        let files = (square.file() as i32 - king.file() as i32).abs();
        (files, self.rank(square) - self.rank(king))
    }

    /// The way from the enemy's king, where he stood when the line began.
    pub(crate) fn beside_king(&self, square: Square) -> (i32, i32) {
        self.offset(square, self.king)
    }

    /// In what part of the board a king is: corner, edge or middle by file, his
    /// last rank, our first, or between.
    pub(crate) fn region(&self, king: Square) -> i32 {
        let file = match king.file() as i32 {
            0 | 7 => 0,
            1 | 6 => 1,
            _ => 2,
        };
        let rank = match self.rank(king) {
            7 => 0,
            5 | 6 => 1,
            0 => 3,
            _ => 2,
        };
        4 * file + rank
    }
}
