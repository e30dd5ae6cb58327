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
//! use tabiya_gametree::similarity::{Continuations, Measure};
//! use tabiya_gametree::{Game, Label, Spelling};
//!
//! /// A heap from which the players take one or two; the last one wins.
//! struct Heap;
//!
//! impl Game for Heap {
//!     type Position = u8;
//!     type Move = u8;
//!
//!     fn legal_moves(&self, heap: &u8, moves: &mut Vec<u8>) {
//!         moves.extend(1..=2.min(*heap));
//!     }
//!     fn label_moves(&self, _heap: &u8, moves: &[u8], labels: &mut Vec<Label>) {
//!         labels.extend(moves.iter().map(|it| Spelling::default().push(b'0' + it).label()));
//!     }
//!     fn play(&self, heap: &u8, taken: u8) -> u8 {
//!         heap - taken
//!     }
//!     fn reward(&self, _heap: &u8) -> f64 {
//!         0.0
//!     }
//!     fn is_lost(&self, _heap: &u8) -> bool {
//!         true
//!     }
//! }
//!
//! let shared_moves = Continuations::new(1);
//! assert_eq!(shared_moves.similarity(&Heap, &5, &6), 1.0);
//! assert_eq!(shared_moves.similarity(&Heap, &5, &1), 0.5);
//! ```

pub mod assignment;
mod dice;
mod game;
mod label;
pub mod matching;
pub mod similarity;
#[cfg(test)]
#[path = "../tests/toy/mod.rs"]
mod toy;
pub mod trap;
mod tree;

pub use dice::{Dice, mix};
pub use game::{Board, Game};
pub use label::{Label, Spelling};
pub use tree::Tree;
