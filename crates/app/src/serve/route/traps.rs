//! `GET /api/v1/traps`: traps near a position.

use std::sync::Arc;

use axum::{Json, extract::State as Shared};
use serde::Deserialize;
use tabiya_answer::request::PositionParameters;
use tabiya_chess::trap::Effort;
use tabiya_retrieval::trap::near;
use utoipa::IntoParams;

use crate::{
    serve::Problem, serve::State, serve::problem::Fault, serve::request::Asked, view::traps::Traps,
};

/// How many are told.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// How many traps to show
    #[param(minimum = 0, maximum = 20)]
    top: usize,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters { top: 5 }
    }
}

/// Find the traps that a position resembles; warnings are proved by search.
#[utoipa::path(
    get,
    path = "/api/v1/traps",
    params(PositionParameters, Parameters),
    responses(
        (status = 200, description = "As tabiya traps --json", body = Traps),
        (status = 400, description = "A parameter makes no sense", body = Fault),
        (status = 503, description = "Too many ask, or it takes too long", body = Fault),
    )
)]
pub(crate) async fn traps(
    Shared(state): Shared<Arc<State>>,
    Asked(PositionParameters { fen }): Asked<PositionParameters>,
    Asked(asked): Asked<Parameters>,
) -> Result<Json<Traps>, Problem> {
    if asked.top > 20 {
        return Err(Problem::request("at most 20 traps can be shown"));
    }
    let shared = state.clone();
    let answer = state.work.run(move |_| {
        let found = near(&fen, &shared.patterns, asked.top, Effort::default());
        Ok(Traps::new(&found, &fen))
    });
    Ok(Json(answer.await?))
}
