//! Measures on a collection of games: known items and next moves.

use rayon::prelude::*;
use shakmaty::Chess;
use tabiya_gametree::Dice;
use tabiya_retrieval::{
    Collection, Run,
    reached::{self, Vote},
    search::SearchError,
};

use super::{DEPTH, Ranking, Values, second_order};
use crate::{
    candidate::{Candidate, candidates},
    known_item::{Disturbance, Item},
    next_move::Case,
    run_variant::past_openings,
};

/// How many hits of the paper's ranking are read.
const TOP: usize = 50;

/// Whether each item is found first after a disturbance.
///
/// # Errors
///
/// When the collection is damaged.
pub(crate) fn known_items(
    collection: &Collection,
    items: &[Item],
    rankings: &[Ranking],
    disturbance: Disturbance,
    seed: u64,
) -> Result<Values, SearchError> {
    let find = |(at, item): (usize, &Item)| {
        let mut dice = Dice::new(seed ^ (at as u64) << 20);
        let Some(position) = disturbance.apply(&item.position, &mut dice) else {
            return Ok(None);
        };
        let answers = answers(collection, &position, rankings)?;
        let is_first = |hits: &Vec<(Candidate, f64)>| {
            let first = hits.first().is_some_and(|it| it.0.game == item.game);
            f64::from(u8::from(first))
        };
        Ok(Some(answers.iter().map(is_first).collect()))
    };
    let found = items.par_iter().enumerate().map(find);
    let found: Vec<Option<Vec<f64>>> = found.collect::<Result<_, SearchError>>()?;
    let name = format!("known, {}", disturbance.name());
    Ok(Values::new(name, found.into_iter().flatten()))
}

/// Whether the move that was played is the first proposal, and among the first three.
///
/// # Errors
///
/// When the collection is damaged.
pub(crate) fn next_moves(
    collection: &Collection,
    cases: &[Case],
    rankings: &[Ranking],
) -> Result<[Values; 2], SearchError> {
    let propose = |case: &Case| {
        let answers = answers(collection, &case.position, rankings)?;
        let luck = |hits: &Vec<(Candidate, f64)>| {
            let table = reached::tally(&case.position, hits.iter().take(TOP).map(vote));
            case.luck(table.iter().map(|it| it.uci.as_str()))
        };
        Ok(answers.iter().map(luck).collect::<Vec<_>>())
    };
    let found = cases.par_iter().map(propose);
    let found: Vec<Vec<(f64, f64)>> = found.collect::<Result<_, SearchError>>()?;
    let of =
        |pick: fn(&(f64, f64)) -> f64| found.iter().map(move |it| it.iter().map(pick).collect());
    Ok([
        Values::new("next move, first", of(|it| it.0)),
        Values::new("next move, first three", of(|it| it.1)),
    ])
}

/// A hit with the similarity of the ranking that is judged.
fn vote((hit, similarity): &(Candidate, f64)) -> Vote<'_> {
    Vote {
        turned: &hit.turned,
        similarity: *similarity,
        reached: &hit.reached,
    }
}

/// The hits of each ranking in its order, with its similarity.
///
/// # Errors
///
/// When the collection is damaged.
pub(super) fn answers(
    collection: &Collection,
    position: &Chess,
    rankings: &[Ranking],
) -> Result<Vec<Vec<(Candidate, f64)>>, SearchError> {
    let ask = |ranking: Ranking, top| {
        let query = past_openings(ranking.run().query(position.clone(), top));
        candidates(collection, &query)
    };
    let plain = |hits: Vec<Candidate>| -> Vec<(Candidate, f64)> {
        let pair = |it: Candidate| (it.similarity, it);
        hits.into_iter().map(pair).map(|(a, b)| (b, a)).collect()
    };
    let best = match rankings.iter().any(|it| it.run() == Run::Tabiya) {
        true => ask(Ranking::First, DEPTH)?,
        false => Vec::new(),
    };
    let mut answers = Vec::new();
    for &ranking in rankings {
        answers.push(match ranking {
            Ranking::CombAll => plain(ask(ranking, TOP)?),
            Ranking::First => plain(best.clone()),
            Ranking::Second | Ranking::Deep => {
                let turned = best.iter().map(|it| &it.turned);
                let order = second_order(ranking, position, collection.statistics(), turned);
                order
                    .into_iter()
                    .map(|(at, it)| (best[at].clone(), it))
                    .collect()
            }
        });
    }
    Ok(answers)
}
