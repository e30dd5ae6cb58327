//! Finding what a pattern describes, in two steps.
//!
//! A [plan](self) turns the query into clues: what a window of the index must have for a position in it to match.
//! The windows that have it are replayed, and the pattern's own evaluator says which positions match. The
//! twin looks at every position of every game.

mod bitmap;
mod clue;
mod condition;
mod exhaustive;
mod like;
mod plan;
mod played;
mod stored;
#[cfg(test)]
mod tests;

use rayon::prelude::*;
use shakmaty::{Chess, Color, Position};
use tabiya_chess::{Action, Ply, Symmetry};
use tabiya_pattern::{Evaluator, Pattern, Scoresheet, program::Program};

use crate::{
    index::{
        Facts, GameIndex, GameNumber, Planes, TallySource, VariationNumber, Variations, WINDOW,
        Windows, sound,
    },
    search::{Cancel, Filter, GameFilter, PositionFilter, SearchError, Shard},
    term::Bits,
};
use bitmap::{Bitmap, Lines};
use clue::Clue;
pub use exhaustive::find as find_exhaustively;
pub use like::{Like, Likeness};
pub use played::{Moves, Tally};
use stored::Stored;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct FindQuery<'a> {
    /// The pattern.
    pub pattern: &'a Pattern,
    /// Which games and positions may answer.
    pub filter: Filter,
    /// The position that the filter compares material and side to move with.
    pub position: Chess,
    /// Whether positions in variations may answer too.
    pub variations: bool,
    /// The position that matches are compared with.
    pub like: Option<Like>,
    /// Cancels the search; what it then answers is worth nothing.
    pub cancel: Cancel,
}

impl<'a> FindQuery<'a> {
    /// A query of all games.
    pub fn new(pattern: &'a Pattern) -> FindQuery<'a> {
        FindQuery {
            pattern,
            filter: Filter::default(),
            position: Chess::default(),
            variations: false,
            like: None,
            cancel: Cancel::default(),
        }
    }

    fn positions(&self) -> PositionFilter {
        let (board, turn) = (self.position.board(), self.position.turn());
        PositionFilter::new(&self.filter, Symmetry::None, board, turn)
    }
}

/// A game with positions that match.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// The game.
    pub game: GameNumber,
    /// The variation, if the positions are not of the game itself.
    pub variation: Option<VariationNumber>,
    /// The plies of the positions, in order; at least one.
    pub plies: Vec<Ply>,
    /// What is known of the game.
    pub facts: Facts,
    /// The position most like the one that is compared with.
    pub likeness: Option<Likeness>,
    /// The values of the keys that the query sorts by.
    pub sorts: Vec<Option<i64>>,
    /// What the query's comments say, and at which plies.
    pub comments: Vec<(Ply, String)>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// The matches in the order of the games, each game before its variations.
    pub matches: Vec<Match>,
    /// The moves played in positions that match.
    pub moves: Moves,
    /// The steps of the plan.
    pub steps: Vec<Step>,
    /// The positions that were looked at exactly.
    pub looked_at: u64,
}

/// A step of a plan: what it asks, and how many windows have it and all before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it asks.
    pub what: String,
    /// The windows that are left.
    pub windows: u64,
}

/// Finds all positions that match a pattern.
///
/// # Errors
///
/// When a segment is damaged, or the query takes too long.
pub fn find(shards: &[Shard<'_>], query: &FindQuery<'_>) -> Result<Findings, SearchError> {
    let program = query.pattern.program();
    let clues = match plan::plan(&program.root) {
        Clue::And(clues) => clues,
        clue => vec![clue],
    };
    let of_shard = |shard: &Shard<'_>| find_in(shard, query, program, &clues);
    let parts = shards.par_iter().map(of_shard);
    let parts = parts.collect::<Result<Vec<Findings>, SearchError>>()?;
    sound(shards)?;
    let mut found = Findings {
        steps: first_steps(&clues),
        ..Findings::default()
    };
    for part in parts {
        found.looked_at += part.looked_at;
        for (step, of_part) in found.steps.iter_mut().zip(part.steps) {
            step.windows += of_part.windows;
        }
        found.matches.extend(part.matches);
        found.moves.add(part.moves);
    }
    found.matches.sort_by_key(|it| (it.game, it.variation));
    Ok(found)
}

/// The steps before any window is counted.
fn first_steps(clues: &[Clue]) -> Vec<Step> {
    let all = ["all windows", "windows of the admitted games and plies"].map(str::to_owned);
    let each = all.into_iter().chain(clues.iter().map(ToString::to_string));
    each.map(|what| Step { what, windows: 0 }).collect()
}

fn find_in(
    shard: &Shard<'_>,
    query: &FindQuery<'_>,
    program: &Program,
    clues: &[Clue],
) -> Result<Findings, SearchError> {
    let windows = shard.segment.windows()?;
    let games = GameFilter::new(&query.filter, &windows, shard);
    let mut found = Findings {
        steps: first_steps(clues),
        ..Findings::default()
    };
    let main = Room {
        shard: *shard,
        lines: Lines::new(windows, &windows, |it| it),
        windows,
        games: &games,
        variations: None,
    };
    main.find(query, program, clues, &mut found)?;
    let variations = match query.variations {
        true => shard.segment.variations()?,
        false => None,
    };
    if let Some(variations) = variations {
        let lines = Lines::new(variations.windows, &windows, |it| variations.place(it).0);
        let room = Room {
            shard: *shard,
            lines,
            windows: variations.windows,
            games: &games.of_variations(&query.filter, &variations),
            variations: Some(variations),
        };
        room.find(query, program, clues, &mut found)?;
    }
    Ok(found)
}

/// The games of a shard, or the variations in them.
struct Room<'a> {
    shard: Shard<'a>,
    lines: Lines<'a>,
    windows: Windows<'a>,
    games: &'a GameFilter,
    variations: Option<Variations<'a>>,
}

