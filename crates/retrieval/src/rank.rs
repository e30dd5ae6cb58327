//! The formula: BM25 over weighted terms, after section 3 of the paper.
//!
//! ```text
//! idf(t)     = ln(1 + (N − df(t) + 0.5) / (df(t) + 0.5))
//! norm(p)    = (k1 + 1) / (1 + k1·(1 − b + b·dl(p)/avgdl))
//! score(q,p) = norm(p) · Σ over t in q and p of  λ(family of t) · idf(t) · weight(t,p)
//! ```
//!
//! The sum runs in the order of the terms' numbers. Floating-point sums
//! depend on their order, so this one is part of the definition: whoever
//! scores a position, in whatever segment, gets the same bits.

use serde::{Deserialize, Serialize};
use shakmaty::Board;

use crate::{
    index::Statistics,
    term::{ByFamily, Encoding, Family, Term, TermSet, Weight},
};

/// The free parameters of the formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranking {
    /// How soon more of the same stops to count, 1.2 by default.
    pub k1: f64,
    /// How much long documents are held back, from 0 to 1, 0.75 by default.
    pub b: f64,
    /// λ: the weight of each family. Reach is a further factor on place terms
    /// that are matched by a piece which could only move there.
    pub weights: ByFamily<f64>,
}

impl Default for Ranking {
    fn default() -> Ranking {
        Ranking {
            k1: 1.2,
            b: 0.75,
            weights: ByFamily::all(1.0),
        }
    }
}

/// Why parameters make no ranking.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RankingError {
    /// k1 is negative or not a number.
    #[error("k1 is {0}, expected a number from 0 to 1000")]
    K1(f64),
    /// b is not between 0 and 1.
    #[error("b is {0}, expected a number from 0 to 1")]
    B(f64),
    /// A family's weight is negative or not a number.
    #[error("the weight of {0} is {1}, expected a number from 0 to 1000")]
    Weight(Family, f64),
    /// Every family that a query can have weighs nothing.
    #[error("all weights are zero; give place, attack, defence or ray a weight")]
    NoWeight,
}

impl Ranking {
    /// Checks that the parameters make sense.
    ///
    /// # Errors
    ///
    /// The first parameter that does not.
    pub fn check(&self) -> Result<(), RankingError> {
        let is_moderate = |value: f64| (0.0..=1000.0).contains(&value);
        if !is_moderate(self.k1) {
            return Err(RankingError::K1(self.k1));
        }
        if !(0.0..=1.0).contains(&self.b) {
            return Err(RankingError::B(self.b));
        }
        for (family, weight) in self.weights.iter() {
            if !is_moderate(weight) {
                return Err(RankingError::Weight(family, weight));
            }
        }
        let asked = [Family::Place, Family::Attack, Family::Defense, Family::Ray];
        if asked.iter().all(|&it| self.weights[it] == 0.0) {
            return Err(RankingError::NoWeight);
        }
        Ok(())
    }
}

/// A query made ready to score documents of a collection.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scorer {
    /// The query's terms in their order, each with λ·idf.
    gains: Vec<(Term, f64)>,
    reach: f64,
    length_norm: LengthNorm,
    /// The score of the query as a document.
    own_score: f64,
}

impl Scorer {
    /// A scorer for a board.
    pub fn new(board: &Board, ranking: &Ranking, statistics: &Statistics) -> Scorer {
        let gain = |term: Term| {
            let lambda = ranking.weights[term.family()];
            (term, lambda * inverse_frequency(statistics, term))
        };
        let gains = TermSet::of_query(board)
            .iter()
            .map(gain)
            .filter(|it| it.1 > 0.0)
            .collect();
        let length_norm = LengthNorm::new(ranking, statistics.mean_length());
        let mut scorer = Scorer {
            gains,
            reach: ranking.weights[Family::Reach],
            length_norm,
            own_score: 0.0,
        };
        scorer.own_score = scorer.score(&Encoding::of_document(board));
        scorer
    }

