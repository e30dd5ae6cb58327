//! `GET /api/v1/collections`: what can be searched.

use std::sync::Arc;

use axum::{Json, extract::State as Shared};
use serde::Serialize;
use utoipa::ToSchema;

use tabiya_chess::trap::library;
use tabiya_question::shape::Counts;

use crate::serve::State;

/// A collection that is served.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Served {
    /// Its name.
    name: String,
    #[serde(flatten)]
    counts: Counts,
    /// The first plies of a game that are not indexed.
    skip: u16,
    /// The number of known traps: the library's and those mined from the games.
    traps: usize,
}

/// List what can be searched.
#[utoipa::path(
    get,
    path = "/api/v1/collections",
    responses((status = 200, description = "The collections", body = Vec<Served>))
)]
pub(crate) async fn collections(Shared(state): Shared<Arc<State>>) -> Json<Vec<Served>> {
    let shards = state.source.shards();
    Json(vec![Served {
        name: state.name.clone(),
        counts: Counts::of(&shards),
        skip: shards.skip(),
        traps: library().len() + shards.traps().len(),
    }])
}
