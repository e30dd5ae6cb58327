//! A small network that judges positions, learned from another engine's scores.
//!
//! An input is a piece on a square. Both sides see the board their own way: own and enemy pieces,
//! their own first rank below, their own king always on files a to d. Each side's inputs are
//! summed into `CELLS` cells; the cells of the side to move and then those of the other side,
//! cut off below and above and squared, are the inputs of one of eight outputs, chosen by the
//! number of pieces. All numbers are integers, so the result is the same on every processor, whatever
//! vector instructions the compiler finds.
//!
//! `weights.bin` is what `python/train/network.py` wrote; docs/engine.md says from which labels.

mod accumulators;
mod weights;

use shakmaty::{Bitboard, Board, Chess, Color, Role, Square};

pub(crate) use accumulators::Accumulators;
use weights::{CELL, Cells, OUTPUT, OUTPUTS, Weights};

/// Centipawns of one. The labels have as many (`--scale` of the script), so a score means what
/// it meant to the labeling engine; a queen is then worth about as much as in the tuned evaluation.
const CENTIPAWNS: i64 = 160;

/// The worth of a position to the side to move in centipawns, without any memory.
pub fn evaluate(position: &Chess) -> i32 {
    Accumulators::new(0).evaluate(position, 0)
}

/// How a side sees the squares of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct View {
    color: Color,
    /// What turns a square's number into the number that the side sees.
    turn: u32,
}

impl View {
    fn of(board: &Board, color: Color) -> View {
        let right = Bitboard::EAST & board.kings() & board.by_color(color);
        let mirror = if right.any() { 7 } else { 0 };
        let turn = color.fold_wb(mirror, mirror ^ 56);
        View { color, turn }
    }

    /// The number of an input.
    fn input(self, color: Color, role: Role, square: Square) -> usize {
        let owner = usize::from(color != self.color);
        let square = u32::from(square) ^ self.turn;
        owner * 384 + (usize::from(role) - 1) * 64 + square as usize
    }
}

/// The output that judges a board.
fn output(board: &Board) -> usize {
    (board.occupied().count().saturating_sub(2) / 4).min(OUTPUTS - 1)
}

/// Centipawns from the cells of the side to move and the other side.
fn judge(weights: &Weights, output: usize, own: &Cells, other: &Cells) -> i32 {
    let [by_own, by_other] = &weights.last[output];
    let sum = squared(own, by_own) + squared(other, by_other);
    let one = i64::from(CELL) * i64::from(OUTPUT);
    let value = i64::from(sum) / i64::from(CELL) + i64::from(weights.last_bias[output]);
    (value * CENTIPAWNS / one) as i32
}

/// The cells, cut off at 0 and [`CELL`] and squared, times their weights.
///
/// A cell times its weight fits sixteen bits, so that one instruction multiplies that by the
/// cell and adds pairs; `weights` checks it.
fn squared(cells: &Cells, weights: &Cells) -> i32 {
    let pairs = cells.0.iter().zip(&weights.0);
    let product = |(&cell, &weight): (&i16, &i16)| {
        let cell = cell.clamp(0, CELL);
        i32::from(cell.wrapping_mul(weight)) * i32::from(cell)
    };
    pairs.map(product).fold(0, i32::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::weights::{CELLS, weights};
    use super::*;
    use crate::eval::tests::{POSITIONS, position};
    use shakmaty::{CastlingMode, Position};

    /// The network by its definition, from the board alone, with wide numbers.
    pub(super) fn defined(position: &Chess) -> i32 {
        let board = position.board();
        let weights = weights();
        let output = output(board);
        let mut sum = 0_i64;
        for (side, color) in [position.turn(), !position.turn()].into_iter().enumerate() {
            let king = board.king_of(color).unwrap();
            for cell in 0..CELLS {
                let mut value = i64::from(weights.first_bias.0[cell]);
                for (square, piece) in board {
                    let mut rank = i32::from(square.rank());
                    let mut file = i32::from(square.file());
                    if color == Color::Black {
                        rank = 7 - rank;
                    }
                    if i32::from(king.file()) >= 4 {
                        file = 7 - file;
                    }
                    let owner = if piece.color == color { 0 } else { 384 };
                    let role = 64 * (piece.role as i32 - 1);
                    let input = owner + role + 8 * rank + file;
                    value += i64::from(weights.first[input as usize].0[cell]);
                }
                let value = value.clamp(0, i64::from(CELL));
                sum += value * value * i64::from(weights.last[output][side].0[cell]);
            }
        }
        let value = sum / i64::from(CELL) + i64::from(weights.last_bias[output]);
        (value * CENTIPAWNS / (i64::from(CELL) * i64::from(OUTPUT))) as i32
    }

    #[test]
    fn the_network_is_what_its_definition_says() {
        for fen in POSITIONS {
            let position = position(fen);
            assert_eq!(evaluate(&position), defined(&position), "{fen}");
        }
    }

    #[test]
    fn a_mirrored_position_is_worth_the_same() {
        for fen in POSITIONS {
            let position = position(fen);
            let mut setup = position.to_setup(shakmaty::EnPassantMode::Legal);
            setup.board.flip_horizontal();
            setup.castling_rights = Bitboard::EMPTY;
            setup.ep_square = setup.ep_square.map(Square::flip_horizontal);
            let mirrored = setup.position(CastlingMode::Standard).unwrap();
            assert_eq!(evaluate(&mirrored), evaluate(&position), "{fen}");
        }
    }

    #[test]
    fn a_piece_more_is_worth_about_a_piece() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert!(evaluate(&position(start)).abs() < 100);
        for (whole, without, least) in [
            ("pppp/8", "ppp1/8", 40),
            ("rnb", "r1b", 250),
            ("bqk", "b1k", 700),
        ] {
            let field = start.replacen(whole, without, 1);
            let field = field.replace("KQkq", "-");
            let worth = evaluate(&position(&field));
            assert!(worth > least, "{field} {worth}");
        }
    }
}