    /// score(q,p), straight from the formula.
    pub fn score(&self, document: &Encoding) -> f64 {
        let mut sum = 0.0;
        for &(term, gain) in &self.gains {
            if let Some(weight) = document.weight(term) {
                sum += self.share(gain, weight);
            }
        }
        self.norm(document.len()) * sum
    }

    /// The score as a part of the query's own, 1 being the query itself.
    pub fn similarity(&self, score: f64) -> f64 {
        if self.own_score > 0.0 {
            score / self.own_score
        } else {
            0.0
        }
    }

    /// The score of a document with this similarity.
    pub fn score_at(&self, similarity: f64) -> f64 {
        similarity * self.own_score
    }

    /// norm(p) for a document of this length.
    pub fn norm(&self, length: usize) -> f64 {
        self.length_norm.of(length)
    }

    /// What a matched term adds to the sum.
    pub fn share(&self, gain: f64, weight: Weight) -> f64 {
        if weight == Weight::FULL {
            gain
        } else {
            gain * (weight.value() * self.reach)
        }
    }

    /// The query's terms in their order, each with λ·idf.
    pub fn gains(&self) -> &[(Term, f64)] {
        &self.gains
    }

    pub(crate) fn length_norm(&self) -> &LengthNorm {
        &self.length_norm
    }
}

/// 1/norm is linear in the length: `base + slope·length`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct LengthNorm {
    k1: f64,
    b: f64,
    mean_length: f64,
}

impl LengthNorm {
    fn new(ranking: &Ranking, mean_length: f64) -> LengthNorm {
        LengthNorm {
            k1: ranking.k1,
            b: ranking.b,
            mean_length,
        }
    }

    fn of(&self, length: usize) -> f64 {
        let relative = length as f64 / self.mean_length;
        (self.k1 + 1.0) / (1.0 + self.k1 * (1.0 - self.b + self.b * relative))
    }

    /// `base` of 1/norm.
    pub(crate) fn base(&self) -> f64 {
        (1.0 + self.k1 * (1.0 - self.b)) / (self.k1 + 1.0)
    }

    /// `slope` of 1/norm.
    pub(crate) fn slope(&self) -> f64 {
        self.k1 * self.b / ((self.k1 + 1.0) * self.mean_length)
    }
}

/// idf(t): how rare a term is.
pub(crate) fn inverse_frequency(statistics: &Statistics, term: Term) -> f64 {
    let (all, frequency) = (
        statistics.positions() as f64,
        statistics.frequency(term) as f64,
    );
    (1.0 + (all - frequency + 0.5) / (frequency + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn senseless_parameters_are_refused() {
        #[track_caller]
        fn check(change: impl Fn(&mut Ranking), message: &str) {
            let mut ranking = Ranking::default();
            change(&mut ranking);
            assert_eq!(ranking.check().unwrap_err().to_string(), message);
        }
        assert_eq!(Ranking::default().check(), Ok(()));
        check(
            |it| it.k1 = -1.0,
            "k1 is -1, expected a number from 0 to 1000",
        );
        check(
            |it| it.b = f64::NAN,
            "b is NaN, expected a number from 0 to 1",
        );
        check(
            |it| it.weights[Family::Ray] = f64::INFINITY,
            "the weight of ray is inf, expected a number from 0 to 1000",
        );
        check(
            |it| it.weights = ByFamily::all(0.0),
            "all weights are zero; give place, attack, defence or ray a weight",
        );
    }

    proptest! {
        #[test]
        fn the_norm_is_the_inverse_of_a_line(k1 in 0.0..3.0f64, b in 0.0..=1.0f64, length in 0usize..400) {
            let norm = LengthNorm { k1, b, mean_length: 110.0 };
            let line = norm.base() + norm.slope() * length as f64;
            prop_assert!((norm.of(length) * line - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_query_is_wholly_like_itself() {
        let scorer = Scorer::new(&Board::new(), &Ranking::default(), &Statistics::default());
        let own = scorer.score(&Encoding::of_document(&Board::new()));
        assert!(own > 0.0);
        assert_eq!(scorer.similarity(own), 1.0);
    }
}
