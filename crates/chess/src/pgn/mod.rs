//! PGN archives: opened, cut into games, read leniently, written strictly.
//!
//! [`Input`] opens files, folders, standard input and streams, compressed or not.
//! [`Splitter`] cuts a stream into the texts of single games, so that one bad
//! game cannot harm the next and games can be read on several cores.
//! [`read`] makes a [`Game`](crate::Game) of such a text, and [`write()`] the
//! reverse.

mod input;
mod movetext;
mod puzzle;
mod read;
mod split;
mod tag;
mod text;
mod tidy;
mod token;
mod write;

pub use input::{Input, Stream, decompress, unpack};
pub use puzzle::Puzzles;
pub use read::{Fault, Reading, read, read_start, read_tags};
pub use split::Splitter;
pub use write::{tag_pairs, to_string, write};
