//! `GET /api/v1/compare`: what can be played in two positions.

use std::sync::Arc;

use axum::{Json, extract::State as Shared};
use tabiya_answer::{
    comparison::Compared,
    request::{Compare, Depth, PairParameters},
};

use crate::{serve::Problem, serve::State, serve::problem::Fault, serve::request::Asked};

/// Compare two positions by every measure: how they look, and what can be played.
#[utoipa::path(
    get,
    path = "/api/v1/compare",
    params(PairParameters, Depth),
    responses(
        (status = 200, description = "As tabiya compare --json --more", body = Compared),
        (status = 400, description = "A parameter makes no sense", body = Fault),
        (status = 503, description = "Too many ask, or it takes too long", body = Fault),
    )
)]
pub(crate) async fn compare(
    Shared(state): Shared<Arc<State>>,
    Asked(pair): Asked<PairParameters>,
    Asked(depth): Asked<Depth>,
) -> Result<Json<Compared>, Problem> {
    depth.check()?;
    let asked = Compare { pair, depth };
    let answer = state.work.run(move |_| Ok(asked.answer()?));
    Ok(Json(answer.await?))
}
