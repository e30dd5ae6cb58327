//! By how much late moves are searched less deep.

use super::order::Stage;
use super::worker::Searcher;
use super::{Depth, Technique};

const DEPTHS: usize = 64;
const MOVES: usize = 64;

/// Reductions by depth and number of moves tried, made once.
#[derive(Clone, Debug)]
pub(crate) struct Reductions(Vec<Depth>);

impl Reductions {
    /// The product of the logarithms: later moves and deeper searches risk more.
    pub(crate) fn new() -> Reductions {
        let entry = |index: usize| {
            let (depth, tried) = (index / MOVES, index % MOVES);
            if depth == 0 || tried <= 1 {
                return Depth::ZERO;
            }
            Depth::fraction(0.6 + (depth as f64).ln() * (tried as f64).ln() / 2.3)
        };
        Reductions((0..DEPTHS * MOVES).map(entry).collect())
    }

    pub(crate) fn get(&self, depth: Depth, tried: i32) -> Depth {
        let depth = depth.whole().clamp(0, DEPTHS as i32 - 1) as usize;
        let tried = tried.clamp(0, MOVES as i32 - 1) as usize;
        self.0[depth * MOVES + tried]
    }
}

impl Searcher<'_> {
    pub(super) fn reduction<const PV: bool>(
        &self,
        depth: Depth,
        tried: i32,
        improving: bool,
    ) -> Depth {
        let base = self.reductions.get(depth, tried);
        let mut sum = base;
        if !PV {
            sum += Depth::fraction(0.4);
        }
        if !improving {
            sum += Depth::fraction(0.35);
        }
        sum
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "each is one reason to reduce more or less"
    )]
    pub(super) fn adjusted(
        &self,
        mut reduction: Depth,
        quiet: bool,
        stage: Stage,
        experience: i32,
        cut: bool,
        checks: bool,
        hash_captures: bool,
    ) -> Depth {
        if !self.uses(Technique::LateMoveReduction) {
            return Depth::ZERO;
        }
        if cut {
            reduction += Depth::fraction(0.9);
        }
        if !quiet {
            reduction -= if stage == Stage::GoodCaptures {
                Depth::fraction(1.5)
            } else {
                Depth::fraction(0.5)
            };
        } else if hash_captures {
            reduction += Depth::fraction(0.5);
        }
        if stage == Stage::Killers || checks {
            reduction -= Depth::PLY;
        }
        reduction -= Depth::fraction(f64::from(experience) / 12_000.0);
        reduction.at_least(Depth::ZERO)
    }
}
