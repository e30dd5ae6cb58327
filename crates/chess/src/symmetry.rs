//! The symmetries of the board under which positions are compared.
//!
//! Swapping the colors and turning the board is an exact symmetry of the
//! rules. Mirroring left and right is not (king and queen differ, and so does
//! castling), but patterns survive it.

use serde::{Deserialize, Serialize};
use shakmaty::{Board, Color, Move, Piece, Setup, Square};

crate::named! {
    /// A way to look at a position. Each is its own inverse. Ties are broken in this order.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Symmetry: "symmetry" {
        /// As it is.
        None = "none",
        /// Left and right exchanged.
        Mirror = "mirror",
        /// Colors exchanged and the board turned upside down.
        Swap = "swap",
        /// Mirror and swap.
        Both = "both",
    }
}

impl Symmetry {
    /// Whether colors are exchanged.
    pub const fn swaps(self) -> bool {
        matches!(self, Symmetry::Swap | Symmetry::Both)
    }

    /// Whether left and right are exchanged.
    pub const fn mirrors(self) -> bool {
        matches!(self, Symmetry::Mirror | Symmetry::Both)
    }

    /// The square seen this way.
    pub fn square(self, square: Square) -> Square {
        let square = if self.mirrors() {
            square.flip_horizontal()
        } else {
            square
        };
        if self.swaps() {
            square.flip_vertical()
        } else {
            square
        }
    }

    /// The color seen this way.
    pub fn color(self, color: Color) -> Color {
        if self.swaps() { !color } else { color }
    }

    /// The piece seen this way.
    pub fn piece(self, piece: Piece) -> Piece {
        Piece {
            color: self.color(piece.color),
            ..piece
        }
    }

    /// The board seen this way.
    pub fn board(self, board: &Board) -> Board {
        let mut seen = board.clone();
        if self.mirrors() {
            seen.flip_horizontal();
        }
        if self.swaps() {
            // Shakmaty's word for exchanging colors and turning the board.
            seen.mirror();
        }
        seen
    }

    /// The move seen this way.
    pub fn mv(self, mv: Move) -> Move {
        let turn = |square| self.square(square);
        match mv {
            Move::Normal {
                role,
                from,
                capture,
                to,
                promotion,
            } => Move::Normal {
                role,
                from: turn(from),
                capture,
                to: turn(to),
                promotion,
            },
            Move::EnPassant { from, to } => Move::EnPassant {
                from: turn(from),
                to: turn(to),
            },
            Move::Castle { king, rook } => Move::Castle {
                king: turn(king),
                rook: turn(rook),
            },
            Move::Put { role, to } => Move::Put { role, to: turn(to) },
        }
    }

    /// The whole set-up seen this way. A mirrored position has no castling
    /// rights: the king does not stand on the e-file.
    pub fn setup(self, setup: &Setup) -> Setup {
        let mut seen = setup.clone();
        seen.board = self.board(&setup.board);
        seen.turn = self.color(setup.turn);
        seen.ep_square = setup.ep_square.map(|square| self.square(square));
        seen.castling_rights = if self.mirrors() {
            shakmaty::Bitboard::EMPTY
        } else {
            setup
                .castling_rights
                .into_iter()
                .map(|square| self.square(square))
                .collect()
        };
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{position, testing::random_line};
    use proptest::prelude::*;
    use shakmaty::{Chess, EnPassantMode, Position as _, fen::Fen};

    proptest! {
        #[test]
        fn each_is_its_own_inverse_and_keeps_moves_legal(seed: u64) {
            let mut position = Chess::default();
            for mv in random_line(seed, 60) {
                for symmetry in Symmetry::ALL {
                    let setup = position.to_setup(EnPassantMode::Legal);
                    let seen = symmetry.setup(&setup);
                    if !symmetry.mirrors() {
                        prop_assert_eq!(&symmetry.setup(&seen), &setup);
                    }
                    prop_assert_eq!(symmetry.board(&symmetry.board(position.board())), position.board().clone());
                    prop_assert_eq!(symmetry.mv(symmetry.mv(mv)), mv);
                    if !mv.is_castle() || !symmetry.mirrors() {
                        let fen = Fen::try_from_setup(seen).unwrap().to_string();
                        prop_assert!(position::parse(&fen).unwrap().is_legal(symmetry.mv(mv)));
                    }
                }
                position.play_unchecked(mv);
            }
        }
    }

    #[test]
    fn squares_and_pieces_turn() {
        assert_eq!(Symmetry::Mirror.square(Square::B1), Square::G1);
        assert_eq!(Symmetry::Swap.square(Square::B1), Square::B8);
        assert_eq!(Symmetry::Both.square(Square::B1), Square::G8);
        assert_eq!(Symmetry::Swap.color(Color::White), Color::Black);
    }
}
