//! `GET /api/v1/access`: what the client may do.

use std::sync::Arc;

use axum::{Json, extract::State as Shared, http::HeaderMap};
use serde::Serialize;
use utoipa::ToSchema;

use crate::serve::{State, access::Role};

/// What a client may do.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ClientAccess {
    /// The client's role; absent if it sent no valid token.
    role: Option<Role>,
}

/// Report what the client may do: ask questions, also judge, also import and delete.
#[utoipa::path(
    get,
    path = "/api/v1/access",
    responses((status = 200, description = "What the client may do", body = ClientAccess))
)]
pub(crate) async fn access(
    Shared(state): Shared<Arc<State>>,
    headers: HeaderMap,
) -> Json<ClientAccess> {
    let role = state.access.role(&headers);
    Json(ClientAccess { role })
}
