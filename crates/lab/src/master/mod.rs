//! Like a master: how often is the player's first choice the move that the
//! master played?
//!
//! Positions are drawn from games that are not in the collection. What search
//! and library say about every legal move is observed once ([`observe`]); three
//! players then rank the moves: the library alone, search alone, and both,
//! joined by a conditional logit ([`Model`]). Each position is judged by a
//! model that is fitted to positions of other games ([`cross_rate`]).

mod feature;
mod level;
mod model;
mod question;
mod report;

pub(crate) use feature::{FEATURES, MEMORY_FEATURES, Observer, observe};
pub(crate) use level::{Agreement, agreement};
pub(crate) use model::{Model, cross_rate, fit};
pub(crate) use question::{Criteria, Question, draw, known_games};
pub(crate) use report::{Report, report};

use serde::{Deserialize, Serialize};

/// What was observed of a position: every legal move, and which was played.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Observation {
    /// The question's number.
    pub(crate) number: usize,
    /// The position.
    pub(crate) fen: String,
    /// The index of the move that was played.
    pub(crate) played: usize,
    /// How many pieces are on the board.
    pub(crate) pieces: u32,
    /// Whether the library knows any legal move here.
    pub(crate) covered: bool,
    /// Every legal move.
    pub(crate) moves: Vec<Observed>,
}

/// What was observed of a move.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Observed {
    /// In the notation of engines.
    pub(crate) uci: String,
    /// The support of the memory for it.
    pub(crate) support: f64,
    /// How good search thinks it is; the search's choice is greatest.
    pub(crate) score: f64,
    /// What the model looks at.
    pub(crate) features: Vec<f32>,
}
