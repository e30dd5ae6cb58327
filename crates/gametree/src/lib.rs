//! Games as trees, and how alike two trees are.
//!
//! Two positions may look alike and play differently, or the other way round.
//! This crate compares what can be *played*: it grows the local game trees of two
//! positions and measures how much they share. It knows no chess and does no
//! input or output; any two-player game of perfect information that implements
//! [`Game`] will do. The measures follow Evans and Turrini, "Strategic similarity
//! of game positions" (Games 14(3):36, 2023); `docs/measures.md` states the
//! definition, the laws and the cost of each.
//!
//! ```
//! use tabiya_gametree::similarity::{Continuations, Measure, Structural};
//! use tabiya_gametree::toy::TicTacToe;
//!
//! let game = TicTacToe;
//! let start = TicTacToe::start();
//! let corner = TicTacToe::after(start, "A1").expect("A1 is free");
//! let edge = TicTacToe::after(start, "B1").expect("B1 is free");
//!
//! let shared_moves = Continuations::new(2);
//! assert_eq!(shared_moves.similarity(&game, &corner, &corner), 1.0);
//! assert!(shared_moves.similarity(&game, &corner, &edge) < 1.0);
//!
//! // The structural measure does not compare the moves' names.
//! let structure = Structural::over(shared_moves);
//! let far_corner = TicTacToe::after(start, "C3").expect("C3 is free");
//! assert_eq!(structure.similarity(&game, &corner, &far_corner), 1.0);
//! ```

pub mod assignment;
mod dice;
mod game;
mod label;
pub mod matching;
pub mod similarity;
pub mod toy;
pub mod trap;
mod tree;

pub use dice::{Dice, mix};
pub use game::{Board, Game};
pub use label::{Label, Spelling};
pub use tree::Tree;
