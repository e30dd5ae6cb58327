//! The action library: the player's memory of games, after Hesham, Abu-Elnasr
//! and Elmougy (2021).
//!
//! Play repeats four phases. *Retrieve*: [`Library::recall`] asks a collection
//! for cases in which the opponent did the same in a position like this one.
//! *Reuse*: [`Recollection::candidates`] makes their reactions the candidates of
//! the search, or a prior for it. *Revise*: the [`Player`](crate::Player)
//! searches, and does not play what search shows to lose at once. *Retain*: a
//! [`Notebook`] keeps the game as it is played and adds it to the collection.
//!
//! This is the only room of the engine that knows an archive.

mod candidate;
mod keeper;
mod mode;
mod notebook;
mod recollection;

use std::path::Path;
use std::sync::Arc;

use shakmaty::{Chess, Position};
use tabiya_chess::Line;
use tabiya_retrieval::{
    Collection, CollectionError, Filter, Query,
    case::{self, Action, Case, Inquiry},
    collection,
    explorer::{self, Explored},
    index::FormatError,
    search::{Shard, SideToMove},
};

pub use keeper::{Unretained, retain, retain_at_last};
pub use mode::{Mode, UnknownMode};
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

/// How many of the most similar positions are asked without the first filter.
const MOST_SIMILAR: usize = 50;

/// From so many games on, the prior needs no cases of other positions.
const WELL_KNOWN: u32 = 20;

/// A collection, asked for cases. A clone asks the same one.
#[derive(Clone, Debug)]
pub struct Library {
    collection: Arc<Collection>,
    /// The segments that hold games of the engine's own, by index: few and
    /// small, so that asking them beside the others takes no time.
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
        // Better said now than in the middle of a game.
        let nothing = Inquiry {
            board: shakmaty::Board::empty(),
            actions: Vec::new(),
            threshold: 1.0,
            filter: Filter::default(),
        };
        let shards = collection.shards();
        case::retrieve(&shards, &nothing)?;
        let mut own = Vec::new();
        for (index, shard) in shards.iter().enumerate() {
            if case::has_own_games(shard)? {
                own.push(index);
            }
        }
        Ok(Library {
            collection,
            own: own.into(),
        })
    }

    /// The collection.
    pub fn collection(&self) -> &Collection {
        &self.collection
    }

    /// What the library knows of the last position of a line, from the games
    /// that a filter admits.
    ///
    /// # Errors
    ///
    /// When a segment is damaged.
    pub fn recall(
        &self,
        line: &Line,
        settings: &Settings,
        filter: &Filter,
    ) -> Result<Recollection, FormatError> {
        let position = line.position();
        let last = line.last();
        let action = last.and_then(|(mv, before)| Action::of(before.board(), mv));
        // The paper knows cases alone; only the prior looks further.
        let explored = if settings.mode == Mode::Prior {
            explorer::explore(&self.collection.shards(), position, filter)?
        } else {
            Explored::default()
        };
        let cases = match action.filter(|_| settings.first_filter) {
            _ if settings.exact_alone => Vec::new(),
            // Where so many had exactly this position, others add nothing.
            _ if explored.total.games() >= WELL_KNOWN => Vec::new(),
            Some(action) => self.cases_of(position, action, settings, filter)?,
            None => self.most_similar(position, settings, filter)?,
        };
        let lost = match explored.total.games() {
            0 => Vec::new(),
            _ => case::own_losses(&self.own_shards(), position, filter)?,
        };
        Ok(Recollection::new(position, &cases, &explored, &lost))
    }

    fn own_shards(&self) -> Vec<Shard<'_>> {
        let shards = self.collection.shards();
        self.own.iter().map(|&it| shards[it]).collect()
    }

    fn cases_of(
        &self,
        position: &Chess,
        action: Action,
        settings: &Settings,
        filter: &Filter,
    ) -> Result<Vec<Case>, FormatError> {
        if recollection::reacts_to(action) != position.turn() {
            return Ok(Vec::new());
        }
        let inquiry = Inquiry {
            board: position.board().clone(),
            actions: vec![action],
            threshold: settings.least_similarity(),
            filter: filter.clone(),
        };
        case::retrieve(&self.collection.shards(), &inquiry)
    }

    /// Without an action: the positions most alike by the ranking, of which
    /// those are kept that pass the second filter.
    fn most_similar(
        &self,
        position: &Chess,
        settings: &Settings,
        filter: &Filter,
    ) -> Result<Vec<Case>, FormatError> {
        let query = Query {
            top: MOST_SIMILAR,
            symmetries: vec![tabiya_chess::Symmetry::None],
            filter: Filter {
                side_to_move: Some(SideToMove::Same),
                ..filter.clone()
            },
            ..Query::new(position.clone())
        };
        let hits = self.collection.search(&query)?;
        case::at_hits(
            &self.collection,
            &hits,
            position.board(),
            settings.least_similarity(),
        )
    }

    /// Adds games to the collection and opens it anew. Returns how many were
    /// new.
    ///
    /// # Errors
    ///
    /// When the collection cannot be written to; the library is then as it was.
    pub fn retain(&mut self, games: &[tabiya_chess::Game]) -> Result<usize, CollectionError> {
        let folder = self.collection.folder().to_owned();
        let added = collection::retain(&folder, games)?;
        if added > 0 {
            *self = Library::open(&folder)?;
        }
        Ok(added)
    }
}

impl Settings {
    fn least_similarity(&self) -> f64 {
        if self.second_filter {
            self.threshold
        } else {
            0.0
        }
    }
}
