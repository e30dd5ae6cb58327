//! The action library: the player's memory of games, after Hesham, Abu-Elnasr
//! and Elmougy (2021).
//!
//! Play repeats four phases. *Retrieve*: [`Library::recall`] asks a collection
//! for cases in which the opponent did the same in a position like this one;
//! [`Memories`] of several machines merge into one [`Recollection`].
//! *Reuse*: [`Recollection::candidates`] makes their reactions the candidates of
//! the search, or a prior for it. *Revise*: the [`Player`](crate::Player)
//! searches, and does not play what search shows to lose at once. *Retain*: a
//! [`Notebook`] keeps the game as it is played and adds it to the collection.
//!
//! This is the only room of the engine that knows collections.

mod candidate;
mod keeper;
mod memories;
mod mode;
mod notebook;
mod recollection;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tabiya_chess::{Game, Line, Tags};
use tabiya_retrieval::{
    Collection, CollectionError, Filter, GameNumber,
    case::{self, Inquiry},
    collection,
    index::FormatError,
    search::Range,
    search::SearchError,
};

use crate::search::Limits;

pub use keeper::{RetainError, retain, retain_at_last};
pub use memories::{Holdings, Memories, own_shards};
pub use mode::Mode;
pub use notebook::{FEWEST_CHOICES, Notebook};
pub use recollection::{Continuation, Recollection};

/// How the library is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Keep only cases whose action is the opponent's last move. Without, the
    /// most similar positions of the collection are asked, whatever led there.
    pub first_filter: bool,
    /// Keep only cases that are alike to the threshold.
    pub second_filter: bool,
    /// The least similarity.
    pub threshold: f64,
    /// What reactions are to the search.
    pub mode: Mode,
    /// Ask for exact positions only, which takes no time.
    pub exact_alone: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            first_filter: true,
            second_filter: true,
            threshold: 0.4,
            mode: Mode::default(),
            exact_alone: false,
        }
    }
}

/// A collection, asked for cases. A clone asks the same one.
#[derive(Clone, Debug)]
pub struct Library {
    collection: Arc<Collection>,
    /// The segments that hold games of the engine's own, by index.
    own: Arc<[usize]>,
}

impl Library {
    /// Opens a collection as a library.
    ///
    /// # Errors
    ///
    /// When there is none, or it is damaged or too old; the message says what
    /// to do.
    pub fn open(folder: &Path) -> Result<Library, CollectionError> {
        Ok(Library::of(Arc::new(Collection::open(folder)?))?)
    }

    /// An open collection as a library.
    ///
    /// # Errors
    ///
    /// When it is damaged or too old.
    pub fn of(collection: Arc<Collection>) -> Result<Library, FormatError> {
        // Better reported now than in the middle of a game.
        let nothing = Inquiry {
            board: shakmaty::Board::empty(),
            actions: Vec::new(),
            threshold: 1.0,
            filter: Filter::default(),
        };
        let shards = collection.shards();
        case::retrieve(&shards, &nothing)?;
        let own = own_shards(&shards)?.into();
        Ok(Library { collection, own })
    }

    /// The collection.
    pub fn collection(&self) -> &Collection {
        &self.collection
    }

    /// What is known of a game, its moves apart; `None` if it cannot be read.
    pub fn tags(&self, game: GameNumber) -> Option<Tags> {
        self.collection.tags(game).ok().flatten()
    }

    /// The shards that are asked.
    pub fn holdings(&self) -> Holdings<'_> {
        let shards = self.collection.shards();
        Holdings {
            own: self.own.iter().map(|&it| shards[it]).collect(),
            shards,
            statistics: self.collection.statistics(),
        }
    }

    /// What the collection holds about the last position of a line, from the games that a filter admits.
    pub fn remember(
        &self,
        line: &Line,
        settings: &Settings,
        filter: &Filter,
    ) -> Result<Memories, SearchError> {
        self.holdings().remember(line, settings, filter)
    }

    /// What its [memories](Library::remember) say about that position.
    pub fn recall(
        &self,
        line: &Line,
        settings: &Settings,
        filter: &Filter,
    ) -> Result<Recollection, SearchError> {
        let memories = self.remember(line, settings, filter)?;
        Ok(Recollection::new(line.position(), &memories))
    }

    /// Adds games to the collection and opens it again. Returns the number of
    /// new games.
    ///
    /// # Errors
    ///
    /// When the collection cannot be written to; the library is then as it was.
    pub fn retain(&mut self, games: &[Game]) -> Result<usize, CollectionError> {
        let folder = self.collection.folder().to_owned();
        let added = collection::retain(&folder, games)?;
        if added > 0 {
            *self = Library::open(&folder)?;
        }
        Ok(added)
    }
}

/// How far the ratings of players may be from a level's.
const BAND: usize = 150;

/// Games whose players both have about this rating.
pub(crate) fn of_players_rated(elo: usize) -> Filter {
    let bound = |it: usize| Some(u16::try_from(it).unwrap_or(u16::MAX));
    Filter {
        elo: Range {
            from: bound(elo.saturating_sub(BAND)),
            to: bound(elo + BAND),
        },
        ..Filter::default()
    }
}

/// The prior asks for cases of other positions only if the move may take this long: reading the cases of an action
/// takes some ten milliseconds.
const CASES_FROM: Duration = Duration::from_millis(250);

impl Settings {
    /// The same for a move within limits: the prior has no time for cases if they are tight.
    #[must_use]
    pub fn within(&self, limits: &Limits) -> Settings {
        let is_tight = limits.expected().is_some_and(|it| it < CASES_FROM);
        Settings {
            exact_alone: self.exact_alone || (self.mode == Mode::Prior && is_tight),
            ..self.clone()
        }
    }

    fn least_similarity(&self) -> f64 {
        if self.second_filter {
            self.threshold
        } else {
            0.0
        }
    }
}
