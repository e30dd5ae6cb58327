//! How alike two positions are, as a player sees it: the second stage of the ranking.
//!
//! The first stage ([`crate::rank`]) finds positions that share rare terms. This one reads
//! some forty [`Feature`]s of a pair, in six [`Group`]s, and adds up what each is worth by a
//! table that was learned from puzzles and games (`docs/ranking.md`). The score is a sum over
//! features, so it explains itself: [`Likeness::groups`] are its parts.
//!
//! ```
//! use tabiya_chess::position;
//! use tabiya_retrieval::{Statistics, likeness::{self, Judge}};
//!
//! let query = position::parse("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")?;
//! let near = position::parse("6k1/5ppp/8/8/8/8/5PPP/2R3K1 w - - 0 1")?;
//! let far = position::parse("8/8/4k3/3p4/3P4/4K3/8/8 w - - 0 1")?;
//! let judge = Judge::new(&query, &Statistics::default());
//! assert_eq!(judge.judge(&query).similarity, 1.0);
//! assert!(judge.judge(&near).similarity > judge.judge(&far).similarity);
//! assert_eq!(likeness::said_of_both(&query, &near)[0].to_string(), "mate by the rook");
//! # Ok::<(), tabiya_chess::position::FenError>(())
//! ```

mod course;
mod feature;
mod lines_table;
mod reading;
mod skeleton;
mod table;
#[cfg(test)]
mod twin;
mod word;
mod words;
mod worth;

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position};

pub use course::{Course, LINE_FEATURES, LineFeature};
pub use feature::{FEATURES, Feature, Features, Group};
pub use word::{Kind, Place, Word};

use crate::index::Statistics;
use feature::{Query, Rarity};
use reading::Reading;
use words::Words;
use worth::Scale;

/// How many groups there are.
pub const GROUPS: usize = Group::ALL.len();

/// How alike a position is to a query.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Likeness {
    /// Orders hits, the greatest first.
    pub score: f64,
    /// The same order as a number from 0 to 1. Only the same position has 1.
    pub similarity: f64,
    /// The parts of the score by [`Group`], above or below those of an ordinary hit. They sum
    /// to the score up to a constant.
    pub groups: [f64; GROUPS],
    /// Whether best lines are part of it.
    is_deep: bool,
}

impl Likeness {
    /// The likeness with what the best lines of query and position add to it.
    #[must_use]
    pub fn deepened(mut self, query: &Course, other: &Course) -> Likeness {
        if self.is_deep || self.is_same() {
            return self;
        }
        self.is_deep = true;
        let added = worth::of_lines(&query.features(other));
        self.groups[Group::Lines as usize] += added;
        self.rated(self.score + worth::LINES_BASE + added)
    }

    /// The likeness if each group counted this many times. The most that can be reached stays the
    /// same, so that the similarity keeps its scale.
    #[must_use]
    pub fn emphasized(mut self, weights: &[f64; GROUPS]) -> Likeness {
        if self.is_same() {
            return self;
        }
        let sum = |parts: &[f64; GROUPS]| -> f64 {
            parts
                .iter()
                .zip(weights)
                .map(|(part, weight)| part * weight)
                .sum()
        };
        let scale = self.scale();
        let most = scale.most();
        let stretch = most.iter().sum::<f64>() / sum(&most);
        let score = scale.base + stretch * sum(&self.groups);
        self.groups = std::array::from_fn(|it| stretch * weights[it] * self.groups[it]);
        self.rated(score.min(scale.top))
    }

    fn rated(self, score: f64) -> Likeness {
        Likeness {
            score,
            similarity: self.scale().similarity(score),
            ..self
        }
    }

    fn is_same(&self) -> bool {
        self.similarity >= 1.0
    }

    fn scale(&self) -> &'static Scale {
        match self.is_deep {
            true => &worth::DEEP,
            false => &worth::STATIC,
        }
    }
}

/// What a player would say of both positions, the first first.
pub fn said_of_both(query: &Chess, turned: &Chess) -> Vec<Word> {
    let words = |it: &Chess| Words::of(it, query.turn());
    words(query).said_of_both(&words(turned))
}

/// A query made ready to be compared with many positions.
#[derive(Clone, Debug)]
pub struct Judge {
    query: Query,
}

impl Judge {
    /// A judge of likeness to a position in a collection with these statistics.
    pub fn new(query: &Chess, statistics: &Statistics) -> Judge {
        let reading = Reading::of(query, query.turn());
        Judge {
            query: Query::new(reading, Rarity::of(statistics)),
        }
    }

    /// How alike a position is, seen in the query's view.
    pub fn judge(&self, turned: &Chess) -> Likeness {
        let other = self.read(turned);
        let mut groups = [0.0; GROUPS];
        let score = worth::score(&self.query.features(&other), |feature, part| {
            groups[feature.group() as usize] += part;
        });
        let (score, similarity) = match self.query.reading.is_same(&other) {
            true => (worth::SAME, 1.0),
            false => (score, worth::STATIC.similarity(score)),
        };
        Likeness {
            score,
            similarity,
            groups,
            is_deep: false,
        }
    }

    /// The features of the query and a position, seen in the query's view.
    pub fn features(&self, turned: &Chess) -> Features {
        self.query.features(&self.read(turned))
    }

    fn read(&self, turned: &Chess) -> Reading {
        Reading::of(turned, self.query.reading.turn)
    }
}
