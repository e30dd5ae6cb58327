//! `GET /api/v1/collections`: the collections that the server searches.

use std::sync::Arc;

use axum::{Json, extract::State as Shared};
use serde::Serialize;
use utoipa::ToSchema;

use tabiya_chess::trap::library;
use tabiya_question::shape::Counts;

use crate::serve::{Problem, State};

/// A collection that the server searches.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServedCollection {
    /// The name of the collection.
    name: String,
    #[serde(flatten)]
    counts: Counts,
    /// The number of opening plies that are not indexed.
    skip: u16,
    /// The number of known traps: from the library, and mined from the games.
    traps: usize,
}

/// List the collections.
#[utoipa::path(
    get,
    path = "/api/v1/collections",
    responses((status = 200, description = "The collections", body = Vec<ServedCollection>))
)]
pub(crate) async fn collections(
    Shared(state): Shared<Arc<State>>,
) -> Result<Json<Vec<ServedCollection>>, Problem> {
    let served = state.served();
    let shards = served.shards();
    Ok(Json(vec![ServedCollection {
        name: state.name.clone(),
        counts: Counts::of(&shards),
        skip: shards.skip(),
        traps: library().len() + shards.traps()?.len(),
    }]))
}
