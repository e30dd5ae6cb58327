//! A pattern as a condition of a ranked search.

use std::sync::Arc;

use tabiya_chess::{CompactMove, Game, Ply};
use tabiya_pattern::{Evaluator, Pattern, Played, TooMuchWork};

use super::{Stored, bitmap, plan};
use crate::{
    index::GameIndex,
    search::{Condition, Lines, Test},
};

impl From<Pattern> for Condition {
    fn from(pattern: Pattern) -> Condition {
        Condition(Arc::new(pattern))
    }
}

impl Test for Pattern {
    fn windows(&self, lines: Lines<'_>) -> Vec<u64> {
        let mut windows = bitmap::Lines::new(*lines.windows, lines.games, |it| game_of(lines, it));
        let all = windows.all();
        windows.narrow(&plan::plan(&self.program().root), all)
    }

    fn passes(&self, lines: Lines<'_>, line: GameIndex, ply: Ply) -> Result<bool, TooMuchWork> {
        let record = lines.windows.record(line);
        let sheet = Stored::new(lines.windows, lines.games, record, game_of(lines, line));
        let mut evaluator = Evaluator::new(self.program());
        if self.program().effect.is_some() {
            let found = evaluator.matches(&sheet);
            return found.map(|it| it.plies.contains(&ply.into()));
        }
        evaluator.begin(&sheet);
        evaluator.matches_at(&sheet, ply.into())
    }

    fn plies(&self, game: &Game, moves: &[CompactMove]) -> Result<Vec<Ply>, TooMuchWork> {
        let found = Evaluator::new(self.program()).matches(&Played::along(game, moves))?;
        Ok(found.plies.into_iter().map(Ply::after).collect())
    }
}

/// The game that has the tags of a line.
fn game_of(lines: Lines<'_>, line: GameIndex) -> GameIndex {
    lines.variations.map_or(line, |it| it.place(line).0)
}
