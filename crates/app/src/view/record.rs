//! Prints the answer of `tabiya record`.

use std::time::Duration;

use clap::Args;
use tabiya_question::record::{Answer, Record};
use tabiya_terminal::{
    board::{self, Figures},
    style::{FAINT, PLAIN},
};

use crate::ask::View;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Style of the pieces
    #[arg(long, value_enum, default_value_t)]
    figures: Figures,
}

impl View for Record {
    const HELP: &'static str = "Examples:
  tabiya record \"8/8/4k3/8/8/4K3/8/8 w - - 0 1\"
  tabiya record --decode 000000000800000800002e

A record has 11 to 26 bytes: the key (χ² statistic and occupied squares) and the pieces.";

    type Options = Options;

    fn print(&self, answer: &Answer, options: &Options, _: Duration) {
        if self.decode.is_some() {
            return print_board(answer, options.figures);
        }
        say!("χ²     {:.2}", answer.chi2);
        say!("key    {}", answer.key);
        say!("value  {}", answer.value);
        say!("bytes  {}", answer.bytes);
    }
}

fn print_board(answer: &Answer, figures: Figures) {
    for line in board::draw(&answer.pieces, None, figures) {
        say!("{line}");
    }
    let (stored, ours) = (answer.chi2, answer.board_chi2);
    let note = match stored {
        _ if stored == ours => String::new(),
        0.0 => format!(" (0 means unknown; the board has {ours:.2})"),
        _ => format!(" in the record; the board has {ours:.2}"),
    };
    say!("χ² {stored:.2}{FAINT}{note}{PLAIN}");
    say!("{}", answer.board);
}
