//! How alike two positions play, as a number from 0 to 1.
//!
//! One measure a file, all behind one trait. A measure reads each position once
//! into a profile and compares profiles, so that comparing one position with many
//! reads each of them once.

mod blend;
mod continuations;
mod correlation;
mod edit;
mod freedom;
mod sequences;
mod structural;

pub use blend::Blend;
pub use continuations::Continuations;
pub use correlation::Correlation;
pub use edit::{OrderedEdit, UnorderedEdit};
pub use freedom::Freedom;
pub use sequences::Sequences;
pub use structural::{Sample, Structural};

use crate::Game;

/// A similarity of positions: 1 on itself, symmetric, within [0, 1].
///
/// Implementations say what they read of a position that is not terminal and how
/// two such readings compare; terminal positions are treated alike by all
/// measures and never reach [`profile`](Measure::profile).
pub trait Measure<G: Game> {
    /// What the measure needs to know of a position.
    type Profile;

    /// Reads a position that has at least one legal move.
    fn profile(&self, game: &G, position: &G::Position) -> Self::Profile;

    /// The similarity of two positions that are not terminal.
    fn compare(&self, a: &Self::Profile, b: &Self::Profile) -> f64;

    /// Reads any position.
    fn read(&self, game: &G, position: &G::Position) -> Reading<Self::Profile> {
        if game.is_terminal(position) {
            let (least, greatest) = game.reward_range();
            Reading::Terminal((game.reward(position) - least) / (greatest - least))
        } else {
            Reading::Open(self.profile(game, position))
        }
    }

    /// The similarity of two readings. Two terminal positions compare by their
    /// rewards; a terminal position is not like one that goes on.
    fn compare_readings(&self, a: &Reading<Self::Profile>, b: &Reading<Self::Profile>) -> f64 {
        match (a, b) {
            (Reading::Open(a), Reading::Open(b)) => self.compare(a, b),
            (Reading::Terminal(a), Reading::Terminal(b)) => 1.0 - (a - b).abs(),
            _ => 0.0,
        }
    }

    /// The similarity of two positions.
    fn similarity(&self, game: &G, a: &G::Position, b: &G::Position) -> f64 {
        self.compare_readings(&self.read(game, a), &self.read(game, b))
    }
}

/// What a measure reads of a position.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading<P> {
    /// The game is over; the reward, scaled to [0, 1].
    Terminal(f64),
    /// The game goes on.
    Open(P),
}

#[cfg(test)]
mod tests;
