//! What is asked: parameters and bodies, read with errors of our own shape.

use axum::{
    Json,
    extract::{FromRequest, FromRequestParts, Path, Request},
    http::request::Parts,
};
use serde::de::DeserializeOwned;
use tabiya_answer::request;

use super::Problem;

/// Parameters behind the question mark. Those that belong to somebody else are
/// passed over, so that a route can ask for several sets of them.
pub(crate) struct Asked<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Asked<T>, Problem> {
        let parameters = parts.uri.query().unwrap_or_default();
        Ok(Asked(request::read(parameters)?))
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
