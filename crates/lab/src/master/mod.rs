//! Like a master: how often is the player's first choice the move that the
//! master played?
//!
//! Positions are drawn from games that are not in the collection. What search
//! and library say about every legal move is observed once ([`observe`]); three
//! players then rank the moves: the library alone, search alone, and both,
//! joined by a conditional logit ([`Model`]). Each position is judged by a
//! model that is fitted to positions of other games ([`cross_rate`]).

mod draw;
mod feature;
mod model;
mod report;

pub use draw::{Drawing, Question, draw, known_games};
pub use feature::{FEATURES, MEMORY_FEATURES, Observer, observe};
pub use model::{Model, cross_rate, fit};
pub use report::{Phase, Ranks, Report, report};

use serde::{Deserialize, Serialize};

/// What was observed of a position: every legal move, and which was played.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Observation {
    /// The question's number.
    pub number: usize,
    /// The position.
    pub fen: String,
    /// The index of the move that was played.
    pub played: usize,
    /// How many pieces are on the board.
    pub pieces: u32,
    /// Whether the library knows any legal move here.
    pub covered: bool,
    /// Every legal move.
    pub moves: Vec<Observed>,
}

/// What was observed of a move.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Observed {
    /// In the notation of engines.
    pub uci: String,
    /// How much of the memory speaks for it.
    pub support: f64,
    /// How good search thinks it is; the search's choice is greatest.
    pub score: f64,
    /// What the model looks at.
    pub features: Vec<f32>,
}
