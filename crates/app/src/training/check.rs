//! What the engine says about a learner's move.

use shakmaty::{Chess, Move, Position};
use tabiya_engine::{
    Score,
    analysis::chance,
    search::{Candidates, Engine, Limits, Settings, Signal, Task},
};
use tabiya_retrieval::motif::ideas;

/// How long a move that is not the solution is checked, in nodes.
const NODES: u64 = 50_000;

/// What an alternative may cost, in winning chances.
const TOLERANCE: f64 = 0.05;

/// Whether a move is as good as the solution, by search. If the solution mates, so must the move.
pub(crate) fn is_as_good(position: &Chess, mv: Move, wanted: Move) -> bool {
    let score = |mv: Move| -> Score {
        let mut after = position.clone();
        after.play_unchecked(mv);
        if after.is_checkmate() {
            return Score::mates_in(1);
        }
        let task = Task {
            candidates: Candidates::Only(vec![mv]),
            ..Task::new(position.clone(), Limits::nodes(NODES))
        };
        let mut engine = Engine::new(Settings::default());
        engine.search(&task, &Signal::new(false), &mut |_| {}).score
    };
    let (given, best) = (score(mv), score(wanted));
    let mates = |it: Score| it.mate_distance().is_some_and(|it| it > 0);
    chance(best) - chance(given) <= TOLERANCE && (mates(given) || !mates(best))
}

/// Whether there is nothing to find in a position: it is about equal, the best line has no named
/// idea, and its first move neither takes a piece nor gives check.
pub(crate) fn is_quiet(position: &Chess) -> bool {
    let task = Task::new(position.clone(), Limits::nodes(NODES));
    let mut engine = Engine::new(Settings::default());
    let found = engine.search(&task, &Signal::new(false), &mut |_| {});
    let Some(&first) = found.line.first() else {
        return false;
    };
    let mut after = position.clone();
    after.play_unchecked(first);
    chance(found.score).abs() < 0.2
        && ideas(position, &found.line).is_empty()
        && !first.is_capture()
        && !after.is_check()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::{line::read_move, position};

    fn good(fen: &str, mv: &str, wanted: &str) -> bool {
        let position = position::parse(fen).unwrap();
        let read = |text| read_move(&position, text).unwrap();
        is_as_good(&position, read(mv), read(wanted))
    }

    #[test]
    fn alternatives_are_judged_by_search() {
        // Both rooks mate on the back rank.
        let fen = "6k1/5ppp/8/8/8/8/5PPP/R2R2K1 w - - 0 1";
        assert!(good(fen, "Ra8", "Rd8"));
        assert!(!good(fen, "h3", "Rd8"));
        // Winning the queen is not enough where the solution mates.
        let fen = "3q2k1/5ppp/8/8/8/8/5PPP/RQ1R2K1 w - - 0 1";
        assert!(good(fen, "Rxd8", "Rxd8"));
        assert!(!good(fen, "h3", "Rxd8"));
    }

    #[test]
    fn a_red_herring_has_nothing_to_find() {
        let quiet = |fen: &str| is_quiet(&position::parse(fen).unwrap());
        assert!(quiet(
            "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
        ));
        // A mate, and a queen to take.
        assert!(!quiet("6k1/5ppp/8/8/8/8/5PPP/R2R2K1 w - - 0 1"));
        assert!(!quiet(
            "rnb1kbnr/pppp1ppp/8/4p1q1/4P3/3P1N2/PPP2PPP/RNBQKB1R w KQkq - 0 3"
        ));
    }
}
