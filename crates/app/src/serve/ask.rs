//! Serves each question at a route.

use std::sync::Arc;

use axum::{
    Router,
    extract::{RawPathParams, State as Shared},
    http::{HeaderName, Uri, header},
    routing::get,
};
use tabiya_question::{Cost, Entry, QUESTIONS, describe::ROOT};

use super::{Problem, State, state::Asked, work::apart};

type Json = ([(HeaderName, &'static str); 1], String);

/// The routes of all questions.
pub(super) fn routes() -> Router<Arc<State>> {
    let route = |router: Router<Arc<State>>, entry: &'static Entry| {
        let handler = move |state, path, uri| answer(entry, state, path, uri);
        router.route(&format!("{ROOT}{}", entry.path), get(handler))
    };
    QUESTIONS.iter().fold(Router::new(), route)
}

async fn answer(
    entry: &'static Entry,
    Shared(state): Shared<Arc<State>>,
    path: RawPathParams,
    uri: Uri,
) -> Result<Json, Problem> {
    let (asked, mut parameters) = Asked::of(uri.query().unwrap_or_default());
    for (name, value) in &path {
        parameters += &format!("&{name}={value}");
    }
    // Report an invalid parameter before the question queues for a place. A parameter may be a
    // pattern or a game, and several collections are added up first.
    let shared = state.clone();
    let read = apart(move || {
        let question = entry.read_within_limits(&parameters)?;
        Ok((question, shared.find(&asked)?))
    });
    let (question, open) = read.await?;
    let work = match question.cost() {
        Cost::Light => &state.work,
        Cost::Heavy => &state.heavy,
        Cost::Thinking => &state.thinking,
    };
    let json = work.run(move |cancel| Ok(question.answer(&open.shards(), cancel)?));
    Ok(([(header::CONTENT_TYPE, "application/json")], json.await?))
}
