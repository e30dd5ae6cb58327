//! Positions sampled from games, spread over each game, with the result of the game.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use shakmaty::{Chess, KnownOutcome, Outcome};
use tabiya_chess::{CompactMove, Game, pgn};

use crate::games::for_each_text;

/// How positions are sampled from games.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampling {
    /// The most games.
    pub(crate) games: usize,
    /// The most positions from each, spread over the game.
    pub(crate) positions: usize,
    /// Plies to skip at the start.
    pub(crate) skip: usize,
}

/// A position of a game.
#[derive(Clone, Debug)]
pub(crate) struct SampledPosition {
    /// The position.
    pub(crate) position: Chess,
    /// What was played.
    pub(crate) next: CompactMove,
    /// White's score in the game.
    pub(crate) result: f32,
}

impl Sampling {
    /// Calls `take` with the games of a PGN file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn games(&self, path: &Path, mut take: impl FnMut(&Game)) -> io::Result<()> {
        let mut games = 0;
        for_each_text(path, |text| {
            if games == self.games {
                return ControlFlow::Break(());
            }
            if let Some(game) = pgn::read(text).game {
                games += 1;
                take(&game);
            }
            ControlFlow::Continue(())
        })
    }

    /// Positions of a game that has a result, from one whose number depends on its
    /// length, at equal distances.
    pub(crate) fn positions(&self, game: &Game) -> impl Iterator<Item = SampledPosition> {
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
                Some(SampledPosition {
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

    fn sampled(text: &str, sampling: Sampling) -> Vec<SampledPosition> {
        let game = pgn::read(text.as_bytes()).game.unwrap();
        sampling.positions(&game).collect()
    }

    #[test]
    fn positions_are_spread_over_the_game() {
        let all = Sampling {
            games: 1,
            positions: 10,
            skip: 0,
        };
        assert_eq!(sampled(GAME, all).len(), 4);
        let some = Sampling {
            positions: 2,
            ..all
        };
        assert_eq!(sampled(GAME, some).len(), 2);
        let late = Sampling { skip: 3, ..all };
        let late = sampled(GAME, late);
        assert_eq!(late.len(), 1);
        assert_eq!(late[0].result, 0.0);
        assert!(sampled("1. f3 e5 *", all).is_empty());
    }
}
