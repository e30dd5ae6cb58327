//! `GET /api/v1/health`: a health check.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

/// The state of the server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    status: &'static str,
    version: &'static str,
}

/// Report that the server is running.
#[utoipa::path(
    get,
    path = "/api/v1/health",
    responses((status = 200, description = "The server is running", body = Health))
)]
pub(crate) async fn health() -> Json<Health> {
    Json(Health {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
    })
}
