//! Verifies a collection. Building is deterministic, so each segment is rebuilt from its own
//! games and compared part by part. That checks all checksums, all counts, every posting, and
//! that every game can be replayed.

use std::sync::atomic::Ordering;

use rayon::prelude::*;
use tabiya_chess::Game;

use super::{Collection, Progress};
use crate::index::{FormatError, Segment, SegmentBuilder};

/// Checks a whole collection and returns the faults by segment. `progress` counts games.
pub fn verify(collection: &Collection, progress: &Progress) -> Vec<FormatError> {
    let skip = collection.manifest().skip;
    let check = |segment: &Segment| check(segment, skip, progress).err();
    collection.segments().par_iter().filter_map(check).collect()
}

fn check(segment: &Segment, skip: u16, progress: &Progress) -> Result<(), FormatError> {
    let games = segment.games()?;
    let mut builder = SegmentBuilder::new(skip);
    for index in games.indices() {
        let game = games.game(index);
        segment.sound()?;
        if !is_playable(&game) {
            return Err(segment.damaged(format!(
                "game {} of it cannot be played through",
                index.0 + 1
            )));
        }
        if !builder.has_room_for(&game) {
            return Err(segment.damaged("it holds more than a segment can"));
        }
        builder.add(&game);
        progress.games.fetch_add(1, Ordering::Relaxed);
    }
    builder.compare(segment)
}

fn is_playable(game: &Game) -> bool {
    game.positions().count() == game.moves.len() + 1
}
