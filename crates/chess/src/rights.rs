//! What a board does not show: whose turn it is, who may castle where, and
//! whether a pawn can be captured en passant.
//!
//! A board with its rights is a position in the sense of the rules: two
//! positions are the same exactly if both are equal. Rights are a small number
//! that a store keeps beside a record; they are not a position by themselves.

use shakmaty::{
    Bitboard, Board, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, File, Position,
    PositionError, Rank, Setup, Square,
};

/// The rights of a position in 21 bits, few of them used in ordinary chess.
///
/// | bits | what |
/// |---|---|
/// | 0 | set if Black is to move |
/// | 1 to 4 | White may castle king side, queen side; Black likewise |
/// | 5 to 8 | 0, or 1 + the file of the pawn that can legally be captured en passant |
/// | 9 to 20 | for each castling right, how many own rooks stand between the castling rook and the edge (0 outside of Chess960) |
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rights(u32);

impl Rights {
    /// The rights of a position.
    ///
    /// En passant counts only if the capture is legal, as in FIDE's rule on
    /// repetition.
    pub fn of(position: &Chess) -> Rights {
        let mut bits = u32::from(position.turn().is_black());
        let castles = position.castles();
        if castles.any() {
            for (index, (color, side)) in castling_rights().enumerate() {
                if let Some(rook) = castles.rook(color, side) {
                    let outer = rooks(position.board(), color) & beyond(rook, side);
                    bits |= 1 << (CASTLING + index);
                    bits |= (outer.count() as u32) << (OUTER_ROOKS + 3 * index);
                }
            }
        }
        if let Some(square) = position.ep_square(EnPassantMode::Legal) {
            bits |= (1 + u32::from(square.file())) << EN_PASSANT;
        }
        Rights(bits)
    }

    /// The number to store, less than 2^21.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The rights of a stored number.
    pub const fn from_bits(bits: u32) -> Rights {
        Rights(bits)
    }

    /// The side to move.
    pub fn turn(self) -> Color {
        Color::from_white(self.0 & 1 == 0)
    }

    /// The position of a board with these rights.
    ///
    /// # Errors
    ///
    /// When board and rights do not make a legal position.
    pub fn position(self, board: Board) -> Result<Chess, Box<PositionError<Chess>>> {
        let mut setup = Setup::empty();
        setup.turn = self.turn();
        setup.castling_rights = castling_rights()
            .enumerate()
            .filter_map(|(index, (color, side))| self.castling_rook(index, &board, color, side))
            .fold(Bitboard::EMPTY, |rooks, it| rooks.with(it));
        setup.ep_square = self.en_passant_square();
        setup.board = board;
        let mode = CastlingMode::detect(&setup);
        setup.position(mode).map_err(Box::new)
    }

    fn castling_rook(
        self,
        index: usize,
        board: &Board,
        color: Color,
        side: CastlingSide,
    ) -> Option<Square> {
        if self.0 >> (CASTLING + index) & 1 == 0 {
            return None;
        }
        let outer = self.0 >> (OUTER_ROOKS + 3 * index) & 7;
        let mut rooks = rooks(board, color);
        let mut outermost = || match side {
            CastlingSide::KingSide => rooks.pop_back(),
            CastlingSide::QueenSide => rooks.pop_front(),
        };
        for _ in 0..outer {
            outermost();
        }
        outermost()
    }

    fn en_passant_square(self) -> Option<Square> {
        let file = File::ALL.get((self.0 >> EN_PASSANT & 15).checked_sub(1)? as usize)?;
        let rank = self.turn().fold_wb(Rank::Sixth, Rank::Third);
        Some(Square::from_coords(*file, rank))
    }
}

const CASTLING: usize = 1;
const EN_PASSANT: usize = 5;
const OUTER_ROOKS: usize = 9;

fn castling_rights() -> impl Iterator<Item = (Color, CastlingSide)> {
    Color::ALL
        .into_iter()
        .flat_map(|color| CastlingSide::ALL.into_iter().map(move |side| (color, side)))
}

/// The rooks of a color on its first rank.
fn rooks(board: &Board, color: Color) -> Bitboard {
    board.by_piece(color.rook()) & Bitboard::from_rank(color.backrank())
}

/// The squares of a rook's rank between it and the edge on that side.
fn beyond(rook: Square, side: CastlingSide) -> Bitboard {
    let rank = Bitboard::from_rank(rook.rank());
    let below = Bitboard(Bitboard::from_square(rook).0 - 1);
    match side {
        CastlingSide::KingSide => rank & !below.with(rook),
        CastlingSide::QueenSide => rank & below,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::fen::Fen;

    use super::*;
    use crate::testing::{position, positions};

    #[track_caller]
    fn check_returns(position: &Chess) {
        let rights = Rights::of(position);
        assert_eq!(Rights::from_bits(rights.bits()), rights);
        assert!(rights.bits() < 1 << 21);
        assert_eq!(
            rights.position(position.board().clone()).as_ref().ok(),
            Some(position)
        );
    }

    proptest! {
        #[test]
        fn board_and_rights_are_the_position(position in positions()) {
            check_returns(&position);
        }

        #[test]
        fn any_bits_are_a_position_or_an_error(bits in any::<u32>(), position in positions()) {
            let _ = Rights::from_bits(bits).position(position.board().clone());
        }
    }

    #[test]
    fn castling_with_an_inner_rook_comes_back() {
        // Chess960: the king on e1 castles with the rook on g1, not h1; Black
        // with the outer rooks.
        let fen: Fen = "rr2k1rr/8/8/8/8/8/8/RR2K1RR w GBha - 0 1".parse().unwrap();
        check_returns(&fen.into_position(CastlingMode::Chess960).unwrap());
    }

    #[test]
    fn en_passant_counts_only_if_legal() {
        let pushed = position("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1");
        let quiet = position("4k3/8/8/8/4P3/8/8/4K3 b - - 0 1");
        let met = position("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1");
        assert_eq!(Rights::of(&pushed), Rights::of(&quiet));
        assert_eq!(Rights::of(&met).bits() >> EN_PASSANT & 15, 5);
        // Both pawns would leave the fourth rank and open it for the rook.
        let exposed = position("8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1");
        assert_eq!(Rights::of(&exposed), Rights::of(&quiet));
    }

    #[test]
    fn ordinary_rights_fit_seven_bits_without_en_passant() {
        let bits = Rights::of(&Chess::default()).bits();
        assert_eq!(bits, 0b11110);
    }
}
