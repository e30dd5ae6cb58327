//! Blend: two measures as one, by their weighted mean.

use super::Measure;
use crate::Game;

/// The weighted mean of two measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blend<A, B> {
    first: A,
    second: B,
    /// The first measure's share, from 0 to 1.
    share: f64,
}

impl<A, B> Blend<A, B> {
    /// The mean in which `first` has the given share, kept within [0, 1], and
    /// `second` the rest.
    pub fn new(first: A, second: B, share: f64) -> Blend<A, B> {
        Blend {
            first,
            second,
            share: share.clamp(0.0, 1.0),
        }
    }
}

impl<G: Game, A: Measure<G>, B: Measure<G>> Measure<G> for Blend<A, B> {
    type Profile = (A::Profile, B::Profile);

    fn profile(&self, game: &G, position: &G::Position) -> Self::Profile {
        (
            self.first.profile(game, position),
            self.second.profile(game, position),
        )
    }

    fn compare(&self, a: &Self::Profile, b: &Self::Profile) -> f64 {
        self.share * self.first.compare(&a.0, &b.0)
            + (1.0 - self.share) * self.second.compare(&a.1, &b.1)
    }
}
