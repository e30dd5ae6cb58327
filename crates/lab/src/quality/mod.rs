//! Is one ranking better than another? Several measures on the same queries, with tests.
//!
//! Each measure gives every ranking a value for every query, so that rankings are compared
//! pair by pair. `docs/ranking.md` has the rules and the figures.

mod games;
mod plan;
mod puzzles;
mod scale;
mod structure;
mod summary;
mod theme;

use std::time::{Duration, Instant};

use shakmaty::Chess;
use tabiya_chess::named;
use tabiya_retrieval::{Run, Statistics, likeness::Judge};

pub(crate) use games::{known_items, next_moves};
pub(crate) use plan::{Judge as PlanJudge, plans};
pub(crate) use puzzles::motifs;
pub(crate) use scale::{Scale, scale};
pub(crate) use structure::structures;
pub(crate) use summary::{Summary, Together};
pub(crate) use theme::themes;

named! {
    /// A ranking to be judged.
    pub enum Ranking: "ranking" {
        /// The paper's.
        CombAll = "CombAll",
        /// The first stage alone.
        First = "first",
        /// Both stages: what `search` does.
        Second = "second",
    }
}

/// How many hits of the first stage the second orders.
pub(crate) const DEPTH: usize = 300;

impl Ranking {
    /// The run that finds the hits.
    pub(crate) fn run(self) -> Run {
        match self {
            Ranking::CombAll => Run::CombAll,
            Ranking::First | Ranking::Second => Run::Tabiya,
        }
    }
}

/// The values of a measure: for each ranking, for each query.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    /// What tables call the measure.
    pub(crate) name: String,
    /// By ranking, then by query.
    pub(crate) rankings: Vec<Vec<f64>>,
}

impl Values {
    /// From the values of each query, one for each ranking.
    fn new(name: impl Into<String>, queries: impl IntoIterator<Item = Vec<f64>>) -> Values {
        let mut rankings = Vec::new();
        for query in queries {
            rankings.resize(rankings.len().max(query.len()), Vec::new());
            for (ranking, value) in rankings.iter_mut().zip(query) {
                let ranking: &mut Vec<f64> = ranking;
                ranking.push(value);
            }
        }
        Values {
            name: name.into(),
            rankings,
        }
    }
}

/// Positions in the order of the second stage, each with its similarity; ties keep their order.
pub(crate) fn second_order<'a>(
    query: &Chess,
    statistics: &Statistics,
    positions: impl Iterator<Item = &'a Chess>,
) -> Vec<(usize, f64)> {
    let judge = Judge::new(query, statistics);
    let judged = positions.map(|it| judge.judge(it));
    let mut order: Vec<(usize, f64, f64)> = judged
        .enumerate()
        .map(|(at, it)| (at, it.score, it.similarity))
        .collect();
    order.sort_by(|one, two| two.1.total_cmp(&one.1));
    order.into_iter().map(|it| (it.0, it.2)).collect()
}

/// What judging a hundred positions costs on one thread: the least of all hundreds, which other
/// work on the machine disturbs least.
pub(crate) fn cost(positions: &[Chess]) -> Duration {
    let Some(query) = positions.first() else {
        return Duration::ZERO;
    };
    let judge = Judge::new(query, &Statistics::default());
    let time = |hundred: &[Chess]| {
        let start = Instant::now();
        let sum: f64 = hundred.iter().map(|it| judge.judge(it).score).sum();
        std::hint::black_box(sum);
        start.elapsed()
    };
    let times = positions.chunks_exact(100).map(time);
    times.min().unwrap_or_default()
}
