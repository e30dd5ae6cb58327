//! Positions drawn from games, spread over each game, with how the game ended.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use shakmaty::{Chess, KnownOutcome, Outcome};
use tabiya_chess::{CompactMove, Game, pgn};

use crate::archive::for_each_text;

/// How positions are drawn from games.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drawing {
    /// At most so many games.
    pub(crate) games: usize,
    /// At most so many positions from each, spread over the game.
    pub(crate) positions: usize,
    /// Plies at the start that say little.
    pub(crate) skip: usize,
}

/// A position of a game.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    /// The position.
    pub(crate) position: Chess,
    /// What was played.
    pub(crate) next: CompactMove,
    /// White's score in the end.
    pub(crate) result: f32,
}

impl Drawing {
    /// Hands over the games of a PGN file, numbered from 1.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn games(&self, path: &Path, mut take: impl FnMut(usize, &Game)) -> io::Result<()> {
        let mut games = 0;
        for_each_text(path, |text| {
            if games == self.games {
                return ControlFlow::Break(());
            }
            if let Some(game) = pgn::read(text).game {
                games += 1;
                take(games, &game);
            }
            ControlFlow::Continue(())
        })
    }

    /// Positions of a game that has a result, from one whose number depends on its
    /// length, at equal distances.
    pub(crate) fn positions(&self, game: &Game) -> impl Iterator<Item = Drawn> {
        let result = white_score(game);
        let plies = game.moves.len().saturating_sub(self.skip);
        let stride = (plies / self.positions.max(1)).max(1);
        let first = self.skip + plies % stride;
        let moves = &game.moves;
        game.positions()
            .zip(moves)
            .skip(first)
            .step_by(stride)
            .filter_map(move |(position, &next)| {
                Some(Drawn {
                    position,
                    next,
                    result: result?,
                })
            })
    }
}

fn white_score(game: &Game) -> Option<f32> {
    match game.tags.result {
        Outcome::Known(KnownOutcome::Decisive { winner }) => Some(winner.fold_wb(1.0, 0.0)),
        Outcome::Known(KnownOutcome::Draw) => Some(0.5),
        Outcome::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1";

    fn drawn(text: &str, drawing: Drawing) -> Vec<Drawn> {
        let game = pgn::read(text.as_bytes()).game.unwrap();
        drawing.positions(&game).collect()
    }

    #[test]
    fn positions_are_spread_over_the_game() {
        let all = Drawing {
            games: 1,
            positions: 10,
            skip: 0,
        };
        assert_eq!(drawn(GAME, all).len(), 4);
        let some = Drawing {
            positions: 2,
            ..all
        };
        assert_eq!(drawn(GAME, some).len(), 2);
        let late = Drawing { skip: 3, ..all };
        let late = drawn(GAME, late);
        assert_eq!(late.len(), 1);
        assert_eq!(late[0].result, 0.0);
        assert!(drawn("1. f3 e5 *", all).is_empty());
    }
}
