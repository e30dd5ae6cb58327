//! `tabiya forget`: remove games from a collection.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use tabiya_question::parameter::GameParameters;
use tabiya_retrieval::collection;

use tabiya_terminal::{
    exit::usage,
    json,
    progress::grouped,
    style::{PLAIN, STRONG},
};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya forget --db my-games --source self

Preview the games first: tabiya export takes the same filters. Later games move up to fill the
numbers of the removed ones.")]
pub(crate) struct Options {
    /// Directory of the collection
    #[arg(long, value_name = "DIR")]
    db: PathBuf,

    /// Print a summary as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    games: GameParameters,
}

#[derive(Serialize)]
struct Summary {
    games: u64,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if options.games.is_empty() {
        usage(
            "no filter is given; choose games with a filter such as --source self, or delete the directory to remove all",
        );
    }
    let games = collection::forget(&options.db, &options.games.filter())?;
    if options.json {
        return json::print(&Summary { games });
    }
    say!(
        "{STRONG}{} games{PLAIN} removed from {}",
        grouped(games),
        options.db.display()
    );
    Ok(())
}
