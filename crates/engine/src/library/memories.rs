//! Memories: what some shards hold about a position, before anything is decided.
//!
//! Groups of shards on several machines are asked one by one; their memories merge into those of the whole.

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position};
use tabiya_chess::{CompactMove, Line, Symmetry};
use tabiya_retrieval::{
    Filter, Query, Statistics,
    case::{self, Action, Case, Inquiry},
    explorer::{self, Explored},
    index::FormatError,
    search::{self, Hit, SearchError, Shard, SideToMove},
};

use super::{Mode, Settings};

/// How many of the most similar positions are asked without the first filter.
const MOST_SIMILAR: usize = 50;

/// From this many games on, the prior needs no cases of other positions.
const WELL_KNOWN: u32 = 20;

/// What some shards hold about a position.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Memories {
    /// The games that had exactly this position.
    pub explored: Explored,
    /// How often the engine itself has lost with a move in exactly this position.
    pub losses: Vec<(CompactMove, u32)>,
    /// The cases that passed the filters, the most alike first.
    pub cases: Vec<Case>,
    /// If no action was asked for: the most similar positions, which the cases are taken from.
    pub hits: Vec<Hit>,
}

impl Memories {
    /// The memories of several groups of shards as those of all of them.
    pub fn merge(parts: impl IntoIterator<Item = Memories>) -> Memories {
        let (mut all, mut explored) = (Memories::default(), Vec::new());
        for part in parts {
            explored.push(part.explored);
            all.losses.extend(part.losses);
            all.cases.extend(part.cases);
            all.hits.extend(part.hits);
        }
        all.explored = Explored::merge(explored);
        all.cases.sort_by(Case::rank);
        if !all.hits.is_empty() {
            all.hits = search::merge([all.hits], MOST_SIMILAR);
            let hits = &all.hits;
            all.cases
                .retain(|case| hits.iter().any(|it| it.game == case.game));
        }
        all
    }

    /// Whether enough games had exactly this position, so that other positions add nothing.
    pub(super) fn are_enough(&self) -> bool {
        self.explored.total.games() >= WELL_KNOWN
    }
}

/// Shards that are asked together, with the statistics of the whole collection.
#[derive(Clone, Debug)]
pub struct Holdings<'a> {
    /// The shards.
    pub shards: Vec<Shard<'a>>,
    /// Those that hold games of the engine's own, see [`own_shards`].
    pub own: Vec<Shard<'a>>,
    /// What positions are ranked by.
    pub statistics: &'a Statistics,
}

