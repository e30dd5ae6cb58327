//! `GET /api/v1/explore`: what was played in exactly this position.

use std::sync::Arc;

use axum::{Json, extract::State as Shared};
use serde::Deserialize;
use tabiya_retrieval::explorer;
use utoipa::IntoParams;

use crate::{
    filter::GameArguments,
    serve::{
        Problem, State,
        problem::Fault,
        request::{Asked, PositionParameters},
    },
    view::explorer::Explorer,
};

/// What is told.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// How many of the best-rated and of the newest games to show, at most 8
    #[param(minimum = 0, maximum = 8)]
    show_games: usize,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters { show_games: 4 }
    }
}

/// Tell what was played in exactly this position, by whom, and how it ended.
#[utoipa::path(
    get,
    path = "/api/v1/explore",
    params(PositionParameters, Parameters, GameArguments),
    responses(
        (status = 200, description = "As tabiya explore --json", body = Explorer),
        (status = 400, description = "A parameter makes no sense", body = Fault),
        (status = 503, description = "Too many ask, or it takes too long", body = Fault),
    )
)]
pub(crate) async fn explore(
    Shared(state): Shared<Arc<State>>,
    Asked(PositionParameters { fen }): Asked<PositionParameters>,
    Asked(asked): Asked<Parameters>,
    Asked(games): Asked<GameArguments>,
) -> Result<Json<Explorer>, Problem> {
    if asked.show_games > 8 {
        return Err(Problem::request("at most 8 games can be shown"));
    }
    let shared = state.clone();
    let answer = state.work.run(move |_| {
        let shards = shared.collection.shards();
        let mut explored = explorer::explore(&shards, &fen, &games.filter())?;
        explored.best.truncate(asked.show_games);
        explored.newest.truncate(asked.show_games);
        Ok(Explorer::new(&explored, &fen))
    });
    Ok(Json(answer.await?))
}
