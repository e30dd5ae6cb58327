//! The verbs that are not questions, one file each.

mod bench;
mod book;
mod completions;
mod export;
mod forget;
mod index;
mod man;
mod merge;
mod pull;
mod push;
mod serve;
mod transfer;
mod uci;
mod verify;

use clap::Subcommand;

use crate::ask::Ask;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Ask(Ask),
    /// Add games from PGN files to a collection, which is made if need be
    Index(index::Options),
    /// Write an opening book in the Polyglot format
    Book(book::Options),
    /// Check every byte of a collection
    Verify(verify::Options),
    /// Write the games of a collection, all or some, as PGN
    Export(export::Options),
    /// Remove games from a collection, such as the engine's own
    Forget(forget::Options),
    /// Turn many small segments of a collection into few full ones
    Merge(merge::Options),
    /// Put a collection on object storage
    Push(push::Options),
    /// Fetch a collection from object storage
    Pull(pull::Options),
    /// Show the page for setting up, searching and judging positions
    Serve(serve::Options),
    /// Play under a chess program: speak UCI
    Uci(uci::Options),
    /// Search fixed positions: the engine's signature and speed
    Bench(bench::Options),
    /// Print completions for a shell
    Completions(completions::Options),
    /// Print the manual page, or write one for each verb
    Man(man::Options),
}

impl Command {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match self {
            Command::Ask(ask) => ask.run(),
            Command::Index(options) => index::run(options),
            Command::Book(options) => book::run(options),
            Command::Verify(options) => verify::run(options),
            Command::Export(options) => export::run(options),
            Command::Forget(options) => forget::run(options),
            Command::Merge(options) => merge::run(options),
            Command::Push(options) => push::run(options),
            Command::Pull(options) => pull::run(options),
            Command::Serve(options) => serve::run(options),
            Command::Uci(options) => uci::run(options),
            Command::Bench(options) => bench::run(options),
            Command::Completions(options) => completions::run(options),
            Command::Man(options) => man::run(options),
        }
    }
}
