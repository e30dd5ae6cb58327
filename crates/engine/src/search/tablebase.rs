//! Endgame tablebases (Syzygy), if there are any.
//!
//! Inside the search a table says won, drawn or lost right after a capture or a
//! pawn move, when the fifty-move rule has just begun to count. At the root it
//! names the move that keeps the result and makes progress.

use shakmaty::{Chess, Move, Position};
use shakmaty_syzygy::{Tablebase, Wdl};

use crate::Score;

/// The tables found in some directories; empty without any.
#[derive(Default)]
pub(crate) struct Tablebases {
    tables: Option<Tablebase<Chess>>,
}

impl Tablebases {
    /// Opens all tables in directories separated as in `PATH`; also returns their number.
    pub(crate) fn open(path: &str) -> Result<(Tablebases, usize), String> {
        let mut tables = Tablebase::new();
        let mut count = 0;
        for folder in std::env::split_paths(path) {
            count += tables
                .add_directory(&folder)
                .map_err(|error| format!("cannot read tablebases in {}: {error}; set SyzygyPath to a directory of .rtbw and .rtbz files", folder.display()))?;
        }
        let tables = (count > 0).then_some(tables);
        Ok((Tablebases { tables }, count))
    }

    /// Won, drawn or lost, if the position is in a table.
    pub(crate) fn score(&self, position: &Chess, ply: usize) -> Option<Score> {
        let tables = self.covering(position)?;
        let ply = ply as i32;
        Some(match tables.probe_wdl_after_zeroing(position).ok()? {
            Wdl::Win => Score::TABLE_WIN - ply,
            Wdl::Loss => -Score::TABLE_WIN + ply,
            // The fifty-move rule saves the loser.
            Wdl::CursedWin => Score::DRAW + 1,
            Wdl::BlessedLoss => Score::DRAW - 1,
            Wdl::Draw => Score::DRAW,
        })
    }

    /// The move that keeps the result and makes progress.
    pub(crate) fn best_move(&self, position: &Chess) -> Option<Move> {
        self.covering(position)?
            .best_move(position)
            .ok()?
            .map(|it| it.0)
    }

    fn covering(&self, position: &Chess) -> Option<&Tablebase<Chess>> {
        let tables = self.tables.as_ref()?;
        let small = position.board().occupied().count() <= tables.max_pieces();
        (small && position.castles().is_empty()).then_some(tables)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_is_not_there_says_so() {
        assert!(Tablebases::open("/no/such/directory").is_err_and(|it| it.contains("SyzygyPath")));
    }

    #[test]
    fn without_tables_nothing_is_known() {
        let (tables, count) = Tablebases::open("").unwrap_or_default();
        assert_eq!((count, tables.score(&Chess::default(), 0)), (0, None));
        assert_eq!(tables.best_move(&Chess::default()), None);
    }
}
