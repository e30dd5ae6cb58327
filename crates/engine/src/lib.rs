//! The player: evaluation, partial-depth search and UCI.
//!
//! | where | what |
//! |---|---|
//! | [`eval`] | how good a position looks: `standard`, `chains`, `contacts`, `tuned`, `network` |
//! | [`search`] | which move is best, within limits |
//! | [`analysis`] | what the positions of a game are worth, and which moves cost something |
//! | [`shallow`] | best lines of many positions by short searches |
//! | [`turning`] | the plies of a game at which something happens |
//! | [`library`] | what strong players did in positions like this one |
//! | [`level`] | strengths below the engine's own |
//! | [`Player`] | search and library together |
//! | [`uci`] | the protocol that chess programs speak |
//! | [`mod@bench`] | a fixed piece of work, for signature and speed |
//!
//! The search never prints and never reads a clock except through its limits.

pub mod analysis;
pub mod bench;
pub mod eval;
pub mod level;
pub mod library;
mod player;
mod score;
pub mod search;
pub mod shallow;
pub mod turning;
pub mod uci;

pub use eval::Evaluation;
pub use player::{Choice, Player};
pub use score::Score;
