//! Tabiya: a memory for chess players. Show it a position, and from an
//! archive of real games it finds the positions most like it, says why they
//! are alike, what was played there and how it ended.
//!
//! This crate is a thin face: it reads arguments, calls the libraries and
//! shows what they say, one file a verb under `command/`.

// Not `print_stdout`: `println!` panics when nobody reads; `say!` ends well.
#![allow(clippy::print_stderr, reason = "the program prints")]

#[macro_use(say)]
extern crate tabiya_terminal;

mod ask;
mod command;
mod serve;
mod view;

use std::process::ExitCode;

use clap::Parser;
use tabiya_terminal::exit::failure;

/// A memory for chess players: similar positions from an archive of real games.
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
    let arguments = Arguments::parse();
    match arguments.command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => std::process::exit(failure(&error)),
    }
}
