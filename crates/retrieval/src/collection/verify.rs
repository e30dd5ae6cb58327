//! Verifies a collection. Building is deterministic, so each segment is rebuilt from its own
//! games and compared part by part. That checks all checksums, all counts, every posting, and
//! that every game can be replayed.

use std::{fs, io, path::Path, sync::atomic::Ordering};

use rayon::prelude::*;
use tabiya_chess::Game;

use super::{Collection, Progress, judgments, log::LOG};
use crate::index::{FormatError, Segment, SegmentBuilder};

/// Checks a whole collection: its segments, judgments and log. Returns what is
/// wrong, file by file; nothing if all is well. `progress` counts games.
pub fn verify(collection: &Collection, progress: &Progress) -> Vec<String> {
    let skip = collection.manifest().skip;
    let check = |segment: &Segment| check(segment, skip, progress).err();
    let segments = collection.segments().par_iter().filter_map(check);
    let mut faults: Vec<String> = segments.map(|it| it.to_string()).collect();
    match judgments::faults(collection.folder()) {
        Ok(damaged) => faults.extend(damaged),
        Err(error) => faults.push(error.to_string()),
    }
    faults.extend(check_log(collection.folder()));
    faults
}

/// What is wrong with the log: it is text, and every line of it is whole.
fn check_log(folder: &Path) -> Option<String> {
    let path = folder.join(LOG);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => return Some(format!("{}: {error}", path.display())),
    };
    let is_sound = text.is_empty() || text.ends_with(b"\n") && std::str::from_utf8(&text).is_ok();
    (!is_sound).then(|| {
        let path = path.display();
        format!("{path} is damaged (it is not whole lines of text); it may be removed")
    })
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
