//! An answer as JSON: the same document on the command line, over HTTP, in Python and from a
//! cluster.

use std::time::Duration;

use serde::Serialize;

use crate::Question;

/// The version of the answers' shapes.
pub const SCHEMA: u32 = 2;

/// An answer with all that is needed to ask again.
#[derive(Debug, Serialize)]
pub struct Document<'a, Q: Question> {
    schema: u32,
    question: &'static str,
    /// The parameters in force, defaults included.
    settings: &'a Q,
    took_ms: f64,
    /// How many shards answered, where there is more than one machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    shards: Option<Coverage>,
    #[serde(flatten)]
    answer: &'a Q::Answer,
}

/// How much of a collection an answer comes from.
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

    /// The same, with how much of the collection it comes from.
    #[must_use]
    pub fn covering(self, shards: Option<Coverage>) -> Document<'a, Q> {
        Document { shards, ..self }
    }
}
