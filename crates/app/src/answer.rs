//! A query answered in full: hits, reasons, and what was played.

use std::time::{Duration, Instant};

use rayon::prelude::*;
use shakmaty::{Chess, Position};
use tabiya_chess::Symmetry;
use tabiya_engine::shallow;
use tabiya_retrieval::{
    Collection, Explainer, Explanation, Query, Statistics,
    index::FormatError,
    played::{self, Found, Played},
    rank::Ranking,
    rerank::{self, Play},
};

use crate::view::json;

/// Everything there is to say about a query.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) position: Chess,
    pub(crate) hits: Vec<(Found, Explanation)>,
    pub(crate) moves: Vec<Played>,
    /// How each hit fares in the second ranking, if there was one.
    pub(crate) plays: Option<Vec<Play>>,
    /// From the query to this answer.
    pub(crate) took: Duration,
}

impl Answer {
    /// Searches a collection and looks up what the hits stand for. With a second
    /// ranking, the best of the first are put in its order.
    pub(crate) fn to(
        query: &Query,
        collection: &Collection,
        second: Option<rerank::Method>,
    ) -> Result<Answer, FormatError> {
        let begin = Instant::now();
        let hits = match second {
            Some(_) => collection.search(&Query {
                top: query.top.max(rerank::DEPTH),
                ..query.clone()
            })?,
            None => collection.search(query)?,
        };
        let found = hits
            .into_par_iter()
            .map(|hit| {
                Ok(collection
                    .game(hit.game)?
                    .and_then(|game| Found::new(hit, game)))
            })
            .collect::<Result<Vec<_>, FormatError>>()?;
        let found: Vec<Found> = found.into_iter().flatten().collect();
        let (found, plays) = match second {
            Some(method) => {
                let lines = |it: &[Chess]| shallow::lines(it, shallow::NODES, || {});
                let mut ranked = rerank::rerank(&query.position, found, method, &lines);
                ranked.truncate(query.top);
                let (found, plays) = ranked.into_iter().unzip();
                (found, Some(plays))
            }
            None => (found, None),
        };
        let moves = played::tally(&query.position, &found);
        let explainer = Explainer::new(
            query.position.board(),
            &query.ranking,
            collection.statistics(),
        );
        let explained = found.into_par_iter().map(|found| {
            let why = explainer.explain(found.position.board(), found.hit.symmetry);
            (found, why)
        });
        let hits = explained.collect();
        Ok(Answer {
            position: query.position.clone(),
            hits,
            moves,
            plays,
            took: begin.elapsed(),
        })
    }

    /// How a hit, counted from one, fares in the second ranking.
    pub(crate) fn play(&self, rank: usize) -> Option<&Play> {
        self.plays.as_ref()?.get(rank.checked_sub(1)?)
    }

    /// The answer in the shape of our JSON, with so many reasons a hit.
    pub(crate) fn to_json(&self, collection: &Collection, reasons: usize) -> json::Answer {
        let hit = |(rank, (found, why)): (usize, &(Found, Explanation))| {
            let play = self.play(rank).map(json::Play::new);
            json::Hit::new(rank, found, why, reasons, play)
        };
        json::Answer {
            query: json::Query::new(&self.position),
            collection: json::Counts::new(collection),
            took_ms: self.took.as_secs_f64() * 1000.0,
            hits: (1..).zip(&self.hits).map(hit).collect(),
            moves: self.moves.iter().cloned().map(json::Move::from).collect(),
        }
    }
}

/// Why two positions are alike, the second seen in the way that makes them most
/// alike; of equals the first way.
pub(crate) fn explain(
    [query, other]: [&Chess; 2],
    symmetries: &[Symmetry],
    ranking: &Ranking,
    statistics: &Statistics,
) -> Option<(Symmetry, Explanation)> {
    let explainer = Explainer::new(query.board(), ranking, statistics);
    let told = symmetries
        .iter()
        .map(|&it| (it, explainer.explain(other.board(), it)));
    told.reduce(|best, next| {
        if next.1.score > best.1.score {
            next
        } else {
            best
        }
    })
}