/// The indices of the shards that hold games of the engine's own: few and small, so that asking them beside the
/// others takes no time. Looks at every game, so call it once.
pub fn own_shards(shards: &[Shard<'_>]) -> Result<Vec<usize>, FormatError> {
    let mut own = Vec::new();
    for (index, shard) in shards.iter().enumerate() {
        if case::has_own_games(shard)? {
            own.push(index);
        }
    }
    Ok(own)
}

impl Holdings<'_> {
    /// What the shards hold about the last position of a line, from the games that a filter admits.
    pub fn remember(
        &self,
        line: &Line,
        settings: &Settings,
        filter: &Filter,
    ) -> Result<Memories, SearchError> {
        let position = line.position();
        // The paper knows cases alone; only the prior looks further.
        let explored = match settings.mode {
            Mode::Prior => explorer::explore(&self.shards, position, filter)?,
            Mode::Restrict | Mode::RestrictAndTactics => Explored::default(),
        };
        let losses = match explored.total.games() {
            0 => Vec::new(),
            _ => case::own_losses(&self.own, position, filter)?,
        };
        let mut memories = Memories {
            explored,
            losses: losses.into_iter().map(|it| (it.0.into(), it.1)).collect(),
            ..Memories::default()
        };
        // What is enough of some shards is enough of all.
        if settings.exact_alone || memories.are_enough() {
            return Ok(memories);
        }
        let last = line.last().filter(|_| settings.first_filter);
        match last.and_then(|(mv, before)| Action::of(before.board(), mv)) {
            Some(action) => memories.cases = self.cases_of(position, action, settings, filter)?,
            None => {
                memories.hits = self.most_similar(position, filter)?;
                memories.cases = case::at_hits(
                    &self.shards,
                    &memories.hits,
                    position.board(),
                    settings.least_similarity(),
                )?;
            }
        }
        Ok(memories)
    }

    fn cases_of(
        &self,
        position: &Chess,
        action: Action,
        settings: &Settings,
        filter: &Filter,
    ) -> Result<Vec<Case>, FormatError> {
        if action.color() == position.turn() {
            return Ok(Vec::new());
        }
        let inquiry = Inquiry {
            board: position.board().clone(),
            actions: vec![action],
            threshold: settings.least_similarity(),
            filter: filter.clone(),
        };
        case::retrieve(&self.shards, &inquiry)
    }

    /// The positions that the ranking finds most similar, with the same side to move.
    fn most_similar(&self, position: &Chess, filter: &Filter) -> Result<Vec<Hit>, SearchError> {
        let query = Query {
            top: MOST_SIMILAR,
            symmetries: vec![Symmetry::None],
            filter: Filter {
                side_to_move: Some(SideToMove::Same),
                ..filter.clone()
            },
            ..Query::new(position.clone())
        };
        search::search(&self.shards, &query, self.statistics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::{Library, Recollection};
    use std::path::Path;
    use tabiya_chess::{Game, Tags, pgn};
    use tabiya_retrieval::collection::{Import, Progress};

    /// A game that leaves the open games after two moves in a way of its own.
    fn game(seed: usize) -> Game {
        let mut line = Line::read(Chess::default(), "e4 e5 Nf3 Nc6").unwrap();
        for ply in 0..40 {
            let legal = line.position().legal_moves();
            if legal.is_empty() {
                break;
            }
            line.push(legal[(seed * 31 + ply * (seed + 17)) % legal.len()])
                .unwrap();
        }
        Game {
            tags: Tags {
                white: format!("Player {seed}"),
                ..Tags::default()
            },
            moves: line.moves().iter().map(|&it| it.into()).collect(),
            ..Game::default()
        }
    }

    /// Imports of this many games each, one a segment, the last one the engine's own.
    fn library(folder: &Path, imports: &[usize]) -> Library {
        let (home, mut seed) = (folder.join("db"), 0);
        for (number, games) in imports.iter().enumerate() {
            let mut text = String::new();
            for _ in 0..*games {
                let mut game = game(seed);
                if number + 1 == imports.len() {
                    game.tags.others.push(("Source".into(), "self".into()));
                    game.tags.result = "0-1".parse().unwrap();
                }
                pgn::write(&game, &mut text).unwrap();
                seed += 1;
            }
            let file = folder.join(format!("{number}.pgn"));
            std::fs::write(&file, text).unwrap();
            let import = Import::new(vec![pgn::Input::File(file)]);
            import.run(&home, &Progress::default()).unwrap();
        }
        Library::open(&home).unwrap()
    }

    /// What each segment remembers alone.
    fn parts(library: &Library, line: &Line, settings: &Settings) -> Vec<Memories> {
        let whole = library.holdings();
        let part = |shard: &Shard<'_>| {
            let own = whole
                .own
                .iter()
                .filter(|it| it.first_game == shard.first_game);
            let holdings = Holdings {
                shards: vec![*shard],
                own: own.copied().collect(),
                statistics: whole.statistics,
            };
            holdings
                .remember(line, settings, &Filter::default())
                .unwrap()
        };
        whole.shards.iter().map(part).collect()
    }

    #[test]
    fn groups_of_shards_together_remember_what_the_whole_does() {
        let folder = tempfile::tempdir().unwrap();
        let library = library(folder.path(), &[12, 11, 30]);
        assert_eq!(library.holdings().own.len(), 1);
        let (mut kept, mut lost) = (0, 0);
        for (seed, plies) in [(0, 4), (3, 0), (5, 5), (13, 9), (25, 16), (1, 30)] {
            let line = Line::of_game(&game(seed), plies).unwrap();
            for mode in Mode::ALL {
                for first_filter in [true, false] {
                    let settings = Settings {
                        first_filter,
                        mode,
                        threshold: 0.3,
                        ..Settings::default()
                    };
                    let merged = Memories::merge(parts(&library, &line, &settings));
                    let recollection = Recollection::new(line.position(), &merged);
                    let filter = Filter::default();
                    let whole = library.recall(&line, &settings, &filter).unwrap();
                    assert_eq!(recollection, whole);
                    kept += recollection.cases;
                    let moves = recollection.continuations.iter();
                    lost += moves.map(|it| it.own_lost).sum::<u32>();
                }
            }
        }
        assert!(kept > 500 && lost > 0, "{kept} cases, {lost} losses");
    }

    #[test]
    fn what_is_well_known_only_to_all_shards_together_needs_no_cases() {
        let folder = tempfile::tempdir().unwrap();
        let library = library(folder.path(), &[12, 11, 1]);
        let line = Line::read(Chess::default(), "e4 e5 Nf3").unwrap();
        let parts = parts(&library, &line, &Settings::default());
        assert!(parts.iter().all(|it| !it.cases.is_empty()));
        let merged = Memories::merge(parts);
        assert_eq!(merged.explored.total.games(), 24);
        assert!(merged.cases.len() >= 24);
        let recollection = Recollection::new(line.position(), &merged);
        assert_eq!(
            (recollection.cases, recollection.continuations.len()),
            (0, 1)
        );
    }
}
