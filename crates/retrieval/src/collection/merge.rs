//! Merging: many small segments become few full ones.

use std::{path::Path, sync::atomic::Ordering};

use rayon::prelude::*;

use super::{CollectionError, Progress, Writer, manifest::Entry, writer};
use crate::index::{FormatError, SEGMENT_WINDOWS, Segment, SegmentBuilder, Summary};

/// Merges neighboring segments that fit into one, and rewrites those of an older format. Games
/// keep their order and their numbers; every answer stays the same. Returns the number of
/// segments before and after. Canceling leaves the collection unchanged.
///
/// # Errors
///
/// When another process is writing, or a file cannot be read or written. The collection is then
/// unchanged.
pub fn merge(folder: &Path, progress: &Progress) -> Result<(usize, usize), CollectionError> {
    let mut writer = Writer::open(folder)?;
    let collection = writer.collection()?;
    let (before, names) = (collection.segments().len(), writer.segment_names());
    let groups = groups(collection.segments());
    let rebuilt = groups
        .par_iter()
        .map(|group| {
            let name = names.next();
            let path = writer.folder().join(&name);
            let rebuilt = rebuild(group, writer.skip(), &path, progress)?;
            Ok(rebuilt.map(|it| writer::entry(&name, &it)))
        })
        .collect::<Result<Vec<_>, FormatError>>()?;
    if progress.is_canceled() {
        return Ok((before, before));
    }
    let mut old = writer.entries().iter();
    let mut entries: Vec<Entry> = Vec::with_capacity(groups.len());
    for (group, rebuilt) in groups.iter().zip(rebuilt) {
        let replaced: Vec<&Entry> = old.by_ref().take(group.len()).collect();
        entries.extend(rebuilt.or_else(|| replaced.first().copied().cloned()));
    }
    let after = entries.len();
    // The old segments stay mapped until here.
    drop(collection);
    writer.replace(entries)?;
    Ok((before, after))
}

/// Neighbors that fit into one segment.
fn groups(segments: &[Segment]) -> Vec<&[Segment]> {
    let windows = |segment: &Segment| segment.summary().windows as usize;
    let mut groups = Vec::new();
    let mut rest = segments;
    while !rest.is_empty() {
        let mut sum = 0;
        let fitting = rest.iter().take_while(|it| {
            sum += windows(it);
            sum <= SEGMENT_WINDOWS
        });
        let (group, later) = rest.split_at(fitting.count().max(1));
        groups.push(group);
        rest = later;
    }
    groups
}

/// Writes the games of a group as one segment; `None` if it is one already, in the current
/// format.
fn rebuild(
    group: &[Segment],
    skip: u16,
    path: &Path,
    progress: &Progress,
) -> Result<Option<Summary>, FormatError> {
    if group.len() < 2 && !group.iter().any(Segment::is_outdated) {
        return Ok(None);
    }
    let mut builder = SegmentBuilder::new(skip);
    for segment in group {
        let games = segment.games()?;
        for game in games.indices() {
            if progress.is_canceled() {
                return Ok(None);
            }
            let game = games.game(game);
            segment.sound()?;
            builder.add(&game);
            progress.games.fetch_add(1, Ordering::Relaxed);
        }
    }
    builder.write(path).map(Some)
}
