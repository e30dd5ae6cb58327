//! `tabiya book`: an opening book for engines.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tabiya_retrieval::explorer;

use tabiya_terminal::{json, progress::grouped, sample::Database};

use super::whole::WholeFile;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya book --db my-games --min-games 10 -o book.bin

A move's weight is twice its wins plus its draws. The book omits moves that never scored.")]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,

    /// Book file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Least number of games in which a move was played
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    min_games: u32,

    /// Number of plies from the start of a game that the book covers
    #[arg(long, value_name = "N", default_value_t = 40)]
    max_plies: u16,

    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Summary {
    positions: usize,
    moves: usize,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let collection = options.database.open()?;
    let book = explorer::make_book(&collection.shards(), options.min_games, options.max_plies)?;
    let name = || options.output.display().to_string();
    let mut out = WholeFile::create(&options.output).with_context(name)?;
    book.write(&mut out)
        .and_then(|()| out.finish())
        .with_context(name)?;
    let summary = Summary {
        positions: book.entries().chunk_by(|a, b| a.key == b.key).count(),
        moves: book.entries().len(),
    };
    if options.json {
        return json::print(&summary);
    }
    say!(
        "wrote {} moves in {} positions to {}",
        grouped(summary.moves as u64),
        grouped(summary.positions as u64),
        name()
    );
    Ok(())
}
