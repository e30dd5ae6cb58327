//! A session of solving in a terminal.

use std::io::{self, BufRead, IsTerminal};

use shakmaty::{Chess, Position};
use tabiya_chess::{line::read_move, position};
use tabiya_question::shape::san;
use tabiya_retrieval::training::{Attempt, Exercise, Grade, History};
use tabiya_terminal::{
    board,
    style::{FAINT, PLAIN, STRONG},
};

use super::Options;
use crate::training::{herring, is_as_good, now};

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
        let attempt = |(exercise, ply), grade| Attempt {
            learner: options.learner.clone(),
            exercise,
            ply,
            grade,
            time: now(),
        };
        history.add(attempt(exercise.key(), grade))?;
        let is_turn = options.herrings.is_some_and(|it| number.is_multiple_of(it));
        let quiet = is_turn.then(|| herring(chosen, number as usize));
        if let Some((before, position)) = quiet.flatten() {
            let End::Graded(grade) = ask_herring(position, &mut answer) else {
                break;
            };
            history.add(attempt(before.herring_key(), grade))?;
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
        for line in board::draw(position.board(), None, board::Figures::default()) {
            say!("{line}");
        }
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
        exercise.motifs.join(", ")
    );
    End::Graded(Grade::Good)
}

fn fail(exercise: &Exercise, why: &str) -> End {
    say!("{why}: {}", exercise.moves().join(" "));
    End::Graded(Grade::Again)
}

fn ask_herring(position: &Chess, answer: &mut impl FnMut() -> String) -> End {
    show(position);
    match answer().trim() {
        "" => End::Quit,
        "-" => {
            say!("right: there is nothing to find");
            End::Graded(Grade::Good)
        }
        _ => {
            say!("there was nothing to find here; type - for such positions");
            End::Graded(Grade::Again)
        }
    }
}
