//! Prints the answer of `tabiya near`.

use std::time::Duration;

use tabiya_chess::position;
use tabiya_question::near::{Answer, Near};
use tabiya_terminal::{
    progress::grouped,
    style::{FAINT, PLAIN, STRONG},
};

use crate::ask::{NoOptions, View};

impl View for Near {
    const HELP: &'static str = "Example:
  tabiya near --moves \"1.e4 e5 2.Nf3 Nc6 3.Bb5 a6\" --chi2 0.5 --db my-games

The χ² statistic measures how unevenly attacks are spread over the board. Twins have the same
value, but so may positions with little else in common. Use tabiya search to find positions that
look alike.";

    type Options = NoOptions;

    fn print(&self, answer: &Answer, _: &NoOptions, _: Duration) {
        say!(
            "{STRONG}χ² {:.2}{PLAIN}, {} positions within {:.2}",
            answer.chi2,
            grouped(answer.positions),
            answer.distance
        );
        for it in &answer.hits {
            say!("{:>7.2}  {}", it.chi2, position::to_fen(&it.fen.0));
            let times = grouped(it.occurrences);
            say!(
                "         {FAINT}{times} ×, first in game {}, ply {}{PLAIN}",
                it.game,
                it.ply
            );
        }
    }
}
