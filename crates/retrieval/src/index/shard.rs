//! A segment among others: the games of a collection are numbered through.

use tabiya_chess::Game;

use super::{FormatError, Segment};

/// A segment and the number of its first game in the collection.
#[derive(Clone, Copy, Debug)]
pub struct Shard<'a> {
    /// The segment.
    pub segment: &'a Segment,
    /// The number of its first game, counted from one.
    pub first_game: u64,
}

impl Shard<'_> {
    /// A game by its number in the collection; `None` if it lies elsewhere.
    ///
    /// # Errors
    ///
    /// When the segment is damaged.
    pub fn game(&self, number: u64) -> Result<Option<Game>, FormatError> {
        let index = number.checked_sub(self.first_game);
        let games = self.segment.summary().games;
        match index.filter(|&it| it < u64::from(games)) {
            Some(index) => Ok(Some(self.segment.games()?.game(index as usize))),
            None => Ok(None),
        }
    }
}

/// All segments of a collection in their order, each with the number of its
/// first game.
pub fn numbered<'a>(segments: impl IntoIterator<Item = &'a Segment>) -> Vec<Shard<'a>> {
    let mut next = 1;
    let shard = |segment: &'a Segment| {
        let first_game = next;
        next += u64::from(segment.summary().games);
        Shard {
            segment,
            first_game,
        }
    };
    segments.into_iter().map(shard).collect()
}
