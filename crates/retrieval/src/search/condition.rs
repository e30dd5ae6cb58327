//! A condition on positions that a search asks only of those that score enough.

use std::{fmt, sync::Arc};

use tabiya_chess::{CompactMove, Game, Ply};
use tabiya_pattern::TooMuchWork;

use crate::index::{GameIndex, Variations, Windows};

/// What a position must be, beside what a filter says, such as one that a pattern describes.
#[derive(Clone)]
pub struct Condition(pub(crate) Arc<dyn Test>);

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The lines of a segment: its games, or the variations in them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines<'a> {
    pub(crate) windows: &'a Windows<'a>,
    /// The games, which have the tags.
    pub(crate) games: &'a Windows<'a>,
    pub(crate) variations: Option<&'a Variations<'a>>,
}

/// A test of positions that knows which windows can have one that passes.
pub(crate) trait Test: fmt::Debug + Send + Sync {
    /// Those windows, or more.
    fn windows(&self, lines: Lines<'_>) -> Vec<u64>;

    /// Whether a position of a line passes.
    fn passes(&self, lines: Lines<'_>, line: GameIndex, ply: Ply) -> Result<bool, TooMuchWork>;

    /// The plies of a line of a game that pass, by looking at all of them.
    fn plies(&self, game: &Game, moves: &[CompactMove]) -> Result<Vec<Ply>, TooMuchWork>;
}

impl Condition {
    /// Both conditions.
    #[must_use]
    pub fn and(self, other: Condition) -> Condition {
        Condition(Arc::new(Both(self, other)))
    }
}

#[derive(Debug)]
struct Both(Condition, Condition);

impl Test for Both {
    fn windows(&self, lines: Lines<'_>) -> Vec<u64> {
        let mut windows = self.0.0.windows(lines);
        let others = self.1.0.windows(lines);
        let pairs = windows.iter_mut().zip(others);
        pairs.for_each(|(word, other)| *word &= other);
        windows
    }

    fn passes(&self, lines: Lines<'_>, line: GameIndex, ply: Ply) -> Result<bool, TooMuchWork> {
        Ok(self.0.0.passes(lines, line, ply)? && self.1.0.passes(lines, line, ply)?)
    }

    fn plies(&self, game: &Game, moves: &[CompactMove]) -> Result<Vec<Ply>, TooMuchWork> {
        let mut plies = self.0.0.plies(game, moves)?;
        let others = self.1.0.plies(game, moves)?;
        plies.retain(|it| others.contains(it));
        Ok(plies)
    }
}
