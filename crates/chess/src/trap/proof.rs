//! Proving by search that a move loses.

use shakmaty::{Chess, Move, Position};
use tabiya_gametree::Game;
use tabiya_gametree::trap::{Chase, ForcedWin, Mate, Stakes, WON};

use super::Prize;
use crate::rules::ChessRules;

/// How hard to look for a refutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Mates are looked for within this many moves.
    pub mate_moves: usize,
    /// How many of them may be quiet, that is, not checks.
    pub quiet_moves: usize,
    /// Material is counted after this many plies and the exchanges that follow.
    pub plies: usize,
    /// The greatest number of positions each search visits.
    pub nodes: usize,
}

impl Default for Effort {
    /// Enough for most traps in well under a second.
    fn default() -> Effort {
        Effort {
            mate_moves: 3,
            quiet_moves: 1,
            plies: 4,
            nodes: 400_000,
        }
    }
}

impl Effort {
    /// What a prize of the library takes.
    pub(super) fn for_prize(prize: Prize) -> Effort {
        match prize {
            Prize::Mate { moves } => Effort {
                mate_moves: moves,
                quiet_moves: 2,
                plies: 0,
                nodes: 20_000_000,
            },
            Prize::Gain { plies, .. } => Effort {
                mate_moves: 1,
                quiet_moves: 0,
                plies,
                nodes: 20_000_000,
            },
        }
    }
}

/// Why a move loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The refutation, the trapper's move first.
    pub line: Vec<Move>,
    /// What the trapper gains over the balance before the bait, in hundredths of a
    /// pawn; near [`WON`] if he mates.
    pub gain: i32,
    /// A move that would have avoided it: one that loses less than half as much.
    pub saved_by: Option<Move>,
}

impl Proof {
    /// In how many of the trapper's moves the bait is mated, if it is.
    pub fn mate_in(&self) -> Option<usize> {
        win_of(self).moves_to_end()
    }
}

fn win_of(proof: &Proof) -> ForcedWin<Move> {
    ForcedWin {
        line: proof.line.clone(),
        gain: proof.gain,
    }
}

/// What `bait`, a legal move, loses by force, if the effort finds anything: mate,
/// or at least a pawn.
pub fn refute(position: &Chess, bait: Move, effort: Effort) -> Option<Proof> {
    let (line, gain) = loss(position, bait, effort)?;
    let saved_by = better_move(position, bait, gain, effort);
    Some(Proof {
        line,
        gain,
        saved_by,
    })
}

/// The refutation of a move and what it gains over the balance before the move.
fn loss(position: &Chess, bait: Move, effort: Effort) -> Option<(Vec<Move>, i32)> {
    let rules = ChessRules::default();
    let taken = rules.play(position, bait);
    let mate = Mate {
        moves: effort.mate_moves,
        quiet: effort.quiet_moves,
        nodes: effort.nodes,
    };
    if let Some(win) = mate.find(&rules, &taken) {
        return Some((win.line, win.gain));
    }
    // Balances are seen from the trapper's side.
    let before = -rules.balance(position);
    let paid = rules.balance(&taken) - before;
    let chase = Chase {
        plies: effort.plies,
        nodes: effort.nodes,
    };
    let win = chase.outcome_within(&rules, &taken, 99 - paid, WON)?;
    let gain = if win.gain > WON / 2 {
        win.gain
    } else {
        win.gain + paid
    };
    (gain >= 100).then_some((win.line, gain))
}

/// The first move, in the order of legal moves, after which the opponent gains
/// less than half of what the bait gives.
fn better_move(position: &Chess, bait: Move, gain: i32, effort: Effort) -> Option<Move> {
    let rules = ChessRules::default();
    let bearable = if gain > WON / 2 { 500 } else { gain / 2 };
    let others = position.legal_moves().into_iter().filter(|&it| it != bait);
    let mut others: Vec<Move> = others.collect();
    others.sort_by_cached_key(|&mv| std::cmp::Reverse(rules.promise(position, mv)));
    others.into_iter().find(|&mv| {
        let next = rules.play(position, mv);
        let before = -rules.balance(position);
        let paid = rules.balance(&next) - before;
        let mate = Mate {
            moves: effort.mate_moves.min(2),
            quiet: 0,
            nodes: effort.nodes,
        };
        let chase = Chase {
            plies: effort.plies.clamp(2, 4),
            nodes: effort.nodes,
        };
        mate.find(&rules, &next).is_none()
            && chase
                .outcome_within(&rules, &next, bearable - paid - 1, bearable - paid)
                .is_some_and(|win| win.gain + paid < bearable)
    })
}
