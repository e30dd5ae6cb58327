//! `GET /api/v1/explain`: why two positions are alike.

use std::sync::Arc;

use axum::{Json, extract::State as Shared};
use tabiya_answer::{
    json,
    query::RankingArguments,
    request::{Explain, PairParameters, Reasons},
};

use crate::{serve::Problem, serve::State, serve::problem::Fault, serve::request::Asked};

/// Say why two positions are alike, and in what they differ.
#[utoipa::path(
    get,
    path = "/api/v1/explain",
    params(PairParameters, Reasons, RankingArguments),
    responses(
        (status = 200, description = "As tabiya explain --json", body = json::Explained),
        (status = 400, description = "A parameter makes no sense", body = Fault),
    )
)]
pub(crate) async fn explain(
    Shared(state): Shared<Arc<State>>,
    Asked(pair): Asked<PairParameters>,
    Asked(reasons): Asked<Reasons>,
    Asked(ranking): Asked<RankingArguments>,
) -> Result<Json<json::Explained>, Problem> {
    let asked = Explain {
        pair,
        reasons,
        ranking,
    };
    Ok(Json(asked.answer(state.collection.statistics())?))
}
