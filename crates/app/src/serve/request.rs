//! Reads parameters and bodies, and reports errors as a [`Problem`].

use std::{future::Future, time::Duration};

use axum::{
    Json,
    extract::{FromRequest, FromRequestParts, Query, Request},
    http::{StatusCode, request::Parts},
};
use serde::de::DeserializeOwned;
use tokio::{sync::Semaphore, time};

use super::Problem;

/// Query parameters.
pub(crate) struct Asked<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Asked<T>, Problem> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(asked)) => Ok(Asked(asked)),
            Err(error) => Err(Problem::request(error.body_text())),
        }
    }
}

/// A JSON body.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Body<T>, Problem> {
        match in_time(Json::from_request(request, state)).await? {
            Ok(Json(body)) => Ok(Body(body)),
            Err(error) => Err(Problem::unread(error.status(), error.body_text())),
        }
    }
}

/// A body of text, which may be long.
pub(crate) struct Text(pub(crate) String);

impl<S: Send + Sync> FromRequest<S> for Text {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Text, Problem> {
        // Few long bodies at a time: they take memory.
        let _place = LONG_BODIES.try_acquire().map_err(|_| Problem::busy())?;
        match in_time(String::from_request(request, state)).await? {
            Ok(text) => Ok(Text(text)),
            Err(error) => Err(Problem::unread(error.status(), error.body_text())),
        }
    }
}

/// Places for long bodies.
static LONG_BODIES: Semaphore = Semaphore::const_new(4);

/// The time that a client has to send a body.
const SLOWEST: Duration = Duration::from_secs(30);

/// Waits for a body, or a part of it, but not for long.
pub(crate) async fn in_time<T>(body: impl Future<Output = T>) -> Result<T, Problem> {
    let read = time::timeout(SLOWEST, body).await;
    read.map_err(|_| {
        Problem::unread(
            StatusCode::REQUEST_TIMEOUT,
            "the body came too slowly".to_owned(),
        )
    })
}
