//! Tabiya's experiments: what was published beside what we measure.
//!
//! `command/` has a file a verb: its options, the tables it prints, the files it writes. The
//! experiments themselves are the modules beside it. Neither search nor play needs them.

// Not `print_stdout`: `println!` panics when the reader is gone; `say!` exits cleanly.
#![allow(clippy::print_stderr, reason = "the program prints")]

#[macro_use(say)]
extern crate tabiya_terminal;

mod abr;
mod bare;
mod bootstrap;
mod candidate;
mod command;
mod contest;
mod draw;
mod epd;
mod evaluation;
mod games;
mod known_item;
mod label;
mod master;
mod measure;
mod motif;
mod next_move;
mod pairs;
mod partial_depth;
mod plot;
mod position_index;
mod puzzle;
mod quality;
mod rating;
mod roc;
mod run_file;
mod run_variant;
mod sampling;
mod split;
mod suite;
mod sweep;
mod traps;
mod tune;

use std::process::ExitCode;

use clap::Parser;
use tabiya_terminal::{exit::failure, help};

/// Run the research experiments.
#[derive(Debug, Parser)]
#[command(
    name = "tabiya-lab",
    version,
    about,
    propagate_version = true,
    arg_required_else_help = true
)]
struct Arguments {
    #[command(subcommand)]
    command: command::Command,
}

fn main() -> ExitCode {
    let arguments: Arguments = help::parse();
    match arguments.command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => std::process::exit(failure(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_in_help_are_valid() {
        assert_eq!(help::broken_examples::<Arguments>(), Vec::<String>::new());
    }
}
