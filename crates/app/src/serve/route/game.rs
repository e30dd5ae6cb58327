//! `GET /api/v1/game/{id}`: a game's tags and moves.

use std::sync::Arc;

use axum::{Json, extract::State as Shared};
use tabiya_answer::moves::Moves;

use crate::{serve::Problem, serve::State, serve::problem::Fault, serve::request::Number};

/// Tell a game's tags and moves.
#[utoipa::path(
    get,
    path = "/api/v1/game/{id}",
    params(("id" = u64, Path, minimum = 0, description = "The game's number in the collection, counted from one")),
    responses(
        (status = 200, description = "The game", body = Moves),
        (status = 400, description = "The address has no number", body = Fault),
        (status = 404, description = "The collection has no such game", body = Fault),
    )
)]
pub(crate) async fn game(
    Shared(state): Shared<Arc<State>>,
    Number(id): Number,
) -> Result<Json<Moves>, Problem> {
    let games = state.collection.games();
    let game = state.collection.game(id)?;
    let missing = || Problem::missing(format!("no game {id}; there are {games}"));
    Ok(Json(Moves::new(id, &game.ok_or_else(missing)?)))
}
