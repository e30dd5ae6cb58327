//! Exact positions: a sorted table of the compact records of all positions.
//!
//! Every position of every game, the opening too, stands in the table: by
//! statistic, so that a position's mirrored and color-swapped twins are its
//! neighbors, then by board, then by side to move, castling and en passant. A
//! table is immutable and belongs to one segment.

pub mod order;
pub mod table;
pub mod tally;
pub mod write;

pub use table::{DamagedTable, Table};
pub use tally::{Count, Tally};
