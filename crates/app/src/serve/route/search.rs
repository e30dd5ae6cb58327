//! `GET /api/v1/search`: the positions most like a given one.

use std::sync::Arc;

use axum::{Json, extract::State as Shared};
use serde::{Deserialize, Deserializer};
use tabiya_retrieval::Query;
use utoipa::IntoParams;

use crate::{
    answer::Answer,
    filter::{GameArguments, PositionFilterArguments},
    query::{RankingArguments, Rerank, SymmetryChoice},
    serve::{
        Problem, State,
        problem::Fault,
        request::{Asked, PositionParameters},
    },
    text,
    view::json,
};

/// The most games that one answer may hold.
const MOST: usize = 1000;

/// How the answer is cut.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// How many games to look for
    #[param(minimum = 0, maximum = 1000)]
    top: usize,

    /// Tell the hits after this many, for a reader who has seen the first
    #[param(minimum = 0, maximum = 1000)]
    after: usize,

    /// Tell at most this many hits; the moves are counted over all that were found
    #[param(minimum = 0, maximum = 1000)]
    limit: usize,

    /// How many reasons to tell for each hit
    #[param(minimum = 0, maximum = 200)]
    reasons: usize,

    /// Which twins of the position are searched as well; swap unless the run is ours
    #[serde(deserialize_with = "symmetry")]
    #[param(value_type = Option<SymmetryChoice>, inline)]
    symmetry: Option<SymmetryChoice>,

    /// Order the best 200 hits anew by how they play
    #[serde(deserialize_with = "rerank")]
    #[param(value_type = Option<Rerank>, inline)]
    rerank: Option<Rerank>,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            top: 10,
            after: 0,
            limit: MOST,
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

/// Find the positions most like a given one: of each game its best, best first.
#[utoipa::path(
    get,
    path = "/api/v1/search",
    params(
        PositionParameters,
        Parameters,
        RankingArguments,
        GameArguments,
        PositionFilterArguments
    ),
    responses(
        (status = 200, description = "As tabiya search --json", body = json::Answer),
        (status = 400, description = "A parameter makes no sense", body = Fault),
        (status = 503, description = "Too many ask, or it takes too long", body = Fault),
    )
)]
pub(crate) async fn search(
    Shared(state): Shared<Arc<State>>,
    Asked(position): Asked<PositionParameters>,
    Asked(asked): Asked<Parameters>,
    Asked(ranking): Asked<RankingArguments>,
    Asked(games): Asked<GameArguments>,
    Asked(positions): Asked<PositionFilterArguments>,
) -> Result<Json<json::Answer>, Problem> {
    if asked.top > MOST || asked.reasons > 200 {
        let words = format!("at most {MOST} games and 200 reasons can be told at once");
        return Err(Problem::request(words));
    }
    let filter = positions.narrow(games.filter());
    let query = ranking.query(position.fen, asked.symmetry, filter);
    let query = query.map_err(|error| Problem::request(error.to_string()))?;
    let shared = state.clone();
    let answer = state.work.run(move |cancel| {
        let query = Query {
            top: asked.top,
            cancel: cancel.clone(),
            ..query
        };
        let second = asked.rerank.map(Rerank::method);
        let answer = Answer::to(&query, &shared.collection, second)?;
        let mut told = answer.to_json(&shared.collection, asked.reasons);
        told.hits.drain(..asked.after.min(told.hits.len()));
        told.hits.truncate(asked.limit);
        Ok(told)
    });
    Ok(Json(answer.await?))
}
