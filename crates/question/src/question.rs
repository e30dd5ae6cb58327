//! What a question is, and what can go wrong with it.

use std::fmt;

use clap::Args;
use serde::{Serialize, de::DeserializeOwned};
use tabiya_retrieval::{GameNumber, index::FormatError, search::Cancel};
use utoipa::ToSchema;

use crate::{Shards, parameter::PositionParameters};

/// A question with its parameters. [`ask`](Question::ask) collects what one group of shards
/// knows, [`merge`](Question::merge) makes an answer of what all groups know; one machine merges
/// a single part. However shards are grouped, the answer is the same to the last bit.
pub trait Question: Args + Serialize + Clone + fmt::Debug + Send + Sync + 'static {
    /// The name of its verb, its route and its Python method.
    const NAME: &'static str;

    /// What it does, in one line.
    const ABOUT: &'static str;

    /// The address behind `/api/v1/`; parameters in braces stand in the path.
    const PATH: &'static str = Self::NAME;

    /// Whether the engine thinks to answer it. Such questions wait in a line of their own.
    const THINKS: bool = false;

    /// What a server admits of a numeric parameter: name, least and greatest value.
    const LIMITS: &'static [(&'static str, f64, f64)] = &[];

    /// What one group of shards contributes.
    type Part: Serialize + DeserializeOwned + Send;

    /// What the asker gets.
    type Answer: Serialize + ToSchema + Send;

    /// The position asked about, if the question has one.
    fn position(&mut self) -> Option<&mut PositionParameters> {
        None
    }

    /// Checks parameters against each other and fills in defaults that depend on others, so
    /// that the question says all that is in force.
    ///
    /// # Errors
    ///
    /// When parameters contradict each other.
    fn settle(&mut self) -> Result<(), Invalid> {
        self.position().map_or(Ok(()), PositionParameters::settle)
    }

    /// Which groups of shards must be asked.
    fn scope(&self) -> Scope {
        Scope::Everyone
    }

    /// What a group of shards knows. The part of a canceled question means nothing.
    ///
    /// # Errors
    ///
    /// When a segment is damaged.
    fn ask(&self, shards: &Shards<'_>, cancel: &Cancel) -> Result<Self::Part, AskError>;

    /// The answer from the parts of all groups, in the order of their games.
    ///
    /// # Errors
    ///
    /// When what was asked for does not exist.
    fn merge(&self, parts: Vec<Self::Part>, cancel: &Cancel) -> Result<Self::Answer, AskError>;
}

/// Answers a [settled](Question::settle) question on one machine.
///
/// # Errors
///
/// Those of the question.
pub fn answer<Q: Question>(
    question: &Q,
    shards: &Shards<'_>,
    cancel: &Cancel,
) -> Result<Q::Answer, AskError> {
    let part = question.ask(shards, cancel)?;
    question.merge(vec![part], cancel)
}

/// Which groups of shards must be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    Everyone,
    /// Any one: each knows the whole answer.
    Anyone,
    /// The one that holds this game.
    Holder(GameNumber),
}

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
    /// A part is not one of this question: the machines run different versions.
    #[error("a part is not an answer of this version ({0}); run the same version on all machines")]
    Part(String),
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
