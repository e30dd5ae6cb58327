//! Material and piece-square values, tapered: "standard" evaluation.
//!
//! This is Pos + Mat of the action-based paper, and no more than that. The
//! values are fitted to games by `tabiya-lab tune standard`; left and right
//! are alike, so the evaluation does not change in a mirror.

use shakmaty::{Board, Color, Role, Square};

use super::standard_table::{MATERIAL, PLACES};
use super::{Phase, Taper};

/// Half-board squares of a piece-square table.
pub const HALF_BOARD: usize = 32;
/// How many weights [`trace`] counts: the king has no material value.
pub const WEIGHTS: usize = 5 + 6 * HALF_BOARD;

/// White's material and places less Black's, in centipawns.
pub fn balance(board: &Board) -> i32 {
    let mut sum = Taper::ZERO;
    for (square, piece) in board {
        let value = worth(piece.role, piece.color, square);
        match piece.color {
            Color::White => sum += value,
            Color::Black => sum -= value,
        }
    }
    sum.at(Phase::of(board), super::FULL_SCALE)
}

/// Mat + Pos of one piece; a king's material is 0.
pub fn worth(role: Role, color: Color, square: Square) -> Taper {
    let material = material_index(role).map_or(Taper::ZERO, |it| MATERIAL[it]);
    material + PLACES[usize::from(role) - 1][place_index(color, square)]
}

/// The weight of a number that [`trace`] gives.
pub fn weight(index: usize) -> Taper {
    match index.checked_sub(MATERIAL.len()) {
        None => MATERIAL[index],
        Some(place) => PLACES[place / HALF_BOARD][place % HALF_BOARD],
    }
}

/// Calls `count` with the number of every weight that applies and its sign.
pub fn trace(board: &Board, mut count: impl FnMut(usize, i32)) {
    for (square, piece) in board {
        let sign = if piece.color == Color::White { 1 } else { -1 };
        if let Some(index) = material_index(piece.role) {
            count(index, sign);
        }
        let table = 5 + (usize::from(piece.role) - 1) * HALF_BOARD;
        count(table + place_index(piece.color, square), sign);
    }
}

fn material_index(role: Role) -> Option<usize> {
    (role != Role::King).then(|| usize::from(role) - 1)
}

/// The square in the half-board from White's side, files e to h folded over.
fn place_index(color: Color, square: Square) -> usize {
    let rank = color
        .fold_wb(square.rank(), square.rank().flip_vertical())
        .to_usize();
    let file = square.file().to_usize();
    rank * 4 + file.min(7 - file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tests::POSITIONS;

    #[test]
    fn the_trace_names_what_the_balance_sums() {
        for fen in POSITIONS {
            let board =
                Board::from_ascii_board_fen(fen.split(' ').next().unwrap().as_bytes()).unwrap();
            let mut sum = Taper::ZERO;
            trace(&board, |index, sign| sum += weight(index) * sign);
            assert_eq!(
                sum.at(Phase::of(&board), crate::eval::FULL_SCALE),
                balance(&board)
            );
        }
    }
}
