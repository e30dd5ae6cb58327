//! `GET /api/v1/health`: whether the server answers.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

/// That all is well.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    status: &'static str,
    version: &'static str,
}

/// Tell that the server answers.
#[utoipa::path(
    get,
    path = "/api/v1/health",
    responses((status = 200, description = "It does", body = Health))
)]
pub(crate) async fn health() -> Json<Health> {
    Json(Health {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
    })
}
