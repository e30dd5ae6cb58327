//! Where an answer is looked for.

use tabiya_chess::Game;
use tabiya_retrieval::{
    Collection, Hit, Query, Statistics,
    index::FormatError,
    search::{self, Shard},
};

/// Some shards, and the statistics of the collection that they belong to: a whole
/// collection, or the part of it that one machine of many holds.
#[derive(Debug)]
pub struct Archive<'a> {
    shards: Vec<Shard<'a>>,
    statistics: &'a Statistics,
}

impl<'a> From<&'a Collection> for Archive<'a> {
    fn from(collection: &'a Collection) -> Archive<'a> {
        Archive::new(collection.shards(), collection.statistics())
    }
}

impl<'a> Archive<'a> {
    /// Shards with distinct games, under the statistics of all.
    pub fn new(shards: Vec<Shard<'a>>, statistics: &'a Statistics) -> Archive<'a> {
        Archive { shards, statistics }
    }

    /// The shards.
    pub fn shards(&self) -> &[Shard<'a>] {
        &self.shards
    }

    /// The statistics of the whole collection.
    pub fn statistics(&self) -> &'a Statistics {
        self.statistics
    }

    /// How many games the shards hold.
    pub fn games(&self) -> u64 {
        let games = |it: &Shard<'_>| u64::from(it.segment.summary().games);
        self.shards.iter().map(games).sum()
    }

    /// How many positions the shards hold.
    pub fn positions(&self) -> u64 {
        let positions = |it: &Shard<'_>| it.segment.summary().positions;
        self.shards.iter().map(positions).sum()
    }

    /// Answers a query: of each game its best position, best first.
    ///
    /// # Errors
    ///
    /// When a shard is damaged.
    pub fn search(&self, query: &Query) -> Result<Vec<Hit>, FormatError> {
        search::search(&self.shards, query, self.statistics)
    }

    /// A game by its number in the collection; `None` if it lies elsewhere.
    ///
    /// # Errors
    ///
    /// When its shard is damaged.
    pub fn game(&self, number: u64) -> Result<Option<Game>, FormatError> {
        let games = self.shards.iter().map(|it| it.game(number));
        games.filter_map(Result::transpose).next().transpose()
    }
}
