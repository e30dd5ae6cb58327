//! A query answered in full: hits, reasons, and what was played.

use std::time::{Duration, Instant};

use rayon::prelude::*;
use shakmaty::{Chess, Position};
use tabiya_chess::Symmetry;
use tabiya_engine::shallow;
use tabiya_retrieval::{
    Explainer, Explanation, Query, Statistics,
    index::FormatError,
    played::{self, Found, Played},
    rank::Ranking,
    rerank::{self, Play, Seen},
    search::Cancel,
};

use crate::{Archive, json};

/// Everything there is to say about a query.
#[derive(Debug)]
pub struct Answer {
    /// What was asked.
    pub position: Chess,
    /// The hits, best first, each with why it is one.
    pub hits: Vec<(Found, Explanation)>,
    /// What was played in them.
    pub moves: Vec<Played>,
    /// How each hit fares in the second ranking, if there was one.
    pub plays: Option<Vec<Play>>,
    /// From the query to this answer.
    pub took: Duration,
}

impl Answer {
    /// Searches an archive and looks up what the hits stand for. With a second
    /// ranking, the best of the first are put in its order.
    ///
    /// # Errors
    ///
    /// When a shard is damaged.
    pub fn to(
        query: &Query,
        archive: &Archive<'_>,
        second: Option<rerank::Method>,
    ) -> Result<Answer, FormatError> {
        let begin = Instant::now();
        let hits = match second {
            Some(_) => archive.search(&Query {
                top: query.top.max(rerank::DEPTH),
                ..query.clone()
            })?,
            None => archive.search(query)?,
        };
        let found = hits
            .into_par_iter()
            .map(|hit| {
                Ok(archive
                    .game(hit.game)?
                    .and_then(|game| Found::new(hit, game)))
            })
            .collect::<Result<Vec<_>, FormatError>>()?;
        let found: Vec<Found> = found.into_iter().flatten().collect();
        let (found, plays) = match second {
            Some(method) => {
                let asked = &query.position;
                let ranked = reranked(asked, found, method, query.top, &query.cancel);
                let (found, plays) = ranked.into_iter().unzip();
                (found, Some(plays))
            }
            None => (found, None),
        };
        let replies = found.iter().filter_map(|it| it.reply.as_ref());
        let moves = played::tally(&query.position, replies);
        let explainer =
            Explainer::new(query.position.board(), &query.ranking, archive.statistics());
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
    pub fn play(&self, rank: usize) -> Option<&Play> {
        self.plays.as_ref()?.get(rank.checked_sub(1)?)
    }

    /// The answer in the shape of our JSON, with so many reasons a hit.
    pub fn to_json(&self, archive: &Archive<'_>, reasons: usize) -> json::Answer {
        let hit = |(rank, (found, why)): (usize, &(Found, Explanation))| {
            let play = self.play(rank).map(json::Play::new);
            json::Hit::new(rank, found, why, reasons, play)
        };
        json::Answer {
            query: json::Query::new(&self.position),
            collection: json::Counts::new(archive),
            took_ms: self.took.as_secs_f64() * 1000.0,
            hits: (1..).zip(&self.hits).map(hit).collect(),
            moves: self.moves.iter().cloned().map(json::Move::from).collect(),
        }
    }
}

/// The best hits of a first ranking, best first, in the order of the second.
pub fn reranked<H: Seen>(
    query: &Chess,
    found: Vec<H>,
    method: rerank::Method,
    top: usize,
    cancel: &Cancel,
) -> Vec<(H, Play)> {
    let lines = |it: &[Chess]| shallow::lines(it, shallow::NODES, || !cancel.is_canceled());
    let mut ranked = rerank::rerank(query, found, method, &lines, cancel);
    ranked.truncate(top);
    ranked
}

/// Why two positions are alike, the second seen in the way that makes them most
/// alike; of equals the first way.
pub fn explain(
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
