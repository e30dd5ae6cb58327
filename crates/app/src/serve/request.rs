//! What is asked: parameters and bodies, read with errors of our own shape.

use axum::{
    Json,
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::request::Parts,
};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use shakmaty::Chess;
use utoipa::IntoParams;

use super::Problem;
use crate::{query::parse_fen, text};

/// Parameters behind the question mark. Those that belong to somebody else are
/// passed over, so that a route can ask for several sets of them.
pub(crate) struct Asked<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Asked<T>, Problem> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(asked)) => Ok(Asked(asked)),
            Err(error) => Err(Problem::unread(error.status(), error.body_text())),
        }
    }
}

/// A number in the address.
pub(crate) struct Number(pub(crate) u64);

impl<S: Send + Sync> FromRequestParts<S> for Number {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Number, Problem> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(number)) => Ok(Number(number)),
            Err(error) => Err(Problem::unread(error.status(), error.body_text())),
        }
    }
}

/// A body of JSON.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Body<T>, Problem> {
        match Json::from_request(request, state).await {
            Ok(Json(body)) => Ok(Body(body)),
            Err(error) => Err(Problem::unread(error.status(), error.body_text())),
        }
    }
}

/// The position that is asked about.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PositionParameters {
    /// The position as a FEN of four or six fields
    #[serde(deserialize_with = "fen")]
    #[param(value_type = String, example = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")]
    pub(crate) fen: Chess,
}

/// Two positions.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PairParameters {
    /// The first position as a FEN
    #[serde(deserialize_with = "fen")]
    #[param(value_type = String, example = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")]
    pub(crate) fen: Chess,

    /// The second position as a FEN
    #[serde(deserialize_with = "fen")]
    #[param(value_type = String, example = "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1")]
    pub(crate) other: Chess,
}

/// Reads a FEN.
pub(crate) fn fen<'de, D: Deserializer<'de>>(from: D) -> Result<Chess, D::Error> {
    text::required(from, parse_fen)
}
