//! All positions two plies after a trap, and which of them are still traps.

use rayon::prelude::*;
use shakmaty::{Chess, Move, Position};
use tabiya_chess::position::pass;
use tabiya_chess::rules::ChessRules;
use tabiya_chess::trap::{Prize, Trap};
use tabiya_gametree::Game;
use tabiya_gametree::similarity::Measure;
use tabiya_gametree::trap::{Chase, Mate, Stakes};

use crate::roc::Scored;

/// The positions around a trap.
#[derive(Clone, Debug)]
pub(crate) struct Survey<'t> {
    /// The trap they come from.
    pub(crate) trap: &'t Trap,
    /// The positions after every line of two plies.
    pub(crate) positions: Vec<Chess>,
    /// Which of them are still traps, in parallel.
    pub(crate) is_trap: Vec<bool>,
}

impl<'t> Survey<'t> {
    /// Plays every line of two plies and searches each position for the trap.
    pub(crate) fn of(trap: &'t Trap) -> Survey<'t> {
        let rules = ChessRules::default();
        let children = |position: &Chess| -> Vec<Chess> {
            position
                .legal_moves()
                .into_iter()
                .map(|mv| rules.play(position, mv))
                .collect()
        };
        let positions: Vec<Chess> = children(&trap.position).iter().flat_map(children).collect();
        let is_trap = positions
            .par_iter()
            .map(|it| is_still_a_trap(trap, it))
            .collect();
        Survey {
            trap,
            positions,
            is_trap,
        }
    }

    /// The number of positions that are still traps.
    pub(crate) fn traps(&self) -> usize {
        self.is_trap.iter().filter(|&&it| it).count()
    }

    /// The similarity of each position to the original.
    pub(crate) fn scores<M>(&self, measure: &M) -> Vec<f64>
    where
        M: Measure<ChessRules> + Sync,
        M::Profile: Send + Sync,
    {
        let rules = ChessRules::default();
        let original = measure.read(&rules, &self.trap.position);
        let score = |it| measure.compare_readings(&original, &measure.read(&rules, it));
        self.positions.par_iter().map(score).collect()
    }

    /// The scores of traps and of the rest under a measure.
    pub(crate) fn scored<M>(&self, measure: &M) -> Scored
    where
        M: Measure<ChessRules> + Sync,
        M::Profile: Send + Sync,
    {
        Scored::new(&self.scores(measure), &self.is_trap)
    }
}

/// Whether the same piece can still take the same bait and then loses as before, or
/// whether, not being in check, the side to move would lose so if it passed.
///
/// Of the readings of the paper's "whether the trap was maintained" this one comes
/// closest to its figures.
fn is_still_a_trap(trap: &Trap, position: &Chess) -> bool {
    let rules = ChessRules::default();
    let same = |mv: &Move| {
        let key = |mv: &Move| {
            (
                mv.role(),
                mv.from(),
                mv.to(),
                mv.is_capture(),
                mv.promotion(),
            )
        };
        key(mv) == key(&trap.bait)
    };
    let baited = position
        .legal_moves()
        .into_iter()
        .find(same)
        .is_some_and(|bait| {
            let paid = trapper_gain(position, bait);
            is_won(trap.prize, &rules.play(position, bait), paid)
        });
    baited || pass(position).is_some_and(|passed| is_won(trap.prize, &passed, 0))
}

/// What the trapper gains by the bait itself; negative if it takes something.
fn trapper_gain(position: &Chess, bait: Move) -> i32 {
    let rules = ChessRules::default();
    rules.balance(position) + rules.balance(&rules.play(position, bait))
}

/// Whether the side to move forces the prize, having gained `paid` before.
fn is_won(prize: Prize, position: &Chess, paid: i32) -> bool {
    let rules = ChessRules::default();
    match prize {
        Prize::Mate { moves } => Mate::within(moves).find(&rules, position).is_some(),
        Prize::Gain { centipawns, plies } => {
            let wanted = centipawns - paid;
            let chase = Chase {
                plies,
                nodes: 1_000_000,
            };
            chase
                .outcome_within(&rules, position, wanted - 1, wanted)
                .is_some_and(|win| win.gain >= wanted)
        }
    }
}

#[cfg(test)]
mod tests {
    use tabiya_chess::trap::library;
    use tabiya_gametree::similarity::{Continuations, Sequences};

    use super::*;

    /// Positions, traps, and false negatives and positives at the mean for
    /// continuations d = 1 and sequences d = 2, all known.
    #[test]
    fn the_four_surveys_have_the_known_sizes_and_errors() {
        let known = [
            (1196, 521, (0.211, 0.434), (0.236, 0.424)),
            (1078, 355, (0.332, 0.445), (0.293, 0.432)),
            (1173, 526, (0.175, 0.445), (0.131, 0.464)),
            (1634, 569, (0.262, 0.467), (0.251, 0.468)),
        ];
        let rounded = |scored: &Scored| {
            let round = |value: f64| (value * 1000.0).round() / 1000.0;
            let mean = scored.mean();
            (
                round(scored.false_negatives(mean)),
                round(scored.false_positives(mean)),
            )
        };
        for (trap, (positions, traps, continuations, sequences)) in library().iter().zip(known) {
            let survey = Survey::of(trap);
            assert_eq!(
                (survey.positions.len(), survey.traps()),
                (positions, traps),
                "{}",
                trap.name
            );
            assert_eq!(
                rounded(&survey.scored(&Continuations::new(1))),
                continuations,
                "{}",
                trap.name
            );
            assert_eq!(
                rounded(&survey.scored(&Sequences::new(2))),
                sequences,
                "{}",
                trap.name
            );
        }
    }
}
