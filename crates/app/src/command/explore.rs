//! `tabiya explore`: what was played in exactly this position.

use std::time::Instant;

use clap::Args;
use tabiya_answer::{explorer::Explorer, filter::GameArguments};
use tabiya_retrieval::explorer;

use tabiya_terminal::{json, position::PositionArguments, sample::Database, style};

use crate::view::explorer as view;

/// Tell what was played in exactly this position, by whom, and how it ended,
/// whatever the move order.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya explore --moves \"1.e4 e5 2.Nf3 Nc6 3.Bb5\" --db my-games
  tabiya explore \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\" --player Tal --date 1957-1960
  tabiya explore --moves 1.d4 --json

The JSON has the shape of the Lichess opening explorer's.")]
pub(crate) struct Options {
    #[command(flatten)]
    position: PositionArguments,

    #[command(flatten)]
    database: Database,

    #[command(flatten)]
    games: GameArguments,

    /// How many moves to show
    #[arg(long, value_name = "N", default_value_t = 12)]
    top: usize,

    /// How many of the best-rated and of the newest games to show, at most 8
    #[arg(long, value_name = "N", default_value_t = 4)]
    show_games: usize,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let position = options.position.required()?;
    let collection = options.database.open()?;
    let begin = Instant::now();
    let filter = options.games.filter();
    let mut explored = explorer::explore(&collection.shards(), &position, &filter)?;
    let took = begin.elapsed();
    if options.json {
        explored.best.truncate(options.show_games);
        explored.newest.truncate(options.show_games);
        return json::print(&Explorer::new(&explored, &position));
    }
    if explored.total.games() == 0 {
        say!(
            "no game of the collection has this position; \
             tabiya search finds what is most like it, tabiya twins its mirror images"
        );
    } else {
        view::print(&explored, options.top, options.show_games);
    }
    say!(
        "{}{:.2} ms{}",
        style::FAINT,
        took.as_secs_f64() * 1000.0,
        style::PLAIN
    );
    Ok(())
}
