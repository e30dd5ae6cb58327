//! `GET /api/v1/explain`: why two positions are alike.

use std::sync::Arc;

use axum::{Json, extract::State as Shared};
use serde::Deserialize;
use shakmaty::Position;
use utoipa::IntoParams;

use crate::{
    answer,
    query::{RankingArguments, SymmetryChoice},
    serve::{
        Problem, State,
        problem::Fault,
        request::{Asked, PairParameters},
    },
    view::json,
};

/// What is told.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// How many shared terms to tell
    #[param(minimum = 0, maximum = 1000)]
    reasons: usize,

    /// Which twins of the first position are tried as well; the best is told
    #[param(inline)]
    symmetry: SymmetryChoice,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            reasons: 12,
            symmetry: SymmetryChoice::default(),
        }
    }
}

/// Say why two positions are alike, and in what they differ.
#[utoipa::path(
    get,
    path = "/api/v1/explain",
    params(PairParameters, Parameters, RankingArguments),
    responses(
        (status = 200, description = "As tabiya explain --json", body = json::Explained),
        (status = 400, description = "A parameter makes no sense", body = Fault),
    )
)]
pub(crate) async fn explain(
    Shared(state): Shared<Arc<State>>,
    Asked(pair): Asked<PairParameters>,
    Asked(asked): Asked<Parameters>,
    Asked(ranking): Asked<RankingArguments>,
) -> Result<Json<json::Explained>, Problem> {
    let ranking = ranking.checked(pair.fen.turn());
    let ranking = ranking.map_err(|error| Problem::request(error.to_string()))?;
    let symmetries = asked.symmetry.symmetries();
    let told = answer::explain(
        [&pair.fen, &pair.other],
        &symmetries,
        &ranking,
        state.collection.statistics(),
    );
    let (symmetry, why) = told.ok_or_else(|| Problem::request("no symmetry to try"))?;
    Ok(Json(json::Explained::new(&why, symmetry, asked.reasons)))
}
