//! Prints the answer of `tabiya exercises`.

use std::time::Duration;

use tabiya_chess::position;
use tabiya_question::exercises::{Answer, Exercise, Exercises};
use tabiya_terminal::style::{FAINT, PLAIN, STRONG};

use crate::ask::{NoOptions, View};

impl View for Exercises {
    const HELP: &'static str = "Examples:
  tabiya exercises \"r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4\" --db puzzles
  tabiya exercises --pgn game.pgn --at 41 --rating 1500-1800 --db puzzles

Make a collection of exercises from the puzzles of Lichess:
  tabiya get lichess-puzzles --db puzzles
  tabiya index lichess_db_puzzle.csv.zst --db puzzles";

    type Options = NoOptions;

    fn print(&self, answer: &Answer, _: &NoOptions, _: Duration) {
        let ideas = match answer.ideas.is_empty() {
            true => String::new(),
            false => format!(" ({})", answer.ideas.join(", ")),
        };
        say!("line: {STRONG}{}{PLAIN}{ideas}", answer.line.join(" "));
        if answer.exercises.is_empty() {
            say!("the collection holds no such exercises; see tabiya exercises --help");
        }
        for (rank, it) in (1..).zip(&answer.exercises) {
            print_exercise(rank, it);
        }
    }
}

fn print_exercise(rank: usize, it: &Exercise) {
    let name = it
        .name
        .clone()
        .unwrap_or_else(|| format!("game {}", it.game.id));
    let rating = it
        .rating
        .map_or(String::new(), |it| format!(", rated {it}"));
    say!(
        "{rank:>3}. {STRONG}{name}{PLAIN}{rating}, motif {:.0} % alike",
        100.0 * it.similarity
    );
    say!("     {}", position::to_fen(&it.fen.0));
    say!(
        "     {FAINT}{}: {}{PLAIN}",
        it.themes.join(" "),
        it.solution.join(" ")
    );
}
