//! `GET /api/v1/search`: the positions most like a given one.

use std::sync::Arc;

use axum::{Json, extract::State as Shared};
use tabiya_answer::{
    Archive,
    filter::{GameArguments, PositionFilterArguments},
    json,
    query::RankingArguments,
    request::{Cut, PositionParameters, Search},
};
use tabiya_retrieval::{Query, search::Cancel};

use crate::{serve::Problem, serve::State, serve::problem::Fault, serve::request::Asked};

/// Find the positions most like a given one: of each game its best, best first.
#[utoipa::path(
    get,
    path = "/api/v1/search",
    params(
        PositionParameters,
        Cut,
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
    Asked(cut): Asked<Cut>,
    Asked(ranking): Asked<RankingArguments>,
    Asked(games): Asked<GameArguments>,
    Asked(positions): Asked<PositionFilterArguments>,
) -> Result<Json<json::Answer>, Problem> {
    cut.check()?;
    let search = Search {
        position,
        cut,
        ranking,
        games,
        positions,
    };
    // What makes no sense is told before it waits for its turn.
    let query = search.query(&Cancel::default())?;
    let shared = state.clone();
    let answer = state.work.run(move |cancel| {
        let query = Query {
            cancel: cancel.clone(),
            ..query
        };
        Ok(search.answer(&query, &Archive::from(&*shared.collection))?)
    });
    Ok(Json(answer.await?))
}
