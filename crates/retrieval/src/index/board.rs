//! A board as a segment keeps it.

use shakmaty::{Bitboard, Board, ByColor, ByRole, Color, Role};

use super::u64_at;

/// The size of a stored board.
pub(super) const BOARD: usize = 32;

/// A board in 32 bytes: four bitboards, of which the first is Black's pieces
/// and the others the bits of the roles' numbers.
pub(super) fn to_bytes(board: &Board) -> impl Iterator<Item = u8> {
    let mut planes = [board.black().0, 0, 0, 0];
    for role in Role::ALL {
        for bit in 0..3 {
            if role as usize >> bit & 1 == 1 {
                planes[bit + 1] |= board.by_role(role).0;
            }
        }
    }
    planes.into_iter().flat_map(u64::to_le_bytes)
}

/// The board that [`to_bytes`] wrote; `None` if the bytes are not a board.
pub(super) fn from_bytes(bytes: &[u8]) -> Option<Board> {
    let [black, bit_0, bit_1, bit_2] = [0, 8, 16, 24].map(|at| u64_at(bytes, at));
    let by_role = ByRole::new_with(|role: Role| {
        let choose = |plane: u64, bit: usize| {
            if role as usize >> bit & 1 == 1 {
                plane
            } else {
                !plane
            }
        };
        Bitboard(choose(bit_0, 0) & choose(bit_1, 1) & choose(bit_2, 2))
    });
    let occupied = bit_0 | bit_1 | bit_2;
    let by_color = ByColor::new_with(|color: Color| {
        Bitboard(occupied & if color.is_black() { black } else { !black })
    });
    Board::try_from_bitboards(by_role, by_color).ok()
}

/// How many pieces of each kind a stored board has: White's pawn to king, then Black's.
pub(super) fn counts(bytes: &[u8; BOARD]) -> [u8; 12] {
    let [black, bit_0, bit_1, bit_2] = [0, 8, 16, 24].map(|at| u64_at(bytes, at));
    std::array::from_fn(|kind| {
        let role = kind % 6 + 1;
        let choose = |plane: u64, bit: usize| if role >> bit & 1 == 1 { plane } else { !plane };
        let side = if kind < 6 { !black } else { black };
        (choose(bit_0, 0) & choose(bit_1, 1) & choose(bit_2, 2) & side).count_ones() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_board;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn boards_round_trip(seed: u64) {
            let board = random_board(seed);
            let bytes: Vec<u8> = to_bytes(&board).collect();
            prop_assert_eq!(from_bytes(&bytes), Some(board.clone()));
            let pieces = |kind: usize| Role::ALL[kind % 6].of(Color::from_white(kind < 6));
            let expected: [u8; 12] = std::array::from_fn(|it| board.by_piece(pieces(it)).count() as u8);
            prop_assert_eq!(counts(bytes.first_chunk().unwrap()), expected);
        }
    }
}
