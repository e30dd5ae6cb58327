//! Best lines by a short search, for many positions at once.

use rayon::prelude::*;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, PositionError};

use crate::{
    Evaluation, Score,
    search::{Engine, Limits, Settings, Signal, Task, Technique, Techniques},
};

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

/// Nodes of a glance. They solve 82 of 100 puzzles.
pub const GLANCE: u64 = 300;

/// What a player sees at a glance: the best line, and what it is worth to the player to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance {
    /// The best line.
    pub line: Vec<Move>,
    /// What it is worth.
    pub score: Score,
}

/// A glance at each position. What is seen is a function of the board, whose clock does not
/// count, and of nothing else: the evaluation is always the same, and so little is remembered
/// that forgetting it before each search costs next to nothing. `None` for those that are left
/// when `goes_on` says no.
pub fn glances(positions: &[&Chess], goes_on: impl Fn() -> bool + Sync) -> Vec<Option<Glance>> {
    let settings = Settings {
        evaluation: Evaluation::Tuned,
        techniques: Techniques::ALL
            .without(Technique::Table)
            .without(Technique::History)
            .without(Technique::Correction),
        hash: 0,
        ..Settings::default()
    };
    let glance = |engine: &mut Engine, position: &Chess| {
        engine.clear();
        let task = Task::new(without_clock(position), Limits::nodes(GLANCE));
        let found = engine.search(&task, &Signal::new(false), &mut |_| {});
        Glance {
            line: found.line,
            score: found.score,
        }
    };
    let chunks = positions.par_chunks(CHUNK).flat_map_iter(|chunk| {
        let mut engine = Engine::new(settings.clone());
        let glances = chunk
            .iter()
            .map(|it| goes_on().then(|| glance(&mut engine, it)));
        glances.collect::<Vec<_>>()
    });
    chunks.collect()
}

/// The position as if the last move had been a capture.
fn without_clock(position: &Chess) -> Chess {
    let mut setup = position.to_setup(EnPassantMode::Legal);
    setup.halfmoves = 0;
    setup
        .position(CastlingMode::Standard)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .unwrap_or_else(|_| position.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::position;

    #[test]
    fn glances_are_functions_of_the_board() {
        let fens = [
            "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
            "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 99 80",
            "r1b2rk1/pp3ppp/2n1pn2/q1bp4/2P2B2/P1N1PN2/1PQ2PPP/3RKB1R w K - 1 11",
            "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1",
        ];
        let positions = fens.map(|it| position::parse(it).unwrap());
        let positions: Vec<&Chess> = positions.iter().cycle().take(70).collect();
        let together = glances(&positions, || true);
        assert_eq!(together[0], together[1]);
        assert!(together[0].as_ref().unwrap().score.is_mate());
        assert!(together[3].as_ref().unwrap().line.is_empty());
        for (position, glance) in positions.iter().zip(&together) {
            assert_eq!(&glances(&[*position], || true)[0], glance);
        }
        assert_eq!(glances(&positions[..2], || false), [None, None]);
    }

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
