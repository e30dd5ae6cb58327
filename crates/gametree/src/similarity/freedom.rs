//! Freedom: how far the opponent can take away one's replies after each of one's
//! moves.
//!
//! The structural measure with another base and another normalization; ours, not
//! the paper's. Over continuations the structural measure mostly compares numbers
//! of legal moves, which say little about what is at stake. A threat shows in the
//! tree without any knowledge of the game: it is a move after which the other side
//! has few replies, or none. So each child is read not by its similarity to its
//! parent but by the freedom left to the parent's player under the opponent's most
//! confining answer, and the lists are compared by shares (see
//! [`share_distance`]), so that a surplus of moves costs nothing. Names of moves
//! play no part. `docs/measures.md` has the definition and how well it separates traps
//! from other positions.

use super::Measure;
use crate::Game;
use crate::assignment::share_distance;

/// A position of n legal moves has the freedom n / (n + 8). Chosen on the four
/// traps of the paper from 0.2 to 20; from 5 to 12 it hardly matters.
const HALF_FREE: f64 = 8.0;

/// Positions with at most this many replies are forced: the line is followed beyond
/// them to see whether it ends the game.
const FORCED: usize = 2;

/// How often a line is followed beyond a forced reply. Once shows wins in two
/// moves; twice costs more and separates the same four traps no better.
const EXTENSIONS: usize = 1;

/// The similarity of two positions by how free the player to move remains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freedom;

impl<G: Game> Measure<G> for Freedom {
    /// For each move, ascending, the freedom left by the most confining answer.
    type Profile = Vec<f64>;

    fn profile(&self, game: &G, position: &G::Position) -> Vec<f64> {
        let mut moves = Vec::new();
        game.legal_moves(position, &mut moves);
        let left = |&mv| left_by_best_answer(game, &game.play(position, mv), EXTENSIONS);
        let mut values: Vec<f64> = moves.iter().map(left).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    fn compare(&self, a: &Vec<f64>, b: &Vec<f64>) -> f64 {
        1.0 - share_distance(a, b)
    }
}

/// The least freedom that the player to move can leave the other; 1 if there is no
/// move to do so.
fn left_by_best_answer<G: Game>(game: &G, position: &G::Position, extensions: usize) -> f64 {
    let mut moves = Vec::new();
    game.legal_moves(position, &mut moves);
    let mut least: f64 = 1.0;
    for mv in moves {
        least = least.min(freedom(game, &game.play(position, mv), extensions));
        if least == 0.0 {
            break;
        }
    }
    least
}

/// How free the player to move is: 0 if he has lost, 1 if the game ended
/// otherwise; when he is forced, no more than what his best reply leaves him.
fn freedom<G: Game>(game: &G, position: &G::Position, extensions: usize) -> f64 {
    let replies = game.mobility(position);
    if replies == 0 {
        return if game.is_lost(position) { 0.0 } else { 1.0 };
    }
    let free = replies as f64 / (replies as f64 + HALF_FREE);
    if extensions == 0 || replies > FORCED {
        return free;
    }
    let mut moves = Vec::new();
    game.legal_moves(position, &mut moves);
    let after = |mv| left_by_best_answer(game, &game.play(position, mv), extensions - 1);
    free.min(moves.into_iter().map(after).fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::{Heaps, Nim, TicTacToe};

    #[test]
    fn a_move_that_can_be_answered_by_a_win_leaves_no_freedom() {
        // Two heaps of one: whatever is taken, the last one is taken next.
        assert_eq!(Freedom.profile(&Nim, &Heaps::new(&[1, 1])), [0.0, 0.0]);
        // One heap of two: taking both ends the game, taking one loses.
        assert_eq!(Freedom.profile(&Nim, &Heaps::new(&[2])), [0.0, 1.0]);
    }

    #[test]
    fn a_forced_line_is_followed() {
        // O to move; X threatens to fork. After O's move X may leave him one reply.
        let start = TicTacToe::with(&["A1", "B2"], &["C3"], true).unwrap();
        let profile = Freedom.profile(&TicTacToe, &start);
        assert_eq!(profile.len(), 6);
        assert!(profile.iter().all(|it| (0.0..=1.0).contains(it)));
    }
}
