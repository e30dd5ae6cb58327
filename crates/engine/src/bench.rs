//! A fixed piece of work: its node count is the engine's signature.
//!
//! With one thread the same build visits the same nodes on every run and every
//! machine. A change that is meant to change nothing leaves the signature alone.

use std::time::{Duration, Instant};

use tabiya_chess::position;

use crate::search::{Engine, Limits, Settings, Signal, Task};

/// Openings, middlegames and endings: quiet, sharp and blocked ones.
pub const POSITIONS: [&str; 16] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "rn1k1r2/pp2R3/2pP1pqp/6p1/2BQ4/2P1B3/PP4P1/6K1 w - - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
    "r1bqk2r/pp1nbppp/2p1pn2/3p4/2PP4/2N1PN2/PPQ1BPPP/R1B1K2R w KQkq - 2 8",
    "r1b2rk1/2q1bppp/p2ppn2/1p4B1/3QP3/1BN2P2/PPP3PP/2KR3R b - - 1 13",
    "2r3k1/pp3ppp/4p3/3pP3/1q1P4/1P3Q2/P4PPP/2R3K1 w - - 0 24",
    "8/5pk1/4p1p1/3pP2p/3P1P1P/1p2K1P1/1P6/8 w - - 0 40",
    "8/8/1p1k4/p1p2p2/P1P2P2/1P1K4/8/8 w - - 0 50",
    "8/1r3pk1/6p1/R6p/5P1P/6PK/8/8 b - - 0 45",
    "6k1/5p2/6p1/8/7p/8/6PP/6K1 b - - 0 1",
    "4k3/8/8/8/8/8/1Q6/4K3 w - - 0 1",
];

/// What came of the work.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Nodes visited: the signature.
    pub nodes: u64,
    /// Time taken.
    pub elapsed: Duration,
}

impl Outcome {
    /// Nodes visited a second.
    pub fn speed(&self) -> f64 {
        self.nodes as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Searches every position to `plies` full plies with a fresh engine.
pub fn run(settings: &Settings, plies: i32) -> Outcome {
    let started = Instant::now();
    let mut engine = Engine::new(settings.clone());
    let mut nodes = 0;
    for fen in POSITIONS {
        // The list above is sound: the tests read it.
        let Ok(start) = position::parse(fen) else {
            continue;
        };
        engine.clear();
        let task = Task::new(start, Limits::depth(plies));
        nodes += engine.search(&task, &Signal::new(false), &mut |_| {}).nodes;
    }
    Outcome {
        nodes,
        elapsed: started.elapsed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The signature of this engine at five plies. A commit that changes it says so: `Bench: N`.
    const SIGNATURE: u64 = 17_994;

    #[test]
    fn the_signature_is_the_same_on_every_run() {
        assert!(POSITIONS.iter().all(|fen| position::parse(fen).is_ok()));
        let settings = Settings::default();
        assert_eq!(run(&settings, 5).nodes, SIGNATURE);
        assert_eq!(run(&settings, 5).nodes, SIGNATURE);
    }
}
