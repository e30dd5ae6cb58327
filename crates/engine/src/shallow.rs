//! Best lines by a short search, for many positions at once.

use rayon::prelude::*;
use shakmaty::{Chess, Move};

use crate::search::{Engine, Limits, Settings, Signal, Task};

/// Enough to solve 94 of 100 puzzles of the training half.
pub const NODES: u64 = 3000;

/// A table for so few nodes need not be large, and is quickly cleared.
const HASH: usize = 1;

/// How many positions one engine takes at a time.
const CHUNK: usize = 25;

/// The best line of each position by a search of `nodes` nodes. Every search begins
/// with an empty table, so that the lines do not depend on which thread takes which position.
/// `goes_on` is asked before each; once it says no, the lines that are left are empty.
pub fn lines(positions: &[Chess], nodes: u64, goes_on: impl Fn() -> bool + Sync) -> Vec<Vec<Move>> {
    let search = |engine: &mut Engine, position: &Chess| {
        if !goes_on() {
            return Vec::new();
        }
        engine.clear();
        let task = Task::new(position.clone(), Limits::nodes(nodes));
        engine.search(&task, &Signal::new(false), &mut |_| {}).line
    };
    let chunks = positions.par_chunks(CHUNK).flat_map_iter(|chunk| {
        let mut engine = Engine::new(Settings {
            hash: HASH,
            ..Settings::default()
        });
        let lines = chunk.iter().map(|it| search(&mut engine, it));
        lines.collect::<Vec<_>>()
    });
    chunks.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::position;

    #[test]
    fn lines_do_not_depend_on_their_neighbors() {
        let fens = [
            "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
            "r1b2rk1/pp3ppp/2n1pn2/q1bp4/2P2B2/P1N1PN2/1PQ2PPP/3RKB1R w K - 1 11",
        ];
        let positions: Vec<Chess> = fens.iter().map(|it| position::parse(it).unwrap()).collect();
        let together = lines(&positions, 500, || true);
        assert_eq!(together[0][0].to_string(), "Rd1-d8");
        for (position, line) in positions.iter().zip(&together) {
            let alone = lines(std::slice::from_ref(position), 500, || true);
            assert_eq!(alone, std::slice::from_ref(line));
        }
        assert_eq!(lines(&positions, 500, || false), [[], []]);
    }
}
