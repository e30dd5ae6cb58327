//! `tabiya forget`: games leave a collection.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use tabiya_question::parameter::GameParameters;
use tabiya_retrieval::collection;

use tabiya_terminal::{exit::usage, json, progress::grouped, style};

/// Remove the games that a filter admits from a collection. The games after
/// them get lower numbers.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya forget --db my-games --source self

Look before: tabiya export takes the same filters.")]
pub(crate) struct Options {
    /// The collection's directory
    #[arg(long, value_name = "DIR")]
    db: PathBuf,

    #[command(flatten)]
    games: GameParameters,

    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Forgotten {
    games: u64,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if options.games.is_empty() {
        usage("say which games, such as --source self; to remove all, delete the directory");
    }
    let games = collection::forget(&options.db, &options.games.filter())?;
    if options.json {
        return json::print(&Forgotten { games });
    }
    say!(
        "{}{} games{} removed from {}",
        style::STRONG,
        grouped(games),
        style::PLAIN,
        options.db.display()
    );
    Ok(())
}
