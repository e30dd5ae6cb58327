//! Exact positions: has this been played, by whom, and what then?
//!
//! Every position of every game, the opening too, stands in a sorted table of
//! compact records: by statistic, so that a position's mirrored and
//! color-swapped twins are its neighbors, then by board, then by side to move,
//! castling and en passant. A table is immutable and belongs to one segment;
//! an answer adds up what the segments' tables say.

pub mod book;
pub mod explore;
pub mod near;
pub mod occurrence;
pub mod order;
pub mod table;
pub mod tally;
pub mod twin;
pub mod write;

pub(crate) mod varint;

pub use book::make_book;
pub use explore::{Continuation, Explored, Shown, explore};
pub use near::{Near, count, histogram, near, nearest, rings};
pub use occurrence::{Facts, Games, Occurrence, Replay};
pub use table::Table;
pub use tally::{Count, Tally};
pub use twin::{Twin, twins};
