//! Error responses: a status and a message with the remedy. They never reveal a path
//! or a stack trace.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use tabiya_question::{AskError, Invalid};
use tabiya_retrieval::{CollectionError, index::FormatError};
use utoipa::ToSchema;

/// An error response.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    message: String,
}

/// The JSON body of an error response.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemBody {
    /// What is wrong, and the remedy.
    error: String,
}

impl Problem {
    fn new(status: StatusCode, message: impl Into<String>) -> Problem {
        Problem {
            status,
            message: message.into(),
        }
    }

    /// The request is invalid.
    pub(crate) fn request(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, message)
    }

    /// The resource does not exist.
    pub(crate) fn missing(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, message)
    }

    /// The client may not send this request.
    pub(crate) fn refused(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, message)
    }

    /// The client sent no valid token.
    pub(crate) fn unknown() -> Problem {
        Problem::new(
            StatusCode::UNAUTHORIZED,
            "this server asks for a token; open the address that \"tabiya serve\" printed, \
             or send the header Authorization: Bearer TOKEN",
        )
    }

    /// The client sends too many requests.
    pub(crate) fn too_many() -> Problem {
        Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too many requests; try again in a second",
        )
    }

    /// The route does not support the method.
    pub(crate) fn method() -> Problem {
        Problem::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method not allowed; see /api/v1/openapi.json for the allowed methods",
        )
    }

    /// Too many requests are waiting.
    pub(crate) fn busy() -> Problem {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is busy; try again in a moment",
        )
    }

    /// The request took too long.
    pub(crate) fn slow() -> Problem {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the request took too long and was canceled; ask for less, or try again",
        )
    }

    /// The server failed; the log has the reason.
    pub(crate) fn internal(reason: &dyn std::fmt::Display) -> Problem {
        tracing::error!(%reason, "request failed");
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal server error; see the server log",
        )
    }

    /// A request that axum rejected.
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
        let (name, value) = match self.status {
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => {
                (header::RETRY_AFTER, "1")
            }
            StatusCode::UNAUTHORIZED => (header::WWW_AUTHENTICATE, "Bearer"),
            _ => return response,
        };
        let headers = response.headers_mut();
        headers.insert(name, HeaderValue::from_static(value));
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
            AskError::Damaged(_) | AskError::Traps(_) | AskError::Part(_) => {
                Problem::internal(&error)
            }
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
