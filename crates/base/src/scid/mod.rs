//! Scid bases of the formats si4 and si5.
//!
//! A base is three files: the index (`.si4`, `.si5`), one entry of fixed size
//! for each game; the names of players, events, sites and rounds (`.sn4`,
//! `.sn5`); and the games (`.sg4`, `.sg5`), whose bytes are the same in both
//! formats. Written from the description of the formats in the sources of
//! Scid (`codec_scid4`, `codec_scid5`, `game`, `matsig`) and in the
//! documentation of the crate `chess-scid-rw`, and held against Scid 4.7.

mod decode;
mod encode;
mod entry;
mod names;
mod pieces;
mod reader;
mod writer;

pub(crate) use reader::Reader;
pub use writer::{Losses, Writer};

use std::path::{Path, PathBuf};

/// Which of the two formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Since Scid 4.0; also read by Scid vs. PC.
    Si4,
    /// Since Scid 5.0.
    Si5,
}

/// The longest game, in bytes: the index has 17 bits for it.
const LONGEST_GAME: usize = (1 << 17) - 1;

/// The kinds of names, in the order of the files.
const PLAYER: usize = 0;
const EVENT: usize = 1;
const SITE: usize = 2;
const ROUND: usize = 3;

impl Format {
    /// The endings of index, names and games.
    fn endings(self) -> [&'static str; 3] {
        match self {
            Format::Si4 => ["si4", "sn4", "sg4"],
            Format::Si5 => ["si5", "sn5", "sg5"],
        }
    }

    /// The three files of the base with this index. Endings in capitals are
    /// found as well.
    fn files(self, index: &Path) -> [PathBuf; 3] {
        self.endings()
            .map(|ending| crate::file::sibling(index, ending))
    }

    /// How long an entry of the index is.
    fn entry_size(self) -> usize {
        match self {
            Format::Si4 => 47,
            Format::Si5 => 56,
        }
    }

    /// How many bytes come before the first entry.
    fn header_size(self) -> usize {
        match self {
            Format::Si4 => 182,
            Format::Si5 => 0,
        }
    }
}
