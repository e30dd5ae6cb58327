//! The scale check: puzzles hidden among the positions of a whole collection.
//!
//! Among some thousand puzzles the best 300 are a large part; among millions of positions they
//! are not. Here every game of a collection competes with the puzzles. Its positions have no
//! grades and count as 0, so the figures are lower bounds.

use rayon::prelude::*;
use serde::Serialize;
use shakmaty::Chess;
use tabiya_retrieval::{Collection, played::turn, search::SearchError};

use super::{DEPTH, Ranking, Values, second_order};
use crate::{
    candidate::candidates,
    motif::Benchmark,
    position_index::{PositionIndex, PositionQuery},
};

/// How deep rankings are read.
const DEPTHS: [usize; 3] = [300, 1000, 5000];

/// What the check found.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Scale {
    /// Of the puzzles with at least half of the query's motifs, the share within each depth,
    /// by ranking (the second stage finds what the first does).
    pub(crate) found: Vec<(String, Vec<f64>)>,
    /// nDCG@10.
    #[serde(skip)]
    pub(crate) values: Values,
}

/// Hides a benchmark's puzzles in a collection and asks its queries.
///
/// # Errors
///
/// When the collection is damaged.
pub(crate) fn scale(
    collection: &Collection,
    benchmark: &Benchmark,
    rankings: &[Ranking],
) -> Result<Scale, SearchError> {
    let positions = benchmark.positions();
    let index = PositionIndex::within(&positions, collection.statistics());
    let ask = |&(query, _): &(usize, usize)| {
        let ask = |&ranking: &Ranking| {
            let hidden = Hidden {
                collection,
                benchmark,
                index: &index,
                positions: &positions,
            };
            hidden.ask(query, ranking)
        };
        rankings
            .iter()
            .map(ask)
            .collect::<Result<Vec<_>, SearchError>>()
    };
    let answers = benchmark.queries.par_iter().map(ask);
    let answers: Vec<Vec<(f64, [f64; 3])>> = answers.collect::<Result<_, SearchError>>()?;
    let found = rankings.iter().enumerate().map(|(at, ranking)| {
        let mean = |depth: usize| {
            let sum: f64 = answers.iter().map(|it| it[at].1[depth]).sum();
            sum / answers.len().max(1) as f64
        };
        (
            ranking.name().to_owned(),
            (0..DEPTHS.len()).map(mean).collect(),
        )
    });
    let values = answers.iter().map(|it| it.iter().map(|it| it.0).collect());
    Ok(Scale {
        found: found.collect(),
        values: Values::new("motifs among games, nDCG@10", values),
    })
}

/// Puzzles hidden in a collection.
struct Hidden<'a> {
    collection: &'a Collection,
    benchmark: &'a Benchmark,
    index: &'a PositionIndex,
    positions: &'a [Chess],
}

/// A puzzle, or a position of a game.
struct Entry {
    similarity: f64,
    grade: i32,
    turned: Chess,
}

impl Hidden<'_> {
    /// nDCG@10, and the share of the relevant puzzles within each depth.
    fn ask(&self, query: usize, ranking: Ranking) -> Result<(f64, [f64; 3]), SearchError> {
        let (position, run) = (&self.positions[query], ranking.run());
        let deepest = DEPTHS[DEPTHS.len() - 1];
        let seen = self.index.views(&PositionQuery {
            position,
            ranking: &run.ranking(),
            symmetries: run.symmetries(),
            same_side: run.same_side(),
        });
        let mut entries = Vec::new();
        for (document, &(similarity, symmetry)) in seen.iter().enumerate() {
            if let (true, Some(turned)) =
                (document != query, turn(&self.positions[document], symmetry))
            {
                let grade = self.benchmark.grade(query, document);
                entries.push(Entry {
                    similarity,
                    grade,
                    turned,
                });
            }
        }
        let relevant = entries.iter().filter(|it| it.grade > 1).count().max(1);
        for it in candidates(self.collection, &run.query(position.clone(), deepest))? {
            let (similarity, turned) = (it.similarity, it.turned);
            entries.push(Entry {
                similarity,
                grade: 0,
                turned,
            });
        }
        entries.sort_by(|one, two| two.similarity.total_cmp(&one.similarity));
        let within = DEPTHS.map(|depth| {
            let found = entries.iter().take(depth).filter(|it| it.grade > 1);
            found.count() as f64 / relevant as f64
        });
        entries.truncate(DEPTH);
        let mut grades: Vec<i32> = entries.iter().map(|it| it.grade).collect();
        if ranking.has_second_stage() {
            let turned = entries.iter().map(|it| &it.turned);
            let order = second_order(ranking, position, self.collection.statistics(), turned);
            grades = order.iter().map(|it| entries[it.0].grade).collect();
        }
        let gains = (2u32..).zip(grades.iter().take(10));
        let sum: f64 = gains
            .map(|(at, &it)| f64::from(it) / f64::from(at).log2())
            .sum();
        Ok((sum / self.benchmark.ideal(query).max(1e-9), within))
    }
}
