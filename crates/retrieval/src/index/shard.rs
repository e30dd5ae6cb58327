//! A segment among others: the games of a collection are numbered through.

use tabiya_chess::{Game, Tags};

use super::{FormatError, GameIndex, GameNumber, Segment};

/// A segment and the number of its first game in the collection.
#[derive(Clone, Copy, Debug)]
pub struct Shard<'a> {
    /// The segment.
    pub segment: &'a Segment,
    /// The number of its first game.
    pub first_game: GameNumber,
}

impl Shard<'_> {
    /// The number in the collection of a game of the segment.
    pub fn number(&self, index: GameIndex) -> GameNumber {
        GameNumber(self.first_game.0 + u64::from(index.0))
    }

    /// The index in the segment of a game of the collection; `None` if another segment has it.
    pub fn index(&self, number: GameNumber) -> Option<GameIndex> {
        let index = number.0.checked_sub(self.first_game.0)?;
        let index = u32::try_from(index).ok()?;
        (index < self.segment.summary().games).then_some(GameIndex(index))
    }
}

/// All segments of a collection in their order, each with the number of its
/// first game.
pub fn numbered<'a>(segments: impl IntoIterator<Item = &'a Segment>) -> Vec<Shard<'a>> {
    let mut next = GameNumber(1);
    let shard = |segment: &'a Segment| {
        let first_game = next;
        next.0 += u64::from(segment.summary().games);
        Shard {
            segment,
            first_game,
        }
    };
    segments.into_iter().map(shard).collect()
}

/// Whether all that was read of some shards so far is as it was written. Whoever has read
/// asks this before giving an answer.
///
/// # Errors
///
/// When a damaged block was read.
pub(crate) fn sound(shards: &[Shard<'_>]) -> Result<(), FormatError> {
    shards.iter().try_for_each(|it| it.segment.sound())
}

/// The shard that has a game of the collection, and the game's index there.
pub(crate) fn find_game<'s, 'a>(
    shards: &'s [Shard<'a>],
    number: GameNumber,
) -> Option<(&'s Shard<'a>, GameIndex)> {
    let mut places = shards.iter().map(|it| (it, it.index(number)));
    places.find_map(|(shard, index)| Some((shard, index?)))
}

/// A game by its number in the collection; `None` if none of the shards has it.
pub fn game(shards: &[Shard<'_>], number: GameNumber) -> Result<Option<Game>, FormatError> {
    let found = find_game(shards, number);
    let game = found.map(|(shard, index)| {
        let game = shard.segment.games()?.game(index);
        shard.segment.sound().map(|()| game)
    });
    game.transpose()
}

/// The tags of a game by its number in the collection; `None` if none of the shards has it.
pub fn tags(shards: &[Shard<'_>], number: GameNumber) -> Result<Option<Tags>, FormatError> {
    let tags = find_game(shards, number).map(|(shard, index)| {
        let games = shard.segment.games()?;
        let tags = games.tags(&games.record(index));
        shard.segment.sound().map(|()| tags)
    });
    tags.transpose()
}
