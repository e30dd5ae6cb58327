//! Retaining and forgetting: games come one at a time, and may go again.

use std::path::Path;

use tabiya_chess::Game;

use super::{CollectionError, Writer, judgments::anchor, manifest::Entry, writer};
use crate::{
    index::{FormatError, GameDigest, GameIndex, LONGEST_GAME, Segment, SegmentBuilder, Source},
    search::{Filter, GameFilter},
};

/// A segment at the collection's end with fewer of the engine's games than this
/// takes in the next ones, so that a thousand games do not become a thousand
/// files; a fuller one stays as it is, so that adding a game stays cheap.
const TAIL_GAMES: u32 = 256;

/// Adds games of the engine's own to a collection that is there. Games that the
/// collection has already are left out. Returns how many were added.
///
/// When this returns they are safely on disk; a process that is killed before
/// leaves the collection as it was.
///
/// # Errors
///
/// When another process is writing, or a file cannot be read or written.
pub fn retain(folder: &Path, games: &[Game]) -> Result<usize, CollectionError> {
    let mut writer = Writer::open(folder)?;
    let collection = writer.collection()?;
    let mut known: Vec<GameDigest> = Vec::new();
    for segment in collection.segments() {
        known.extend(segment.digests()?);
    }
    let own = games.iter().map(marked);
    let new: Vec<Game> = own
        .filter(|it| !it.moves.is_empty() && !known.contains(&GameDigest::of(it)))
        .collect();
    if new.is_empty() {
        return Ok(0);
    }
    let mut entries = writer.entries().to_vec();
    let mut builder = SegmentBuilder::new(writer.skip());
    if let Some(tail) = collection.segments().last().filter(|it| takes_more(it)) {
        let games = tail.games()?;
        games.indices().for_each(|it| builder.add(&games.game(it)));
        tail.sound()?;
        entries.pop();
    }
    for game in &new {
        if !builder.has_room_for(game) {
            let full = std::mem::replace(&mut builder, SegmentBuilder::new(writer.skip()));
            entries.push(write(&writer, full)?);
        }
        builder.add(game);
    }
    entries.push(write(&writer, builder)?);
    drop(collection);
    writer.replace(entries)?;
    Ok(new.len())
}

/// Removes the games that a filter admits. Returns how many there were. The
/// games after them get lower numbers.
///
/// # Errors
///
/// When another process is writing, or a file cannot be read or written. The
/// collection is then as it was.
pub fn forget(folder: &Path, filter: &Filter) -> Result<u64, CollectionError> {
    let mut writer = Writer::open(folder)?;
    let collection = writer.collection()?;
    let mut entries = Vec::new();
    let mut forgotten = 0;
    for (shard, entry) in collection.shards().iter().zip(writer.entries()) {
        let games = shard.segment.games()?;
        let admitted = GameFilter::new(filter, &games, shard);
        let kept: Vec<GameIndex> = games.indices().filter(|&it| !admitted.admits(it)).collect();
        if kept.len() == games.len() {
            entries.push(entry.clone());
            continue;
        }
        forgotten += (games.len() - kept.len()) as u64;
        if !kept.is_empty() {
            let mut builder = SegmentBuilder::new(writer.skip());
            kept.iter().for_each(|&it| builder.add(&games.game(it)));
            shard.segment.sound()?;
            entries.push(write(&writer, builder)?);
        }
    }
    if forgotten > 0 {
        anchor(&collection)?;
        drop(collection);
        writer.replace(entries)?;
    }
    Ok(forgotten)
}

/// A game with the tag that says whose it is.
fn marked(game: &Game) -> Game {
    let mut game = game.clone();
    game.truncate(LONGEST_GAME);
    if Source::of(&game.tags) != Source::Own {
        let tag = (Source::TAG.to_owned(), Source::OWN.to_owned());
        game.tags.others.push(tag);
    }
    game
}

/// Whether a segment holds games of the engine's own, and not many.
fn takes_more(segment: &Segment) -> bool {
    segment.summary().games < TAIL_GAMES
        && segment.games().is_ok_and(|games| {
            games
                .indices()
                .all(|it| games.record(it).source() == Source::Own)
        })
}

fn write(writer: &Writer, builder: SegmentBuilder) -> Result<Entry, FormatError> {
    let name = writer.segment_names().next();
    let summary = builder.write(&writer.folder().join(&name))?;
    Ok(writer::entry(&name, &summary))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Collection,
        collection::verify,
        index::GameNumber,
        testing::{Dice, collection_of, random_game},
    };

    fn own() -> Filter {
        Filter {
            source: Some(Source::Own),
            ..Filter::default()
        }
    }

    #[test]
    fn retained_games_are_there_once_and_go_again() {
        let (folder, collection) = collection_of("1. e4 e5 *\n\n1. d4 d5 *\n");
        drop(collection);
        let home = folder.path().join("home");
        let mut dice = Dice::new(4);
        let games: Vec<Game> = (0..3).map(|_| random_game(&mut dice, 40)).collect();
        assert_eq!(retain(&home, &games[..1]).unwrap(), 1);
        assert_eq!(retain(&home, &games).unwrap(), 2);
        assert_eq!(retain(&home, &games).unwrap(), 0);
        assert_eq!(retain(&home, &[Game::default()]).unwrap(), 0);
        let collection = Collection::open(&home).unwrap();
        // Imported games stay apart from the engine's.
        assert_eq!((collection.games(), collection.segments().len()), (5, 2));
        assert!(verify(&collection, &Default::default()).is_empty());
        let mut numbers = Vec::new();
        let visited = collection.for_each_game(&own(), |number, game| {
            assert_eq!(game.moves, games[numbers.len()].moves);
            numbers.push(number);
            Ok::<(), FormatError>(())
        });
        visited.unwrap();
        assert_eq!(numbers, [3, 4, 5].map(GameNumber));
        drop(collection);
        assert_eq!(forget(&home, &own()).unwrap(), 3);
        assert_eq!(forget(&home, &own()).unwrap(), 0);
        let collection = Collection::open(&home).unwrap();
        assert_eq!((collection.games(), collection.segments().len()), (2, 1));
    }

    #[test]
    fn a_full_tail_stays_as_it_is() {
        let (folder, collection) = collection_of("1. e4 e5 *\n");
        drop(collection);
        let home = folder.path().join("home");
        let mut dice = Dice::new(8);
        let games: Vec<Game> = (0..TAIL_GAMES)
            .map(|_| random_game(&mut dice, 12))
            .collect();
        let added = retain(&home, &games).unwrap();
        assert!(added > 250, "{added}");
        assert_eq!(retain(&home, &[random_game(&mut dice, 33)]).unwrap(), 1);
        let segments = Collection::open(&home).unwrap().segments().len();
        assert_eq!(segments, if added as u32 >= TAIL_GAMES { 3 } else { 2 });
    }
}
