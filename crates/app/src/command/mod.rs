//! The verbs of the command line, one file each.

mod bench;
mod book;
mod cases;
mod compare;
mod completions;
mod encode;
mod explain;
mod explore;
mod export;
mod forget;
mod index;
mod man;
mod merge;
mod near;
mod play;
mod pull;
mod push;
mod record;
mod search;
mod serve;
mod stats;
mod transfer;
mod traps;
mod twins;
mod uci;
mod verify;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add games from PGN files to a collection, which is made if need be
    Index(index::Options),
    /// Find the positions most like a given one
    Search(search::Options),
    /// Say why two positions are alike, and in what they differ
    Explain(explain::Options),
    /// Tell how strong players reacted to a move in positions like this one
    Cases(cases::Options),
    /// Tell what was played in exactly this position
    Explore(explore::Options),
    /// Find a position mirrored or with colors exchanged
    Twins(twins::Options),
    /// List positions whose statistic lies near a given one's
    Near(near::Options),
    /// Show the compact record of a position, or the board of a record
    Record(record::Options),
    /// Write an opening book in the Polyglot format
    Book(book::Options),
    /// Compare what can be played in two positions
    Compare(compare::Options),
    /// Find traps near a position, or mine a collection for them
    Traps(traps::Options),
    /// Print the terms of a position in the paper's notation
    Encode(encode::Options),
    /// Tell what a collection holds
    Stats(stats::Options),
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
    /// Choose a move by search and memory, or play a game
    Play(play::Options),
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
            Command::Index(options) => index::run(options),
            Command::Search(options) => search::run(options),
            Command::Explain(options) => explain::run(options),
            Command::Cases(options) => cases::run(options),
            Command::Explore(options) => explore::run(options),
            Command::Twins(options) => twins::run(options),
            Command::Near(options) => near::run(options),
            Command::Record(options) => record::run(options),
            Command::Book(options) => book::run(options),
            Command::Compare(options) => compare::run(options),
            Command::Traps(options) => traps::run(options),
            Command::Encode(options) => encode::run(options),
            Command::Stats(options) => stats::run(options),
            Command::Verify(options) => verify::run(options),
            Command::Export(options) => export::run(options),
            Command::Forget(options) => forget::run(options),
            Command::Merge(options) => merge::run(options),
            Command::Push(options) => push::run(options),
            Command::Pull(options) => pull::run(options),
            Command::Serve(options) => serve::run(options),
            Command::Play(options) => play::run(options),
            Command::Uci(options) => uci::run(options),
            Command::Bench(options) => bench::run(options),
            Command::Completions(options) => completions::run(options),
            Command::Man(options) => man::run(options),
        }
    }
}
