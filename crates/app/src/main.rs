//! Tabiya: a memory for chess players. Show it a position, and it finds the most
//! similar positions in real games, explains the similarity, and shows what was
//! played there and how the games ended.
//!
//! This crate is a thin layer: it reads arguments, calls the libraries and prints
//! their answers. `view/` has one file per question, `command/` one per other verb.

// `print_stdout` stays denied: `println!` panics on a closed pipe, `say!` exits cleanly.
#![allow(clippy::print_stderr, reason = "the program prints")]

#[macro_use(say)]
extern crate tabiya_terminal;

mod ask;
mod command;
mod follow;
mod processor;
mod serve;
mod training;
mod view;

use std::process::ExitCode;

use clap::Parser;
use tabiya_terminal::{exit::failure, help};

/// A memory for chess players: find similar positions in real games.
#[derive(Debug, Parser)]
#[command(
    name = "tabiya",
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
    processor::settle();
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
