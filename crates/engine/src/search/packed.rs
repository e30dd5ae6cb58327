//! A move in two bytes, as tables keep it.

use shakmaty::{Move, Role, Square};

/// From, to and promotion of a move, or no move at all.
///
/// Castling is the king taking its own rook, as shakmaty has it. Which piece
/// moves and what it takes follow from the position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PackedMove(u16);

impl PackedMove {
    pub(crate) const NONE: PackedMove = PackedMove(0);

    pub(crate) fn new(mv: Move) -> PackedMove {
        let from = mv.from().unwrap_or(Square::A1);
        let promotion = mv.promotion().map_or(0, u16::from);
        PackedMove(from.to_u32() as u16 | (mv.to().to_u32() as u16) << 6 | promotion << 12)
    }

    pub(crate) const fn bits(self) -> u16 {
        self.0
    }

    pub(crate) const fn from_bits(bits: u16) -> PackedMove {
        PackedMove(bits)
    }

    pub(crate) fn is(self, mv: Move) -> bool {
        self == PackedMove::new(mv)
    }
}

const _: () = assert!(Role::King as u16 <= 0xf);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tests::{POSITIONS, position};
    use shakmaty::Position;

    #[test]
    fn moves_of_a_position_differ_when_packed() {
        for fen in POSITIONS {
            let moves = position(fen).legal_moves();
            for (index, &mv) in moves.iter().enumerate() {
                let found = moves.iter().position(|&it| PackedMove::new(mv).is(it));
                assert_eq!(found, Some(index), "{fen} {mv}");
                assert_ne!(PackedMove::new(mv), PackedMove::NONE);
            }
        }
    }
}
