//! A strength below the engine's own, as `UCI_Elo` asks for it.
//!
//! A level thinks for a number of nodes. With a library, the moves that players of about that rating made in
//! this position and in similar ones count for more than they do for the engine at its best: the search
//! then only keeps it from what such a player would see.

/// How strong to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    elo: usize,
}

/// The rating and the nodes per move that belong together; see `docs/engine.md`.
const ANCHOR: (f64, f64) = (2665.0, 50_000.0);
/// What twice the nodes are worth.
const DOUBLING: f64 = 95.0;

impl Level {
    /// The lowest rating: with fewer nodes a search does not look at every move.
    pub const LEAST: usize = 1_900;
    /// The highest rating.
    pub const GREATEST: usize = 2_800;

    /// The level of a rating, or the nearest that there is.
    pub fn new(elo: usize) -> Level {
        Level {
            elo: elo.clamp(Level::LEAST, Level::GREATEST),
        }
    }

    /// The rating.
    pub const fn elo(self) -> usize {
        self.elo
    }

    /// How many nodes a move may take.
    pub fn nodes(self) -> u64 {
        let doublings = (self.elo as f64 - ANCHOR.0) / DOUBLING;
        (ANCHOR.1 * doublings.exp2()).round().max(1.0) as u64
    }
}

impl Default for Level {
    fn default() -> Level {
        Level::new(2_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_ratings_think_longer() {
        let nodes = [1_000, 1_500, 2_000, 2_665, 9_000].map(|it| Level::new(it).nodes());
        assert!(nodes.is_sorted() && nodes[0] == nodes[1] && nodes[0] < nodes[2]);
        assert_eq!(nodes[3], 50_000);
    }
}
