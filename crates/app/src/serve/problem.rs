//! What is said when a request cannot be answered: a status, and a sentence that
//! tells what to do. Never a path, never a trace.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use tabiya_question::{AskError, Invalid};
use tabiya_retrieval::{CollectionError, index::FormatError};
use utoipa::ToSchema;

/// Why a request was not answered.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    message: String,
}

/// The same as JSON.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemBody {
    /// What is wrong, and what to do.
    error: String,
}

impl Problem {
    fn new(status: StatusCode, message: impl Into<String>) -> Problem {
        Problem {
            status,
            message: message.into(),
        }
    }

    /// The request makes no sense.
    pub(crate) fn request(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, message)
    }

    /// There is no such thing.
    pub(crate) fn missing(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, message)
    }

    /// It may not be asked from there.
    pub(crate) fn refused(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, message)
    }

    /// The method is not one of the route's.
    pub(crate) fn method() -> Problem {
        Problem::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "the method is not allowed here; /api/v1/openapi.json lists the allowed ones",
        )
    }

    /// Too many ask at once.
    pub(crate) fn busy() -> Problem {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "too many requests at once; try again in a moment",
        )
    }

    /// It takes too long.
    pub(crate) fn slow() -> Problem {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the answer took too long and was canceled; ask for less, or try again",
        )
    }

    /// Something of ours failed; the log says what.
    pub(crate) fn internal(reason: &dyn std::fmt::Display) -> Problem {
        tracing::error!(%reason, "request failed");
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the server could not answer; its log says why",
        )
    }

    /// What axum says of a request that it could not read.
    pub(crate) fn unread(status: StatusCode, message: String) -> Problem {
        Problem::new(status, message)
    }

    #[cfg(test)]
    pub(crate) const fn status(&self) -> StatusCode {
        self.status
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let fault = ProblemBody {
            error: self.message,
        };
        let mut response = (self.status, Json(fault)).into_response();
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

impl From<Invalid> for Problem {
    fn from(error: Invalid) -> Problem {
        Problem::request(error.to_string())
    }
}

impl From<AskError> for Problem {
    fn from(error: AskError) -> Problem {
        match error {
            AskError::Invalid(invalid) => invalid.into(),
            AskError::Missing(words) => Problem::missing(words),
            AskError::Damaged(_) | AskError::Part(_) => Problem::internal(&error),
        }
    }
}

impl From<FormatError> for Problem {
    fn from(error: FormatError) -> Problem {
        Problem::internal(&error)
    }
}

impl From<CollectionError> for Problem {
    fn from(error: CollectionError) -> Problem {
        Problem::internal(&error)
    }
}
