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
use tabiya_question::search::courses;
use tabiya_retrieval::{
    Run, Statistics,
    likeness::{Judge, Likeness},
    search::Cancel,
};

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
        /// Both stages with best lines: what `search --deep` does.
        Deep = "deep",
    }
}

/// How many hits of the first stage the second orders.
pub(crate) const DEPTH: usize = 300;

impl Ranking {
    /// The run that finds the hits.
    pub(crate) fn run(self) -> Run {
        match self {
            Ranking::CombAll => Run::CombAll,
            Ranking::First | Ranking::Second | Ranking::Deep => Run::Tabiya,
        }
    }

    /// Whether the second stage orders the hits.
    fn has_second_stage(self) -> bool {
        matches!(self, Ranking::Second | Ranking::Deep)
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

/// Positions in the order of a ranking's second stage, each with its similarity; ties keep their
/// order.
pub(crate) fn second_order<'a>(
    ranking: Ranking,
    query: &'a Chess,
    statistics: &Statistics,
    positions: impl Iterator<Item = &'a Chess>,
) -> Vec<(usize, f64)> {
    let positions: Vec<&Chess> = std::iter::once(query).chain(positions).collect();
    let judge = Judge::new(query, statistics);
    let mut judged: Vec<Likeness> = positions[1..].iter().map(|it| judge.judge(it)).collect();
    if ranking == Ranking::Deep {
        let courses = courses(&positions, &Cancel::default());
        for (likeness, course) in judged.iter_mut().zip(&courses[1..]) {
            *likeness = likeness.deepened(&courses[0], course);
        }
    }
    let mut order: Vec<(usize, f64, f64)> = judged
        .into_iter()
        .enumerate()
        .map(|(at, it)| (at, it.score, it.similarity))
        .collect();
    order.sort_by(|one, two| two.1.total_cmp(&one.1));
    order.into_iter().map(|it| (it.0, it.2)).collect()
}

/// What the second stage costs for a hundred positions on one thread, without and with best lines:
/// the least of all hundreds, which other work on the machine disturbs least.
pub(crate) fn cost(positions: &[Chess]) -> [Duration; 2] {
    let Some(query) = positions.first() else {
        return [Duration::ZERO; 2];
    };
    let judge = Judge::new(query, &Statistics::default());
    let judging = |hundred: &[Chess]| {
        let sum: f64 = hundred.iter().map(|it| judge.judge(it).score).sum();
        std::hint::black_box(sum);
    };
    let deepening = |hundred: &[Chess]| {
        judging(hundred);
        let hundred: Vec<&Chess> = hundred.iter().collect();
        let courses = courses(&hundred, &Cancel::default());
        let lines = courses.iter().map(|it| courses[0].features(it));
        std::hint::black_box(lines.collect::<Vec<_>>());
    };
    let least = |work: &(dyn Fn(&[Chess]) + Sync)| {
        let time = |hundred: &[Chess]| {
            let start = Instant::now();
            work(hundred);
            start.elapsed()
        };
        let hundreds = positions.chunks_exact(100).take(HUNDREDS);
        hundreds.map(time).min().unwrap_or_default()
    };
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    match one_thread {
        Ok(pool) => pool.install(|| [least(&judging), least(&deepening)]),
        Err(_) => [Duration::ZERO; 2],
    }
}

/// How many hundreds are tried.
const HUNDREDS: usize = 40;
