//! What a question is.

use std::fmt;

use clap::Args;
use serde::{Serialize, de::DeserializeOwned};
use tabiya_retrieval::{GameNumber, search::Cancel};
use utoipa::ToSchema;

use crate::{AskError, Invalid, Shards, parameter::PositionParameters};

/// A question with its parameters. [`ask`](Question::ask) computes the part of one group of shards,
/// [`merge`](Question::merge) makes the answer from the parts of all groups. A single machine merges
/// one part. The answer does not depend on the grouping of shards, not even in the last bit.
pub trait Question: Args + Serialize + Clone + fmt::Debug + Send + Sync + 'static {
    /// The name of its verb, its route and its Python method.
    const NAME: &'static str;

    /// A one-line summary.
    const ABOUT: &'static str;

    /// The path under `/api/v1/`; parameters in braces are part of the path.
    const PATH: &'static str = Self::NAME;

    /// The limits that a server sets for numeric parameters: name, least and greatest value.
    const LIMITS: &'static [(&'static str, f64, f64)] = &[];

    /// The contribution of one group of shards.
    type Part: Serialize + DeserializeOwned + Send;

    /// The answer.
    type Answer: Serialize + ToSchema + Send;

    /// The position asked about, if the question has one.
    fn position(&mut self) -> Option<&mut PositionParameters> {
        None
    }

    /// Checks that parameters are consistent and fills in dependent defaults, so that the
    /// question lists all settings in force.
    ///
    /// # Errors
    ///
    /// When parameters contradict each other.
    fn settle(&mut self) -> Result<(), Invalid> {
        self.position().map_or(Ok(()), PositionParameters::settle)
    }

    /// The groups of shards to ask.
    fn scope(&self) -> Scope {
        Scope::Everyone
    }

    /// What answering costs. Questions of each kind have their own places in a server.
    fn cost(&self) -> Cost {
        Cost::Light
    }

    /// Computes the part of a group of shards. The part of a canceled question is meaningless.
    fn ask(&self, shards: &Shards<'_>, cancel: &Cancel) -> Result<Self::Part, AskError>;

    /// Merges the parts of all groups, in the order of their games, into the answer.
    ///
    /// # Errors
    ///
    /// When the requested item does not exist.
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
    let part = part(question, shards, cancel)?;
    question.merge(vec![part], cancel)
}

/// The part of a group of shards, none of which was cut before or while they were read.
///
/// # Errors
///
/// Those of the question.
pub fn part<Q: Question>(
    question: &Q,
    shards: &Shards<'_>,
    cancel: &Cancel,
) -> Result<Q::Part, AskError> {
    shards.intact(|| question.ask(shards, cancel))
}

/// What answering a question costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Fractions of a second.
    Light,
    /// Seconds of computing, or a look at every game.
    Heavy,
    /// A search of the engine, as long as the asker wants.
    Thinking,
}

/// The groups of shards to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    Everyone,
    /// Any one: each knows the whole answer.
    Anyone,
    /// The one that holds this game.
    Holder(GameNumber),
}
