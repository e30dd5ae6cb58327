//! An answer as JSON, the same from the command line, the server, Python and a cluster.

use std::time::Duration;

use serde::Serialize;

use crate::Question;

/// The version of the answer format.
pub const SCHEMA: u32 = 3;

/// An answer with the question and its settings.
#[derive(Debug, Serialize)]
pub struct Document<'a, Q: Question> {
    schema: u32,
    question: &'static str,
    /// The parameters in force, defaults included.
    settings: &'a Q,
    took_ms: f64,
    /// The number of shards that answered; only from a cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    shards: Option<Coverage>,
    #[serde(flatten)]
    answer: &'a Q::Answer,
}

/// The part of a collection that answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Shards that answered.
    pub answered: u64,
    /// All shards.
    pub total: u64,
}

impl<'a, Q: Question> Document<'a, Q> {
    /// The document of an answer.
    pub fn new(question: &'a Q, answer: &'a Q::Answer, took: Duration) -> Document<'a, Q> {
        Document {
            schema: SCHEMA,
            question: Q::NAME,
            settings: question,
            took_ms: took.as_secs_f64() * 1000.0,
            shards: None,
            answer,
        }
    }

    /// Adds the part of the collection that answered.
    #[must_use]
    pub fn covering(self, shards: Option<Coverage>) -> Document<'a, Q> {
        Document { shards, ..self }
    }
}
