//! `GET /api/v1/collections`: what can be searched.

use std::sync::Arc;

use axum::{Json, extract::State as Shared};
use serde::Serialize;
use utoipa::ToSchema;

use tabiya_answer::{Archive, json::Counts};

use crate::serve::State;

/// A collection that is served.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Served {
    /// How it is called.
    name: String,
    #[serde(flatten)]
    counts: Counts,
    /// How many half-moves are left out at the beginning of a game.
    skip: u16,
    /// How many traps are known, the library's and those mined from the games.
    traps: usize,
}

/// Tell what can be searched.
#[utoipa::path(
    get,
    path = "/api/v1/collections",
    responses((status = 200, description = "The collections", body = Vec<Served>))
)]
pub(crate) async fn collections(Shared(state): Shared<Arc<State>>) -> Json<Vec<Served>> {
    Json(vec![Served {
        name: state.name.clone(),
        counts: Counts::new(&Archive::from(&*state.collection)),
        skip: state.collection.manifest().skip,
        traps: state.patterns.len(),
    }])
}
