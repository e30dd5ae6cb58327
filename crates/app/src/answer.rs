//! A query answered in full: hits, reasons, and what was played.

use std::time::{Duration, Instant};

use rayon::prelude::*;
use shakmaty::{Chess, Position};
use tabiya_retrieval::{
    Collection, Explanation, Query,
    index::FormatError,
    played::{self, Found, Played},
};

use crate::view::json;

/// Everything there is to say about a query.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) position: Chess,
    pub(crate) hits: Vec<(Found, Explanation)>,
    pub(crate) moves: Vec<Played>,
    /// From the query to this answer.
    pub(crate) took: Duration,
}

impl Answer {
    /// Searches a collection and looks up what the hits stand for.
    pub(crate) fn to(query: &Query, collection: &Collection) -> Result<Answer, FormatError> {
        let begin = Instant::now();
        let hits = collection.search(query)?;
        let found = hits
            .into_par_iter()
            .map(|hit| {
                Ok(collection
                    .game(hit.game)?
                    .and_then(|game| Found::new(hit, game)))
            })
            .collect::<Result<Vec<_>, FormatError>>()?;
        let found: Vec<Found> = found.into_iter().flatten().collect();
        let moves = played::tally(&query.position, &found);
        let explained = found.into_par_iter().map(|found| {
            let (one, other) = (query.position.board(), found.position.board());
            let statistics = collection.statistics();
            let why = Explanation::new(one, other, found.hit.symmetry, &query.ranking, statistics);
            (found, why)
        });
        let hits = explained.collect();
        Ok(Answer {
            position: query.position.clone(),
            hits,
            moves,
            took: begin.elapsed(),
        })
    }

    /// The answer in the shape of our JSON, with so many reasons a hit.
    pub(crate) fn to_json(&self, collection: &Collection, reasons: usize) -> json::Answer {
        let hit = |(rank, (found, why)): (usize, &(Found, Explanation))| {
            json::Hit::new(rank, found, why, reasons)
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