impl Room<'_> {
    fn find(
        mut self,
        query: &FindQuery<'_>,
        program: &Program,
        clues: &[Clue],
        found: &mut Findings,
    ) -> Result<(), SearchError> {
        if query.cancel.is_canceled() {
            return Ok(());
        }
        let mut left = self.lines.all();
        let mut counts = vec![count(&left)];
        if let Some(admitted) = self.games.windows() {
            left.iter_mut()
                .zip(admitted)
                .for_each(|(it, admitted)| *it &= admitted);
        }
        counts.push(count(&left));
        for clue in clues {
            left = self.lines.narrow(clue, left);
            counts.push(count(&left));
        }
        for (step, count) in found.steps.iter_mut().zip(counts) {
            step.windows += count;
        }
        // Windows whose positions leave something behind for later ones of the same game.
        let lasting = program.effect.as_ref().map(|effect| {
            let all = self.lines.all();
            self.lines.narrow(&plan::plan(effect), all)
        });
        self.look_at(
            query,
            program,
            [&left, lasting.as_ref().unwrap_or(&left)],
            found,
        )
    }

    /// Looks at the positions of some windows exactly; where a line has one, at those of `lasting` too.
    fn look_at(
        &self,
        query: &FindQuery<'_>,
        program: &Program,
        [windows, lasting]: [&Bitmap; 2],
        found: &mut Findings,
    ) -> Result<(), SearchError> {
        let positions = query.positions();
        let mut evaluator = Evaluator::new(program);
        let mut first_window = 0;
        let mut plies = Vec::new();
        for (index, &record) in self.windows.indices().zip(self.lines.records()) {
            let range = first_window..first_window + record.windows();
            first_window = range.end;
            let first_ply = usize::from(record.first_ply);
            let last = usize::from(record.plies);
            plies.clear();
            // Positions of the game itself that are not indexed.
            if self.variations.is_none() && first_ply > 0 && self.games.admits(index) {
                plies.extend(0..first_ply.min(last + 1));
            }
            if plies.is_empty() && ones_in(windows, range.clone()).next().is_none() {
                continue;
            }
            for window in
                (range.clone()).filter(|&it| bitmap::get(windows, it) || bitmap::get(lasting, it))
            {
                let from = first_ply + (window - range.start) * WINDOW;
                plies.extend(from..(from + WINDOW).min(last + 1));
            }
            if self.variations.is_some() && program.effect.is_some() {
                plies.splice(0..0, 0..first_ply.min(last + 1));
            }
            if query.cancel.is_canceled() {
                return Ok(());
            }
            let first_of_line = if self.variations.is_some() {
                first_ply
            } else {
                0
            };
            let sheet = Stored::new(
                &self.windows,
                self.lines.games(),
                record,
                self.lines.game_of(index),
            );
            evaluator.begin(&sheet);
            let mut matching = Vec::new();
            found.looked_at += plies.len() as u64;
            for &ply in &plies {
                if evaluator.matches_at(&sheet, ply)? && ply >= first_of_line {
                    matching.push(Ply::after(ply));
                }
            }
            if !positions.admits_all() {
                let first: Color = sheet.turn_at_start();
                matching.retain(|&ply| {
                    let board = evaluator.board(&sheet, ply.into());
                    positions.admits(&Planes::from(&board), ply, ply.turn(first))
                });
            }
            if !matching.is_empty() {
                let matched = self.matched(index, &sheet, matching, query, &mut evaluator);
                if self.variations.is_none() {
                    found.moves.count(&matched, |ply| {
                        let mv = (ply < sheet.plies()).then(|| sheet.mv(ply))?;
                        Action::of_compact(&evaluator.board(&sheet, ply), mv)
                    });
                }
                found.matches.push(matched);
            }
        }
        Ok(())
    }

    fn matched(
        &self,
        index: GameIndex,
        sheet: &Stored<'_>,
        plies: Vec<Ply>,
        query: &FindQuery<'_>,
        evaluator: &mut Evaluator<'_>,
    ) -> Match {
        let (game, variation) = match &self.variations {
            None => (index, None),
            Some(variations) => {
                let (game, number) = variations.place(index);
                (game, Some(number))
            }
        };
        let comments = evaluator.take_comments().into_iter();
        let comments = comments.map(|(ply, text)| (Ply::after(ply), text));
        let likeness = query.like.as_ref().and_then(|it| {
            let boards = plies.iter();
            it.nearest(boards.map(|&ply| (ply, evaluator.board(sheet, ply.into()))))
        });
        Match {
            likeness,
            facts: self.lines.games().facts().facts(game).unwrap_or_default(),
            game: self.shard.number(game),
            variation,
            comments: comments.filter(|it| plies.contains(&it.0)).collect(),
            plies,
            sorts: evaluator.sorts().to_vec(),
        }
    }
}

fn count(bitmap: &Bitmap) -> u64 {
    bitmap.iter().map(|it| u64::from(it.count_ones())).sum()
}

/// The bits of a bitmap that are set in a range.
fn ones_in(bitmap: &Bitmap, range: std::ops::Range<usize>) -> impl Iterator<Item = usize> + '_ {
    let words = range.start / 64..range.end.div_ceil(64);
    words.flat_map(move |at| {
        let bits = Bits(bitmap.get(at).copied().unwrap_or(0));
        let range = range.clone();
        bits.map(move |it| at * 64 + it)
            .filter(move |it| range.contains(it))
    })
}
