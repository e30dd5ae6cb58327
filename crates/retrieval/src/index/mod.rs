//! The index: immutable segments of games that can be asked, term by term,
//! where a term occurs.
//!
//! Consecutive positions of a game share nearly everything, so the unit of
//! the index is not the position but the *window* of eight plies: for each
//! term, the windows in which it occurs anywhere. That is enough to bound
//! what any position of a window can score; the few windows that matter are
//! replayed from their first board and the stored moves, and scored exactly.
//!
//! This room stores and fetches. It knows no formula.

mod annotation;
mod board;
mod builder;
mod case;
mod digest;
pub mod exact;
pub(crate) mod format;
mod game;
mod map;
mod motif;
mod number;
mod occurrence;
mod part;
mod posting;
mod reader;
mod section;
mod segment;
mod shard;
mod statistics;
mod string;
mod summary;
#[cfg(target_arch = "x86_64")]
mod vectors;
mod volume;

use tabiya_chess::varint;

pub(crate) use board::Planes;
pub use builder::{LONGEST_GAME, SegmentBuilder};
pub use digest::GameDigest;
pub use format::{FormatError, VERSION};
pub(crate) use format::{u32_at, u64_at};
pub use game::{GameRecord, Source};
pub use number::{GameIndex, GameNumber, VariationNumber};
pub(crate) use occurrence::last_in_each_game;
pub use occurrence::{Facts, Occurrence, Replay, TallySource};
pub(crate) use reader::{Boards, Games, Variations, Windows};
pub use section::Section;
pub(crate) use section::partition_point;
pub use segment::Segment;
pub use shard::{Shard, game, numbered, tags};
pub(crate) use shard::{find_game, sound};
pub use statistics::{Statistics, StatisticsError};
pub(crate) use string::StringId;
pub use summary::Summary;
#[cfg(target_arch = "x86_64")]
pub(crate) use vectors::Vectors;

/// How many consecutive positions a window holds.
///
/// A wider window needs fewer bytes and more replaying: at 16 plies about
/// four times as many positions have to be scored for an answer, at 4 the
/// postings take half as much space again.
pub const WINDOW: usize = 8;

/// How many windows a segment holds at the most, so that a window's number
/// fits in sixteen bits.
pub const SEGMENT_WINDOWS: usize = 1 << 16;

/// The number of a window within its segment.
pub type WindowId = u16;
