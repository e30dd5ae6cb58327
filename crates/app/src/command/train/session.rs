//! A session of solving in a terminal.

use std::io::{self, BufRead, IsTerminal};

use shakmaty::{Chess, Move, Position};
use tabiya_chess::{line::read_move, position};
use tabiya_engine::{
    Score,
    analysis::chance,
    search::{Candidates, Engine, Limits, Settings, Signal, Task},
};
use tabiya_question::shape::san;
use tabiya_retrieval::{
    motif::ideas,
    training::{Attempt, Grade, History},
};
use tabiya_terminal::style::{FAINT, PLAIN, STRONG};

use super::{Exercise, Options, now};

/// How long a move that is not the solution is checked, in nodes.
const NODES: u64 = 50_000;

/// What an alternative may cost, in winning chances.
const TOLERANCE: f64 = 0.05;

/// What became of an exercise.
enum End {
    Graded(Grade),
    /// The learner has had enough.
    Quit,
}

pub(super) fn run(
    chosen: &[Exercise],
    options: &Options,
    history: &mut History,
) -> anyhow::Result<()> {
    if chosen.is_empty() {
        say!("nothing is due, and there are no new exercises; come back tomorrow");
        return Ok(());
    }
    let mut lines = io::stdin().lock().lines();
    let mut answer = || lines.next().and_then(Result::ok).unwrap_or_default();
    let (mut solved, mut tried) = (0, 0);
    for (number, exercise) in (1u64..).zip(chosen) {
        let End::Graded(grade) = solve(exercise, &mut answer) else {
            break;
        };
        tried += 1;
        solved += usize::from(grade != Grade::Again);
        let (digest, ply) = exercise.key();
        history.add(Attempt {
            learner: options.learner.clone(),
            exercise: digest,
            ply,
            grade,
            time: now(),
        })?;
        let is_turn = options.herrings.is_some_and(|it| number.is_multiple_of(it));
        if let Some(quiet) = is_turn.then(|| herring(chosen)).flatten() {
            ask_herring(&quiet, &mut answer);
        }
    }
    say!("{solved} of {tried} solved");
    Ok(())
}

fn show(position: &Chess) {
    let side = position.turn().fold_wb("White", "Black");
    say!(
        "\n{STRONG}{side} to move{PLAIN}  {}",
        position::to_fen(position)
    );
    if io::stdin().is_terminal() {
        say!("{FAINT}your move (? for the solution, empty line to stop):{PLAIN}");
    }
}

fn solve(exercise: &Exercise, answer: &mut impl FnMut() -> String) -> End {
    let mut here = exercise.position.clone();
    let mut moves = exercise.solution.iter().copied();
    while let Some(wanted) = moves.next() {
        show(&here);
        let text = answer();
        match text.trim() {
            "" => return End::Quit,
            "?" => return fail(exercise, "the solution"),
            text => match read_move(&here, text) {
                Ok(mv) if mv == wanted => {}
                Ok(mv) if is_as_good(&here, mv, wanted) => {
                    say!("{} is as good as {}", san(&here, mv), san(&here, wanted));
                    return End::Graded(Grade::Good);
                }
                Ok(mv) => return fail(exercise, &format!("{} is not it", san(&here, mv))),
                Err(error) => return fail(exercise, &format!("\"{text}\": {error}")),
            },
        }
        here.play_unchecked(wanted);
        if let Some(reply) = moves.next() {
            say!("right; the reply is {}", san(&here, reply));
            here.play_unchecked(reply);
        }
    }
    say!(
        "{STRONG}solved{PLAIN} {FAINT}({}){PLAIN}",
        exercise.themes.join(" ")
    );
    End::Graded(Grade::Good)
}

fn fail(exercise: &Exercise, why: &str) -> End {
    say!("{why}: {}", exercise.moves().join(" "));
    End::Graded(Grade::Again)
}

/// Whether a move is as good as the solution, by search. If the solution mates, so must the move.
fn is_as_good(position: &Chess, mv: Move, wanted: Move) -> bool {
    let score = |mv: Move| -> Score {
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

/// A position in which nothing is to be found: about equal, without an idea in the best line.
fn herring(chosen: &[Exercise]) -> Option<Chess> {
    let is_quiet = |position: &Chess| {
        let task = Task::new(position.clone(), Limits::nodes(NODES));
        let mut engine = Engine::new(Settings::default());
        let found = engine.search(&task, &Signal::new(false), &mut |_| {});
        chance(found.score).abs() < 0.2 && ideas(position, &found.line).is_empty()
    };
    let offset = now() as usize % chosen.len();
    let (front, back) = chosen.split_at(offset);
    let positions = back.iter().chain(front).filter_map(|it| it.before.clone());
    positions.take(20).find(is_quiet)
}

fn ask_herring(position: &Chess, answer: &mut impl FnMut() -> String) {
    show(position);
    match answer().trim() {
        "-" => say!("right: there is nothing to find"),
        _ => say!("there was nothing to find here; type - for such positions"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let fen = "q5k1/5ppp/8/8/8/8/5PPP/R2R2K1 w - - 0 1";
        assert!(!good(fen, "h3", "Rxa8"));
    }
}
