//! The moves that were played in positions that match.

use std::collections::BTreeMap;

use shakmaty::{Color, Outcome};
use tabiya_chess::Action;

use super::Match;

/// Moves, each with what became of the games that played it. A game counts once for a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves(BTreeMap<Action, Tally>);

/// What became of some games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The games.
    pub games: u64,
    /// Those that White won.
    pub white: u64,
    /// Those that were drawn.
    pub draws: u64,
    /// Those that Black won.
    pub black: u64,
}

impl Tally {
    /// Counts a game.
    pub fn count(&mut self, outcome: Outcome) {
        self.games += 1;
        match outcome.known().map(|it| it.winner()) {
            Some(Some(Color::White)) => self.white += 1,
            Some(Some(Color::Black)) => self.black += 1,
            Some(None) => self.draws += 1,
            None => {}
        }
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.games += other.games;
        self.white += other.white;
        self.draws += other.draws;
        self.black += other.black;
    }
}

impl Moves {
    /// Counts the moves of a game, which were played after the plies of a match.
    pub(super) fn count(&mut self, matched: &Match, played: impl FnMut(usize) -> Option<Action>) {
        let plies = matched.plies.iter().map(|&it| usize::from(it));
        let mut moves: Vec<Action> = plies.filter_map(played).collect();
        moves.sort_unstable();
        moves.dedup();
        for mv in moves {
            self.0.entry(mv).or_default().count(matched.facts.outcome);
        }
    }

    pub(super) fn add(&mut self, others: Moves) {
        for (mv, tally) in others.0 {
            *self.0.entry(mv).or_default() += tally;
        }
    }

    /// The moves with their tallies.
    pub fn iter(&self) -> impl Iterator<Item = (Action, Tally)> + '_ {
        self.0.iter().map(|(mv, tally)| (*mv, *tally))
    }
}
