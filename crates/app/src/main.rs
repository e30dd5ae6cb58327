//! Tabiya: a memory for chess players. Show it a position, and from an
//! archive of real games it finds the positions most like it, says why they
//! are alike, what was played there and how it ended.
//!
//! This crate is a thin face: it reads arguments, calls the libraries and
//! shows what they say, one file a verb under `command/`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the program prints"
)]

mod answer;
mod command;
mod filter;
mod progress;
mod query;
mod sample;
mod view;

use std::process::ExitCode;

use clap::Parser;

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
        // Whoever read our output has had enough of it.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!(
                "{}error:{} {error:#}",
                view::style::ERROR,
                view::style::PLAIN
            );
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|it| it.kind() == std::io::ErrorKind::BrokenPipe)
}
