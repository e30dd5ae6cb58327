//! A board as a segment keeps it.

use shakmaty::{Bitboard, Board, ByColor, ByRole, Color, Piece, Role, Square};
use tabiya_chess::CompactMove;

use super::u64_at;

/// The size of a stored board.
pub(super) const BOARD: usize = 32;

/// A board as four bitboards, of which the first is Black's pieces and the others are the
/// bits of the roles' numbers. This is the stored form, and the fastest to play on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Planes(pub(crate) [u64; 4]);

impl From<&Board> for Planes {
    fn from(board: &Board) -> Planes {
        let mut planes = [board.black().0, 0, 0, 0];
        for role in Role::ALL {
            for bit in 0..3 {
                if role as usize >> bit & 1 == 1 {
                    planes[bit + 1] |= board.by_role(role).0;
                }
            }
        }
        Planes(planes)
    }
}

impl Planes {
    pub(super) fn from_bytes(bytes: &[u8; BOARD]) -> Planes {
        Planes([0, 8, 16, 24].map(|at| u64_at(bytes, at)))
    }

    /// Puts a piece on an empty square.
    pub(crate) fn put(&mut self, piece: Piece, square: Square) {
        let bits = [piece.color.is_black() as usize, piece.role as usize];
        let bits = bits[0] | bits[1] << 1;
        for (bit, plane) in self.0.iter_mut().enumerate() {
            *plane |= ((bits >> bit & 1) as u64) << square as u32;
        }
    }

    /// The squares with pieces on them.
    pub(crate) fn occupied(&self) -> u64 {
        self.0[1] | self.0[2] | self.0[3]
    }

    /// The pieces of each kind: White's pawn to king, then Black's.
    pub(crate) fn pieces(&self) -> [Bitboard; 12] {
        let black = self.0[0];
        let of = |role: Role| self.of_role(role).0;
        let mut pieces = [Bitboard::EMPTY; 12];
        for (kind, role) in Role::ALL.into_iter().enumerate() {
            pieces[kind] = Bitboard(of(role) & !black);
            pieces[6 + kind] = Bitboard(of(role) & black);
        }
        pieces
    }

    fn of_role(&self, role: Role) -> Bitboard {
        let choose = |bit: usize| {
            if role as usize >> bit & 1 == 1 {
                self.0[bit + 1]
            } else {
                !self.0[bit + 1]
            }
        };
        Bitboard(choose(0) & choose(1) & choose(2))
    }

    /// The board; `None` if the planes are none.
    pub(crate) fn board(&self) -> Option<Board> {
        let by_role = ByRole::new_with(|role: Role| self.of_role(role));
        let (occupied, black) = (self.occupied(), self.0[0]);
        let by_color = ByColor::new_with(|color: Color| {
            Bitboard(occupied & if color.is_black() { black } else { !black })
        });
        Board::try_from_bitboards(by_role, by_color).ok()
    }

    /// Makes a move, as [`CompactMove::play_on`] does on a board.
    pub(crate) fn play(&mut self, mv: CompactMove) {
        if !mv.is_ordinary() {
            return self.play_slowly(mv);
        }
        let (from, to) = (mv.origin() as u32, mv.target() as u32);
        let is_piece = self.occupied() >> from & 1;
        // Where there is no piece, nothing moves.
        let cleared = (is_piece << from) | (is_piece << to);
        for plane in &mut self.0 {
            let bit = *plane >> from & is_piece;
            *plane = *plane & !cleared | bit << to;
        }
    }

    #[cold]
    fn play_slowly(&mut self, mv: CompactMove) {
        if let Some(mut board) = self.board() {
            mv.play_on(&mut board);
            *self = Planes::from(&board);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Dice, random_board, random_game};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn boards_round_trip(seed: u64) {
            let board = random_board(seed);
            let bytes: Vec<u8> = Planes::from(&board).0.into_iter().flat_map(u64::to_le_bytes).collect();
            let planes = Planes::from_bytes(bytes.first_chunk().unwrap());
            prop_assert_eq!(planes.board(), Some(board.clone()));
            prop_assert_eq!(planes.pieces(), crate::term::Control::pieces_on(&board));
            prop_assert_eq!(planes.occupied(), board.occupied().0);
        }

        #[test]
        fn moves_are_made_as_on_a_board(seed: u64, other: u16) {
            let game = random_game(&mut Dice::new(seed), 120);
            let mut planes = Planes::from(&game.boards().next().unwrap());
            for (mv, board) in game.moves.iter().zip(game.boards().skip(1)) {
                planes.play(*mv);
                prop_assert_eq!(planes.board(), Some(board));
            }
            // Stored moves have checksums, not proofs.
            let mut board = planes.board().unwrap();
            CompactMove::from_bits(other).play_on(&mut board);
            planes.play(CompactMove::from_bits(other));
            prop_assert_eq!(planes.board(), Some(board));
        }
    }
}
