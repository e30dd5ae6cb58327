//! Motifs: are puzzles of the same motif found?

use rayon::prelude::*;
use shakmaty::Chess;
use tabiya_retrieval::played::turn;

use super::{DEPTH, Ranking, Values, second_order};
use crate::{
    measure::{Gain, Measure},
    motif::Benchmark,
    position_index::{PositionIndex, PositionQuery},
};

/// nDCG@10 and P@5 of a benchmark's queries.
pub(crate) fn motifs(
    benchmark: &Benchmark,
    rankings: &[Ranking],
    done: impl Fn() + Sync,
) -> [Values; 2] {
    let positions = benchmark.positions();
    let index = PositionIndex::new(&positions);
    let judge = |&(query, motif): &(usize, usize)| {
        let outcome = |&ranking: &Ranking| {
            let order = order(&index, &positions, query, ranking);
            let outcome = benchmark.outcome(query, motif, &order);
            let ndcg = outcome.measure(Measure::ndcg(Gain::Linear, Some(10)));
            (ndcg, outcome.measure(Measure::Precision(5)))
        };
        let outcomes: Vec<(f64, f64)> = rankings.iter().map(outcome).collect();
        done();
        outcomes
    };
    let found: Vec<Vec<(f64, f64)>> = benchmark.queries.par_iter().map(judge).collect();
    let of =
        |pick: fn(&(f64, f64)) -> f64| found.iter().map(move |it| it.iter().map(pick).collect());
    [
        Values::new("motifs, nDCG@10", of(|it| it.0)),
        Values::new("motifs, P@5", of(|it| it.1)),
    ]
}

/// The best documents for a query that is one of them.
pub(super) fn order(
    index: &PositionIndex,
    positions: &[Chess],
    query: usize,
    ranking: Ranking,
) -> Vec<usize> {
    let (position, run) = (&positions[query], ranking.run());
    let seen = index.views(&PositionQuery {
        position,
        ranking: &run.ranking(),
        symmetries: run.symmetries(),
        same_side: run.same_side(),
    });
    let mut order: Vec<usize> = (0..seen.len()).filter(|&it| it != query).collect();
    order.sort_by(|&one, &two| seen[two].0.total_cmp(&seen[one].0));
    if ranking.has_second_stage() {
        let best: Vec<usize> = order.iter().copied().take(DEPTH).collect();
        let turned = best.iter().map(|&it| turn(&positions[it], seen[it].1));
        let turned: Vec<Chess> = turned.map(Option::unwrap_or_default).collect();
        let second = second_order(ranking, position, index.statistics(), turned.iter());
        for (place, (at, _)) in second.into_iter().enumerate() {
            order[place] = best[at];
        }
    }
    order.truncate(1000);
    order
}
