//! Tabiya: a memory for chess players. Show it a position, and from an
//! archive of real games it finds the positions most like it, says why they
//! are alike, what was played there and how it ended.
//!
//! This crate is a thin face: it reads arguments, calls the libraries and
//! shows what they say, one file a verb under `command/`.

// Not `print_stdout`: `println!` panics when nobody reads; `say!` ends well.
#![allow(clippy::print_stderr, reason = "the program prints")]

// First, so that all the others can `say!`.
#[macro_use]
mod view;

mod command;
mod progress;
mod query;
mod sample;
mod serve;

use std::{
    io::{self, Write},
    process::ExitCode,
};

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
        Err(error) => std::process::exit(failure(&error)),
    }
}

/// Tells what went wrong, and returns the exit code for it.
fn failure(error: &anyhow::Error) -> i32 {
    // Whoever read our output has had enough of it.
    if is_broken_pipe(error) {
        return 0;
    }
    // Without standard error, the exit code has to do.
    let _ = writeln!(
        anstream::stderr().lock(),
        "{}error:{} {error:#}",
        view::style::ERROR,
        view::style::PLAIN
    );
    1
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause.downcast_ref::<serde_json::Error>();
        io.or(json.and_then(serde_json::Error::io_error_kind)) == Some(io::ErrorKind::BrokenPipe)
    })
}
