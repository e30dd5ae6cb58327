//! The best position of each of the best games.

use std::collections::{BTreeSet, HashMap};

use super::Hit;
use crate::index::GameNumber;

/// Keeps the top games by their best hit.
#[derive(Debug)]
pub(super) struct Best {
    top: usize,
    ranked: BTreeSet<Ranked>,
    by_game: HashMap<GameNumber, Hit>,
}

/// A hit in the order of answers.
#[derive(Clone, Copy, Debug)]
struct Ranked(Hit);

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> std::cmp::Ordering {
        self.0.rank(&other.0)
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Ranked) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked {}

impl Best {
    pub(super) fn new(top: usize) -> Best {
        Best {
            top,
            ranked: BTreeSet::new(),
            by_game: HashMap::new(),
        }
    }

    /// The similarity below which a hit can no longer enter; 0 until all
    /// places are taken.
    pub(super) fn threshold(&self) -> f64 {
        if self.ranked.len() < self.top {
            return 0.0;
        }
        self.ranked.last().map_or(0.0, |it| it.0.similarity)
    }

    /// Adds a hit, unless it shares nothing with the query.
    pub(super) fn offer(&mut self, hit: Hit) {
        if hit.score <= 0.0 {
            return;
        }
        if let Some(&known) = self.by_game.get(&hit.game) {
            if known.rank(&hit).is_le() {
                return;
            }
            self.ranked.remove(&Ranked(known));
        }
        self.by_game.insert(hit.game, hit);
        self.ranked.insert(Ranked(hit));
        if self.ranked.len() > self.top
            && let Some(Ranked(worst)) = self.ranked.pop_last()
        {
            self.by_game.remove(&worst.game);
        }
    }

    pub(super) fn into_hits(self) -> Vec<Hit> {
        self.ranked.into_iter().map(|it| it.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dice;
    use proptest::prelude::*;
    use tabiya_chess::Ply;
    use tabiya_chess::Symmetry;

    proptest! {
        #[test]
        fn agrees_with_sorting_everything(seed: u64, top in 1usize..8) {
            let mut dice = Dice::new(seed);
            let mut best = Best::new(top);
            let mut all: Vec<Hit> = Vec::new();
            for _ in 0..60 {
                let score = dice.below(10) as f64;
                let symmetry = Symmetry::ALL[dice.below(4)];
                let similarity = score / if symmetry == Symmetry::None { 10.0 } else { 20.0 };
                let hit = Hit { score, similarity, symmetry, game: GameNumber(dice.below(12) as u64), variation: None, ply: Ply::after(dice.below(5)) };
                all.push(hit);
                best.offer(hit);
            }
            all.retain(|it| it.score > 0.0);
            all.sort_by(Hit::rank);
            let mut seen = std::collections::BTreeSet::new();
            all.retain(|it| seen.insert(it.game));
            all.truncate(top);
            prop_assert_eq!(best.into_hits(), all);
        }
    }
}
