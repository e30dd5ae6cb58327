//! Structural: how alike the shapes of two trees are, whatever their moves are
//! called.
//!
//! Each position is compared with its own children under a base measure; what is
//! compared between positions is only the two lists of numbers. Over
//! continuations of one ply with labels that name the mover, every number is 0 and
//! the measure is the ratio of the numbers of moves; over two plies it still
//! follows that ratio closely. `docs/measures.md` shows how closely.

use super::{Measure, Reading};
use crate::assignment::sorted_cost;
use crate::{Dice, Game};

/// The structural measure over the base measure `B`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Structural<B> {
    base: B,
    sample: Option<Sample>,
}

/// How many children are read, chosen at random but always the same ones for the
/// same seed and position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The greatest number of children that are read.
    pub children: usize,
    /// Chooses which.
    pub seed: u64,
}

impl<B> Structural<B> {
    /// The measure that compares every child with its parent by `base`.
    pub fn over(base: B) -> Structural<B> {
        Structural { base, sample: None }
    }

    /// The measure that reads a sample of the children only and takes the rest to
    /// be distributed likewise. Cost falls with the sample's size; the value
    /// becomes an estimate.
    #[must_use]
    pub fn sampled(self, sample: Sample) -> Structural<B> {
        Structural {
            sample: Some(sample),
            ..self
        }
    }

    /// The similarity of `position` to each of its children, in the order of its
    /// legal moves.
    pub fn child_similarities<G: Game>(&self, game: &G, position: &G::Position) -> Vec<f64>
    where
        B: Measure<G>,
    {
        let parent = self.base.read(game, position);
        let mut moves = Vec::new();
        game.legal_moves(position, &mut moves);
        self.similarities(game, position, &parent, &moves)
    }

    fn similarities<G: Game>(
        &self,
        game: &G,
        position: &G::Position,
        parent: &Reading<B::Profile>,
        moves: &[G::Move],
    ) -> Vec<f64>
    where
        B: Measure<G>,
    {
        let child = |&mv| self.base.read(game, &game.play(position, mv));
        moves
            .iter()
            .map(|mv| self.base.compare_readings(parent, &child(mv)))
            .collect()
    }
}

impl<G: Game, B: Measure<G>> Measure<G> for Structural<B> {
    /// The similarities of the position to its children, ascending.
    type Profile = Vec<f64>;

    fn profile(&self, game: &G, position: &G::Position) -> Vec<f64> {
        let mut moves = Vec::new();
        game.legal_moves(position, &mut moves);
        let children = moves.len();
        if let Some(sample) = self.sample {
            sample.choose(&mut moves);
        }
        let parent = Reading::Open(self.base.profile(game, position));
        let mut values = self.similarities(game, position, &parent, &moves);
        values.sort_by(f64::total_cmp);
        stretch(&values, children)
    }

    fn compare(&self, a: &Vec<f64>, b: &Vec<f64>) -> f64 {
        let surplus = a.len().abs_diff(b.len()) as f64;
        1.0 - (surplus + sorted_cost(a, b)) / a.len().max(b.len()) as f64
    }
}

impl Sample {
    /// Keeps a random choice of the members, in any order; at least one of them.
    pub fn choose<M>(self, moves: &mut Vec<M>) {
        let mut dice = Dice::new(self.seed);
        for at in 0..self.children.min(moves.len()) {
            let other = at + dice.below(moves.len() - at);
            moves.swap(at, other);
        }
        moves.truncate(self.children.max(1));
    }
}

/// The sorted list with as many entries as wanted, each value standing for its
/// share of them.
fn stretch(values: &[f64], wanted: usize) -> Vec<f64> {
    if values.len() == wanted {
        return values.to_vec();
    }
    (0..wanted)
        .map(|at| values[at * values.len() / wanted])
        .collect()
}
