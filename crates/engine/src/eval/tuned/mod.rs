//! The strong evaluation: material, places, mobility, pawns, king safety and
//! threats, each with a weight fitted to the results of real games.
//!
//! What counts and how often is decided here, what it is worth in
//! `weights.rs`, which `tabiya-lab tune tuned` writes. The same walk over the
//! board serves both: it hands every finding to a `Tally`, which either sums
//! weights or notes the finding for the tuner.

pub mod layout;
mod survey;
mod weights;

use shakmaty::{Bitboard, Board, Chess, Color, Position, Role};

use super::{FULL_SCALE, Phase, Taper};
use survey::Survey;
use tabiya_chess::exchange::exchange_value;

/// Receives what the walk over the board finds.
trait Tally {
    /// Weight number `weight` applies `times` times to `color`.
    fn count(&mut self, color: Color, weight: usize, times: i32);
}

/// White's balance in centipawns.
pub fn balance(position: &Chess) -> i32 {
    let mut sum = Sum(Taper::ZERO);
    survey(position, &mut sum);
    let board = position.board();
    sum.0.at(Phase::of(board), endgame_scale(board))
}

/// Calls `count` with the number of every weight that applies, and how often,
/// White's less Black's; returns the scale of the endgame.
pub fn trace(position: &Chess, mut count: impl FnMut(usize, i32)) -> i32 {
    struct Each<F>(F);
    impl<F: FnMut(usize, i32)> Tally for Each<F> {
        fn count(&mut self, color: Color, weight: usize, times: i32) {
            (self.0)(weight, color.fold_wb(times, -times));
        }
    }
    survey(position, &mut Each(&mut count));
    endgame_scale(position.board())
}

struct Sum(Taper);

impl Tally for Sum {
    fn count(&mut self, color: Color, weight: usize, times: i32) {
        let value = weights::WEIGHTS[weight] * times;
        match color {
            Color::White => self.0 += value,
            Color::Black => self.0 -= value,
        }
    }
}

fn survey<T: Tally>(position: &Chess, tally: &mut T) {
    let mut survey = Survey::new(position.board());
    for color in Color::ALL {
        survey.pieces(color, tally);
    }
    for color in Color::ALL {
        survey.pawns(color, tally);
        survey.king(color, tally);
        survey.threats(color, tally);
        survey.space(color, tally);
    }
    tally.count(position.turn(), layout::TEMPO, 1);
}

/// How much of the endgame's balance can be won, of [`FULL_SCALE`]: little
/// without pawns, half with bishops of opposite colors.
fn endgame_scale(board: &Board) -> i32 {
    let force = |color: Color| {
        let own = board.by_color(color);
        [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
            .into_iter()
            .map(|it| (board.by_role(it) & own).count() as i32 * exchange_value(it))
            .sum::<i32>()
    };
    let pawns = |color: Color| (board.pawns() & board.by_color(color)).count() as i32;
    let (white, black) = (force(Color::White), force(Color::Black));
    let (pawns_white, pawns_black) = (pawns(Color::White), pawns(Color::Black));
    let lead = white + 100 * pawns_white - black - 100 * pawns_black;
    let (strong, weak, strong_pawns) = if lead >= 0 {
        (white, black, pawns_white)
    } else {
        (black, white, pawns_black)
    };

    if strong_pawns == 0 && strong - weak <= exchange_value(Role::Bishop) {
        return if strong < exchange_value(Role::Rook) {
            0
        } else {
            12
        };
    }
    if opposite_bishops(board) {
        let bishops_only = strong == weak && strong == exchange_value(Role::Bishop);
        return if bishops_only {
            22 + 4 * strong_pawns.min(6)
        } else {
            50
        };
    }
    (46 + 6 * strong_pawns).min(FULL_SCALE)
}

fn opposite_bishops(board: &Board) -> bool {
    let bishops = |color: Color| board.bishops() & board.by_color(color);
    let (white, black) = (bishops(Color::White), bishops(Color::Black));
    let light = |it: Bitboard| (it & Bitboard::LIGHT_SQUARES).any();
    white.count() == 1 && black.count() == 1 && light(white) != light(black)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tests::{POSITIONS, position};

    #[test]
    fn the_trace_names_what_the_balance_sums() {
        for fen in POSITIONS {
            let position = position(fen);
            let mut sum = Taper::ZERO;
            let scale = trace(&position, |weight, times| {
                sum += weights::WEIGHTS[weight] * times
            });
            assert_eq!(
                sum.at(Phase::of(position.board()), scale),
                balance(&position),
                "{fen}"
            );
        }
    }

    #[test]
    fn a_minor_piece_does_not_win_without_pawns() {
        assert_eq!(
            endgame_scale(position("8/8/4k3/8/8/4KB2/8/8 w - - 0 1").board()),
            0
        );
        assert!(balance(&position("8/8/4k3/8/8/4KB2/8/8 w - - 0 1")).abs() < 20);
    }
}
