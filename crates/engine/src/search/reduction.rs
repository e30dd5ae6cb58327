//! By how much late moves are searched less deep.

use super::Depth;

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
