//! `GET /api/v1/explore`: what was played in exactly this position.

use std::sync::Arc;

use axum::{Json, extract::State as Shared};
use tabiya_answer::{
    Archive,
    explorer::Explorer,
    filter::GameArguments,
    request::{Explore, PositionParameters, ShowGames},
};

use crate::{serve::Problem, serve::State, serve::problem::Fault, serve::request::Asked};

/// Tell what was played in exactly this position, by whom, and how it ended.
#[utoipa::path(
    get,
    path = "/api/v1/explore",
    params(PositionParameters, ShowGames, GameArguments),
    responses(
        (status = 200, description = "As tabiya explore --json", body = Explorer),
        (status = 400, description = "A parameter makes no sense", body = Fault),
        (status = 503, description = "Too many ask, or it takes too long", body = Fault),
    )
)]
pub(crate) async fn explore(
    Shared(state): Shared<Arc<State>>,
    Asked(position): Asked<PositionParameters>,
    Asked(show): Asked<ShowGames>,
    Asked(games): Asked<GameArguments>,
) -> Result<Json<Explorer>, Problem> {
    let asked = Explore {
        position,
        show,
        games,
    };
    asked.check()?;
    let shared = state.clone();
    let answer = state
        .work
        .run(move |_| Ok(asked.answer(&Archive::from(&*shared.collection))?));
    Ok(Json(answer.await?))
}
