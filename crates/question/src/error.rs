//! What can go wrong with a question.

use std::fmt;

use tabiya_retrieval::{CollectionError, index::FormatError, search::SearchError};

/// Why a question is not answered.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// A parameter is invalid.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// What was asked for does not exist.
    #[error("{0}")]
    Missing(String),
    /// A segment is damaged.
    #[error(transparent)]
    Damaged(#[from] FormatError),
    /// The collection's file of traps is damaged.
    #[error(transparent)]
    Traps(#[from] CollectionError),
    /// A part is not one of this question: the machines run different versions.
    #[error("a part is not an answer of this version ({0}); run the same version on all machines")]
    Part(String),
}

impl AskError {
    /// Why a search has no answer; a parameter has its pattern.
    pub(crate) fn of_search(parameter: &str, error: SearchError) -> AskError {
        match error {
            SearchError::TooMuchWork(error) => Invalid::new(parameter, error).into(),
            error => error.into(),
        }
    }
}

impl From<SearchError> for AskError {
    fn from(error: SearchError) -> AskError {
        match error {
            SearchError::Format(error) => error.into(),
            SearchError::TooMuchWork(error) => Invalid::whole(error).into(),
        }
    }
}

/// Why a parameter is invalid, with the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", parameter.as_deref().map(|it| format!("{it}: ")).unwrap_or_default())]
pub struct Invalid {
    parameter: Option<String>,
    message: String,
}

impl Invalid {
    /// A parameter that is wrong.
    pub fn new(parameter: &str, message: impl fmt::Display) -> Invalid {
        Invalid {
            parameter: Some(parameter.to_owned()),
            message: message.to_string(),
        }
    }

    /// The parameter, if a single one is to blame.
    pub fn parameter(&self) -> Option<&str> {
        self.parameter.as_deref()
    }

    /// What is wrong, and the remedy.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Something wrong that no single parameter is to blame for.
    pub fn whole(message: impl fmt::Display) -> Invalid {
        Invalid {
            parameter: None,
            message: message.to_string(),
        }
    }
}
