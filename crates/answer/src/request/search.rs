//! The positions most like a given one.

use serde::{Deserialize, Deserializer};
use tabiya_retrieval::{Query, index::FormatError, rerank, search::Cancel};
use utoipa::IntoParams;

use super::{PositionParameters, RequestError, read};
use crate::{
    Answer, Archive,
    filter::{GameArguments, PositionFilterArguments},
    json,
    query::{RankingArguments, Rerank, SymmetryChoice},
    text,
};

/// How the answer is cut.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct Cut {
    /// How many games to look for
    #[param(minimum = 0, maximum = 1000)]
    pub top: usize,

    /// Tell the hits after this many, for a reader who has seen the first
    #[param(minimum = 0, maximum = 1000)]
    pub after: usize,

    /// Tell at most this many hits; the moves are counted over all that were found
    #[param(minimum = 0, maximum = 1000)]
    pub limit: usize,

    /// How many reasons to tell for each hit
    #[param(minimum = 0, maximum = 200)]
    pub reasons: usize,

    /// Which twins of the position are searched as well; swap unless the run is ours
    #[serde(deserialize_with = "symmetry")]
    #[param(value_type = Option<SymmetryChoice>, inline)]
    pub symmetry: Option<SymmetryChoice>,

    /// Order the best 200 hits anew by how they play
    #[serde(deserialize_with = "rerank")]
    #[param(value_type = Option<Rerank>, inline)]
    pub rerank: Option<Rerank>,
}

impl Default for Cut {
    fn default() -> Cut {
        Cut {
            top: 10,
            after: 0,
            limit: Cut::MOST,
            reasons: 4,
            symmetry: None,
            rerank: None,
        }
    }
}

fn rerank<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Rerank>, D::Error> {
    text::optional(from, text::named)
}

fn symmetry<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SymmetryChoice>, D::Error> {
    text::optional(from, text::named)
}

impl Cut {
    /// The most games that a server tells in one answer.
    pub const MOST: usize = 1000;

    /// Whether a server tells so much at once.
    ///
    /// # Errors
    ///
    /// When it does not.
    pub fn check(&self) -> Result<(), RequestError> {
        if self.top > Cut::MOST || self.reasons > 200 {
            let most = Cut::MOST;
            let words = format!("at most {most} games and 200 reasons can be told at once");
            return Err(RequestError::new(words));
        }
        Ok(())
    }

    /// The part of the hits that is told.
    pub(crate) fn apply(&self, hits: &mut Vec<json::Hit>) {
        hits.drain(..self.after.min(hits.len()));
        hits.truncate(self.limit);
    }

    /// How many hits of the first ranking are looked at.
    pub(crate) fn depth(&self) -> usize {
        match self.rerank {
            Some(_) => self.top.max(rerank::DEPTH),
            None => self.top,
        }
    }
}

/// A search.
#[derive(Debug)]
pub struct Search {
    /// The position that is asked about.
    pub position: PositionParameters,
    /// How the answer is cut.
    pub cut: Cut,
    /// How positions are scored.
    pub ranking: RankingArguments,
    /// Which games may answer.
    pub games: GameArguments,
    /// Which of their positions.
    pub positions: PositionFilterArguments,
}

impl Search {
    /// Reads a search from parameters.
    ///
    /// # Errors
    ///
    /// When a parameter is missing or makes no sense.
    pub fn read(parameters: &str) -> Result<Search, RequestError> {
        Ok(Search {
            position: read(parameters)?,
            cut: read(parameters)?,
            ranking: read(parameters)?,
            games: read(parameters)?,
            positions: read(parameters)?,
        })
    }

    /// The search that is put to each holder of a part of the collection. What they
    /// answer is [merged](crate::merge()) under the cut of this one: only who knows
    /// all hits can order them anew or leave some out.
    #[must_use]
    pub fn for_a_part(mut self) -> Search {
        self.cut = Cut {
            top: self.cut.depth(),
            after: 0,
            limit: usize::MAX,
            rerank: None,
            ..self.cut
        };
        self
    }

    /// The query, to be called off by `cancel`.
    ///
    /// # Errors
    ///
    /// When the parameters do not go together.
    pub fn query(&self, cancel: &Cancel) -> Result<Query, RequestError> {
        let filter = self.positions.narrow(self.games.filter());
        let position = self.position.fen.clone();
        let query = self.ranking.query(position, self.cut.symmetry, filter);
        let query = query.map_err(|error| RequestError::new(error.to_string()))?;
        Ok(Query {
            top: self.cut.top,
            cancel: cancel.clone(),
            ..query
        })
    }

    /// The answer to the [query](Search::query) from an archive.
    ///
    /// # Errors
    ///
    /// When a shard is damaged.
    pub fn answer(
        &self,
        query: &Query,
        archive: &Archive<'_>,
    ) -> Result<json::Answer, FormatError> {
        let answer = Answer::to(query, archive, self.cut.rerank.map(Rerank::method))?;
        let mut told = answer.to_json(archive, self.cut.reasons);
        self.cut.apply(&mut told.hits);
        Ok(told)
    }
}
