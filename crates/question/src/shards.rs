//! The shards that answer a question.

use std::{borrow::Cow, sync::OnceLock};

use tabiya_chess::{Game, Tags};
use tabiya_engine::library::own_shards;
use tabiya_retrieval::{
    Collection, CollectionError, Filter, GameNumber, Query, Statistics,
    index::{self, FormatError},
    search::{self, Group, SearchError, Shard},
    trap::{Pattern, mined_patterns},
};

/// Shards with the statistics of their collection: a whole collection, or the part of it on
/// one machine of a cluster.
#[derive(Debug)]
pub struct Shards<'a> {
    shards: Vec<Shard<'a>>,
    statistics: &'a Statistics,
    /// The number of opening plies that are not indexed.
    skip: u16,
    mined: Mined<'a>,
    own: Option<&'a OwnShards>,
}

/// The indices of the shards that hold games of the engine's own, found once for an open collection: that takes a
/// look at every game.
pub type OwnShards = OnceLock<Vec<usize>>;

/// Where mined traps come from.
#[derive(Clone, Copy, Debug)]
enum Mined<'a> {
    Given(&'a [Pattern]),
    Of(&'a Collection),
}

impl<'a> From<&'a Collection> for Shards<'a> {
    fn from(collection: &'a Collection) -> Shards<'a> {
        let shards = Shards::new(collection.shards(), collection.statistics());
        Shards {
            mined: Mined::Of(collection),
            ..shards.with_skip(collection.manifest().skip)
        }
    }
}

impl<'a> Shards<'a> {
    /// Shards with distinct games, and the statistics of the whole collection.
    pub fn new(shards: Vec<Shard<'a>>, statistics: &'a Statistics) -> Shards<'a> {
        Shards {
            shards,
            statistics,
            skip: 0,
            mined: Mined::Given(&[]),
            own: None,
        }
    }

    /// Sets the number of opening plies that are not indexed.
    #[must_use]
    pub fn with_skip(self, skip: u16) -> Shards<'a> {
        Shards { skip, ..self }
    }

    /// Sets the traps mined from the games.
    #[must_use]
    pub fn with_traps(self, traps: &'a [Pattern]) -> Shards<'a> {
        Shards {
            mined: Mined::Given(traps),
            ..self
        }
    }

    /// Remembers the shards with games of the engine's own.
    #[must_use]
    pub fn with_own(self, own: &'a OwnShards) -> Shards<'a> {
        let own = Some(own);
        Shards { own, ..self }
    }

    /// The shards that hold games of the engine's own.
    pub fn own(&self) -> Result<Vec<Shard<'a>>, FormatError> {
        let own = match self.own.and_then(OnceLock::get) {
            Some(known) => known,
            None => &own_shards(&self.shards)?,
        };
        if let Some(memory) = self.own {
            memory.get_or_init(|| own.clone());
        }
        Ok(own.iter().map(|&it| self.shards[it]).collect())
    }

    /// The shards.
    pub fn shards(&self) -> &[Shard<'a>] {
        &self.shards
    }

    /// The statistics of the whole collection.
    pub fn statistics(&self) -> &'a Statistics {
        self.statistics
    }

    /// The number of opening plies that are not indexed.
    pub fn skip(&self) -> u16 {
        self.skip
    }

    /// The traps mined from the games of the shards; those of a collection are read when asked for.
    ///
    /// # Errors
    ///
    /// When the collection's file of traps is damaged.
    pub fn traps(&self) -> Result<Cow<'a, [Pattern]>, CollectionError> {
        match self.mined {
            Mined::Given(patterns) => Ok(Cow::Borrowed(patterns)),
            Mined::Of(collection) => mined_patterns(collection).map(Cow::Owned),
        }
    }

    /// Whether the files of the shards still have the lengths that they had when they were opened,
    /// and had them whenever they were read.
    ///
    /// # Errors
    ///
    /// When one was cut since.
    pub fn uncut(&self) -> Result<(), FormatError> {
        self.shards.iter().try_for_each(|it| it.segment.uncut())
    }

    /// What work finds in the shards, if none was cut before or meanwhile.
    ///
    /// # Errors
    ///
    /// Those of the work, and when a shard was cut.
    pub fn intact<T, E: From<FormatError>>(
        &self,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        self.uncut()?;
        let found = work();
        // What a cut file made of it, even an error, says nothing.
        self.uncut()?;
        found
    }

    /// The number of games in the shards.
    pub fn games(&self) -> u64 {
        let games = |it: &Shard<'_>| u64::from(it.segment.summary().games);
        self.shards.iter().map(games).sum()
    }

    /// The number of positions in the shards.
    pub fn positions(&self) -> u64 {
        let positions = |it: &Shard<'_>| it.segment.summary().positions;
        self.shards.iter().map(positions).sum()
    }

    /// Searches for the best position of each game, best first.
    pub fn search_groups(&self, query: &Query) -> Result<Vec<Group>, SearchError> {
        search::search_groups(&self.shards, query, self.statistics)
    }

    /// A game by its number in the collection; `None` if another shard holds it.
    pub fn game(&self, number: GameNumber) -> Result<Option<Game>, FormatError> {
        index::game(&self.shards, number)
    }

    /// Hands over all games that a filter admits, with their numbers, in order, until `visit`
    /// breaks off.
    ///
    /// # Errors
    ///
    /// When a shard is damaged, or what `visit` broke off with.
    pub fn for_each_game<E: From<FormatError>>(
        &self,
        filter: &Filter,
        visit: impl FnMut(GameNumber, Game) -> Result<(), E>,
    ) -> Result<(), E> {
        search::for_each_game(&self.shards, filter, visit)
    }

    /// The tags of a game by its number in the collection; `None` if another shard holds it.
    pub fn tags(&self, number: GameNumber) -> Result<Option<Tags>, FormatError> {
        index::tags(&self.shards, number)
    }
}
