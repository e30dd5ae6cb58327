//! `GET /metrics`: metrics for Prometheus.

use std::sync::Arc;

use axum::{
    extract::State as Shared,
    http::{HeaderName, header},
};

use crate::serve::State;

const FORMAT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(crate) async fn metrics(
    Shared(state): Shared<Arc<State>>,
) -> ([(HeaderName, &'static str); 1], String) {
    let all = state.shelf.all();
    let games = all.iter().map(|it| it.collection().games()).sum();
    let positions = all.iter().map(|it| it.collection().positions()).sum();
    let text = state.figures.text(games, positions);
    ([(header::CONTENT_TYPE, FORMAT)], text)
}
