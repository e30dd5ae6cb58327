//! `GET /api/v1/compare`: what can be played in two positions.

use std::sync::Arc;

use axum::{Json, extract::State as Shared};
use serde::Deserialize;
use tabiya_retrieval::comparison::{Comparison, Settings};
use utoipa::IntoParams;

use crate::{
    serve::{
        Problem, State,
        problem::Fault,
        request::{Asked, PairParameters},
    },
    view::comparison::{Compared, Detail},
};

/// How deep, and how much is told.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// How many plies of play to compare
    #[param(minimum = 1, maximum = 2)]
    depth: u8,

    /// How many matched pairs of moves to tell
    #[param(minimum = 0, maximum = 100)]
    matches: usize,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            depth: 2,
            matches: 10,
        }
    }
}

/// Compare two positions by every measure: how they look, and what can be played.
#[utoipa::path(
    get,
    path = "/api/v1/compare",
    params(PairParameters, Parameters),
    responses(
        (status = 200, description = "As tabiya compare --json --more", body = Compared),
        (status = 400, description = "A parameter makes no sense", body = Fault),
        (status = 503, description = "Too many ask, or it takes too long", body = Fault),
    )
)]
pub(crate) async fn compare(
    Shared(state): Shared<Arc<State>>,
    Asked(PairParameters { fen, other }): Asked<PairParameters>,
    Asked(asked): Asked<Parameters>,
) -> Result<Json<Compared>, Problem> {
    if !(1..=2).contains(&asked.depth) || asked.matches > 100 {
        return Err(Problem::request(
            "compare 1 or 2 plies, and tell at most 100 matches; \
             tabiya compare goes deeper on the command line",
        ));
    }
    let answer = state.work.run(move |_| {
        let settings = Settings {
            depth: asked.depth.into(),
            ..Settings::default()
        };
        let plain = Comparison::new(&fen, &other, settings);
        let swapped = Comparison::swapped(&fen, &other, settings);
        let detail = Detail {
            depth: asked.depth,
            matches: asked.matches,
            more: true,
        };
        Ok(Compared::new(&plain, swapped.as_ref(), detail)?)
    });
    Ok(Json(answer.await?))
}
