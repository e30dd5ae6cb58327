//! Prints the answer of `tabiya twins`.

use std::time::Duration;

use clap::Args;
use tabiya_chess::position;
use tabiya_question::twins::{Answer, Twins};
use tabiya_terminal::style::{PLAIN, STRONG};

use super::explore::{print_moves, results};
use crate::ask::View;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Number of moves to show per twin
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
}

impl View for Twins {
    const HELP: &'static str = "Example:
  tabiya twins --moves \"1.e4 c5\" --db my-games

All twins of a position have the same χ² statistic (see tabiya record).";

    type Options = Options;

    fn print(&self, answer: &Answer, options: &Options, _: Duration) {
        if answer.twins.is_empty() {
            say!("no game in the collection has this position or a twin of it");
        }
        for it in &answer.twins {
            let fen = position::to_fen(&it.fen.0);
            say!("{STRONG}{}{PLAIN}  {fen}", it.symmetry.name());
            say!("{}", results(&it.explored));
            print_moves(&it.explored.moves, options.top);
        }
    }
}
