//! `GET /api/v1/pool`: what is to be judged for a query.

use std::sync::Arc;

use axum::{Json, extract::State as Shared};
use serde::{Deserialize, Serialize};
use tabiya_answer::{json, request::PositionParameters};
use tabiya_chess::position;
use tabiya_retrieval::{
    Hit, Query, Run,
    index::FormatError,
    played::Found,
    run::{self},
    search::Cancel,
};
use utoipa::{IntoParams, ToSchema};

use crate::{serve::Problem, serve::State, serve::problem::Fault, serve::request::Asked};

/// How many hits of each run are looked at.
const DEPTH: usize = 200;

/// How large the pool is.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// How many positions to judge
    #[param(minimum = 1, maximum = 200)]
    size: usize,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters { size: 50 }
    }
}

/// What is to be judged for a query.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Pool {
    query: json::Query,
    /// The runs whose answers were pooled.
    runs: Vec<&'static str>,
    /// In an order that says nothing of who found them or how high.
    hits: Vec<Pooled>,
}

/// A position to judge.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Pooled {
    symmetry: &'static str,
    fen: String,
    turned_fen: String,
    ply: usize,
    game: json::Game,
    turned_next: Vec<String>,
}

impl Pooled {
    fn new(found: &Found) -> Pooled {
        Pooled {
            symmetry: found.hit.symmetry.name(),
            fen: position::to_fen(&found.position),
            turned_fen: position::to_fen(&found.turned),
            ply: found.hit.ply,
            game: json::Game::new(found.hit.game, &found.game.tags),
            turned_next: found.turned_next.clone(),
        }
    }
}

/// Tell the positions to judge for a query: the best of several runs, in a neutral
/// order and without scores.
#[utoipa::path(
    get,
    path = "/api/v1/pool",
    params(PositionParameters, Parameters),
    responses(
        (status = 200, description = "The pool", body = Pool),
        (status = 400, description = "A parameter makes no sense", body = Fault),
        (status = 503, description = "Too many ask, or it takes too long", body = Fault),
    )
)]
pub(crate) async fn pool(
    Shared(state): Shared<Arc<State>>,
    Asked(PositionParameters { fen }): Asked<PositionParameters>,
    Asked(asked): Asked<Parameters>,
) -> Result<Json<Pool>, Problem> {
    if !(1..=DEPTH).contains(&asked.size) {
        let words = format!("a pool has 1 to {DEPTH} positions");
        return Err(Problem::request(words));
    }
    let shared = state.clone();
    let answer = state.work.run(move |cancel| {
        let query = |run: Run| Query {
            cancel: Cancel::clone(cancel),
            ..run.query(fen.clone(), DEPTH)
        };
        let answers = Run::ALL.map(|it| shared.collection.search(&query(it)));
        let answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
        let pooled = run::pool(answers.iter().map(Vec::as_slice), asked.size);
        Ok(Pool {
            query: json::Query::new(&fen),
            runs: Run::ALL.map(Run::name).to_vec(),
            hits: look_up(&shared, &pooled)?,
        })
    });
    Ok(Json(answer.await?))
}

fn look_up(state: &State, hits: &[Hit]) -> Result<Vec<Pooled>, FormatError> {
    let mut pooled = Vec::with_capacity(hits.len());
    for &hit in hits {
        let game = state.collection.game(hit.game)?;
        let found = game.and_then(|it| Found::new(hit, it));
        pooled.extend(found.as_ref().map(Pooled::new));
    }
    Ok(pooled)
}
