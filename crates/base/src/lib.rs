//! Scid and ChessBase files as games.
//!
//! A [`Base`] gives its games one after another as PGN text, with tags,
//! comments, glyphs, variations and null moves. So a base is read by the same
//! reader as a PGN file, and its faults are counted and reported in the same
//! way. [`scid::Writer`] turns PGN text into a Scid base.
//!
//! No input may make this crate panic or wait without end: Scid files are
//! decoded here; ChessBase files are decoded by `cbvault`, which gets nothing
//! that was not checked before and whose panics end one game only.

mod base;
mod chessbase;
mod error;
mod file;
mod record;
pub mod scid;
mod text;

pub use base::{Base, is_base};
pub use error::BaseError;
pub use record::Record;
