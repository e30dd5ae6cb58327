//! The verbs that are not questions, one file per verb.

mod bench;
mod book;
mod export;
mod forget;
mod get;
mod import;
mod index;
mod merge;
mod pull;
mod push;
mod serve;
mod train;
mod transfer;
mod uci;
mod verify;
mod whole;

use clap::{CommandFactory, Subcommand};
use tabiya_terminal::{completions, man};

use crate::{Arguments, ask::Ask};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Ask(Ask),
    /// Add games from PGN files and bases to a collection, creating it if necessary
    Index(index::Options),
    /// Fetch a public collection by name and index it, or list the collections
    Get(get::Options),
    /// Write a Polyglot opening book from the games of a collection
    Book(book::Options),
    /// Check a collection for damage
    Verify(verify::Options),
    /// Export games from a collection as PGN or as a Scid base
    Export(export::Options),
    /// Remove games from a collection
    Forget(forget::Options),
    /// Merge small segments of a collection into larger ones
    Merge(merge::Options),
    /// Upload a collection to object storage
    Push(push::Options),
    /// Download a collection from object storage
    Pull(pull::Options),
    /// Start the web page and the HTTP API
    Serve(serve::Options),
    /// Solve exercises, with spaced repetition
    Train(train::Options),
    /// Run as a UCI engine under a chess GUI
    Uci(uci::Options),
    /// Measure the engine's speed and node signature on fixed positions
    Bench(bench::Options),
    /// Print a completion script for a shell
    #[command(after_help = "Example:
  tabiya completions bash > ~/.local/share/bash-completion/completions/tabiya")]
    Completions(completions::Options),
    /// Print the manual page, or write one page per verb
    #[command(after_help = "Examples:
  tabiya man | man -l -
  tabiya man --output ~/.local/share/man/man1")]
    Man(man::Options),
}

impl Command {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match self {
            Command::Ask(ask) => ask.run(),
            Command::Index(options) => index::run(options),
            Command::Get(options) => get::run(options),
            Command::Book(options) => book::run(options),
            Command::Verify(options) => verify::run(options),
            Command::Export(options) => export::run(options),
            Command::Forget(options) => forget::run(options),
            Command::Merge(options) => merge::run(options),
            Command::Push(options) => push::run(options),
            Command::Pull(options) => pull::run(options),
            Command::Serve(options) => serve::run(options),
            Command::Train(options) => train::run(options),
            Command::Uci(options) => uci::run(options),
            Command::Bench(options) => bench::run(options),
            Command::Completions(options) => completions::run(options, Arguments::command()),
            Command::Man(options) => man::run(options, Arguments::command()),
        }
    }
}
