//! `GET /api/v1/pool`: positions to judge for a query.

use std::sync::Arc;

use axum::{Json, extract::State as Shared, http::Uri};
use serde::{Deserialize, Serialize};
use tabiya_chess::{Ply, position};
use tabiya_question::search::Asked as QueryPosition;
use tabiya_question::{
    AskError,
    parameter::parse_fen,
    shape::{Fen, GameHeader},
};
use tabiya_retrieval::{
    Hit, Query, Run,
    index::FormatError,
    played::{self, ResolvedHit},
    run::{self},
    search::Cancel,
};
use utoipa::{IntoParams, ToSchema};

use super::judgments::served;
use crate::serve::{Problem, State, problem::ProblemBody, request::Asked, shelf::Served};

/// The number of hits taken from each run.
const DEPTH: usize = 200;

/// The query and the size of its pool.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// The position as a FEN of four or six fields
    #[param(example = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")]
    fen: String,

    /// Number of positions to judge
    #[param(minimum = 1, maximum = 200)]
    #[serde(default = "size")]
    size: usize,
}

const fn size() -> usize {
    50
}

/// Positions to judge for a query.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Pool {
    query: QueryPosition,
    /// The runs whose hits were pooled.
    runs: Vec<&'static str>,
    /// The positions, in an order that hides their runs and ranks.
    hits: Vec<PoolHit>,
}

/// A position to judge.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PoolHit {
    symmetry: &'static str,
    fen: String,
    turned_fen: String,
    #[schema(value_type = usize)]
    ply: Ply,
    game: GameHeader,
    turned_next: Vec<String>,
}

impl PoolHit {
    fn new(found: &ResolvedHit) -> PoolHit {
        PoolHit {
            symmetry: found.hit.symmetry.name(),
            fen: position::to_fen(&found.position),
            turned_fen: position::to_fen(&found.turned),
            ply: found.hit.ply,
            game: GameHeader::new(found.hit.game, &found.game.tags),
            turned_next: played::line(&found.position, &found.next, found.hit.symmetry),
        }
    }
}

/// List positions to judge for a query: the best hits of several runs, in neutral order
/// and without scores.
#[utoipa::path(
    get,
    path = "/api/v1/pool",
    params(Parameters),
    responses(
        (status = 200, description = "The pool", body = Pool),
        (status = 400, description = "A parameter is invalid", body = ProblemBody),
        (status = 503, description = "The server is busy, or the request took too long", body = ProblemBody),
    )
)]
pub(crate) async fn pool(
    Shared(state): Shared<Arc<State>>,
    uri: Uri,
    Asked(asked): Asked<Parameters>,
) -> Result<Json<Pool>, Problem> {
    if !(1..=DEPTH).contains(&asked.size) {
        let words = format!("size: a pool has 1 to {DEPTH} positions");
        return Err(Problem::request(words));
    }
    let position = parse_fen(&asked.fen);
    let position = position.map_err(|error| Problem::request(format!("fen: {error}")))?;
    let served = served(&state, &uri)?;
    let answer = state.heavy.run(move |cancel| {
        let query = |run: Run| Query {
            cancel: Cancel::clone(cancel),
            ..run.query(position.clone(), DEPTH)
        };
        let hits = served.shards().intact(|| {
            let answers = Run::ALL.map(|it| served.collection().search(&query(it)));
            let answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
            let pooled = run::pool(answers.iter().map(Vec::as_slice), asked.size);
            look_up(&served, &pooled).map_err(AskError::from)
        })?;
        Ok(Pool {
            query: QueryPosition {
                fen: Fen(position.clone()),
            },
            runs: Run::NAMES.to_vec(),
            hits,
        })
    });
    Ok(Json(answer.await?))
}

fn look_up(served: &Served, hits: &[Hit]) -> Result<Vec<PoolHit>, FormatError> {
    let mut pooled = Vec::with_capacity(hits.len());
    for &hit in hits {
        let game = served.collection().game(hit.game)?;
        let found = game.and_then(|it| ResolvedHit::new(hit, it));
        pooled.extend(found.as_ref().map(PoolHit::new));
    }
    Ok(pooled)
}
