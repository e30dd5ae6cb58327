//! Correlation: how much of the board is the same. The control experiment, which
//! looks at the board and not at the play.

use super::Measure;
use crate::Board;

/// The share of cells with equal contents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Correlation;

impl<G: Board> Measure<G> for Correlation {
    type Profile = Vec<G::Cell>;

    fn profile(&self, game: &G, position: &G::Position) -> Vec<G::Cell> {
        game.cells(position)
    }

    fn compare(&self, a: &Vec<G::Cell>, b: &Vec<G::Cell>) -> f64 {
        let equal = a.iter().zip(b).filter(|(a, b)| a == b).count();
        equal as f64 / a.len().max(b.len()).max(1) as f64
    }
}
