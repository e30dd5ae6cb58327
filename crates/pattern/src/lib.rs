//! Patterns of positions and moves.
//!
//! A [`Pattern`] is a query of a text language, a compatible subset of CQL 6.2; `docs/patterns.md` describes it. An
//! [`Evaluator`] says which positions of a game it matches, exactly. It knows no index: rooms that have one use
//! it on the positions that are left.
//!
//! ```
//! use tabiya_chess::pgn;
//! use tabiya_pattern::{Evaluator, Pattern, Played};
//!
//! let game = pgn::read(b"1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0").game.unwrap();
//! let pattern: Pattern = "mate and Q attackedby B".parse().unwrap();
//! let matches = Evaluator::new(pattern.program()).matches(&Played::new(&game)).unwrap();
//! assert_eq!(matches.plies, [7]);
//! ```

mod compile;
mod error;
mod evaluate;
mod format;
mod geometry;
mod named;
mod nature;
mod parse;
mod pattern;
pub mod program;
mod structure;
pub mod syntax;
mod token;
mod track;
mod transform;
mod word;

pub use error::PatternError;
pub use evaluate::{Evaluator, Matches, TooMuchWork, order};
pub use named::{Named, Names, NamesError};
pub use pattern::Pattern;
pub use structure::structures_of;
pub use track::{Played, Scoresheet};
