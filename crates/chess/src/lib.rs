//! From a PGN file to games and positions.
//!
//! This room knows the rules of chess (through `shakmaty`, whose types are the
//! shared vocabulary and are not wrapped) and the ways of PGN files. It knows
//! nothing of indexes, rankings or engines.
//!
//! ```
//! use tabiya_chess::pgn;
//!
//! let text = b"[White \"Greco\"]\n[Black \"NN\"]\n\n1. e4 b6 2. d4 Bb7 1-0\n";
//! let reading = pgn::read(text);
//! let game = reading.game.expect("a sound game");
//! assert_eq!(game.tags.white, "Greco");
//! assert_eq!(game.moves.len(), 4);
//! ```

pub mod action;
pub mod annotation;
pub mod chi_square;
pub mod compact_move;
pub mod exact;
pub mod exchange;
pub mod game;
pub mod layout;
pub mod line;
pub mod named;
pub mod opening;
pub mod pgn;
pub mod ply;
pub mod polyglot;
pub mod position;
pub mod record;
pub mod rights;
pub mod rules;
pub mod symmetry;
pub mod time_control;
pub mod trap;
pub mod varint;
pub mod wire;

#[cfg(test)]
mod testing;

pub use action::Action;
pub use annotation::{Annotations, Variation, words};
pub use compact_move::CompactMove;
pub use game::{Date, Eco, Game, Tags};
pub use layout::Layout;
pub use line::Line;
pub use ply::Ply;
pub use symmetry::Symmetry;
pub use time_control::TimeControl;
