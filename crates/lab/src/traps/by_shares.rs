//! The structural measure by shares: having more moves costs nothing.

use tabiya_gametree::Game;
use tabiya_gametree::assignment::share_distance;
use tabiya_gametree::similarity::{Measure, Structural};

/// The structural measure that compares the lists of similarities by shares of the children
/// instead of child by child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByShares<B>(pub(crate) Structural<B>);

impl<G: Game, B: Measure<G>> Measure<G> for ByShares<B> {
    type Profile = Vec<f64>;

    fn profile(&self, game: &G, position: &G::Position) -> Vec<f64> {
        self.0.profile(game, position)
    }

    fn compare(&self, a: &Vec<f64>, b: &Vec<f64>) -> f64 {
        1.0 - share_distance(a, b)
    }
}
