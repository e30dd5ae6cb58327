//! `tabiya export`: the games of a collection as PGN.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::PathBuf,
};

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tabiya_chess::pgn;
use tabiya_question::parameter::GameParameters;

use tabiya_terminal::{json, sample::Database};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya export --db my-games > all.pgn
  tabiya export --db my-games --player Karpov --date 1974-1985 -o karpov.pgn
  tabiya export --db my-games --source self > played-by-the-engine.pgn")]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,

    /// PGN file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Print a summary as JSON (needs --output)
    #[arg(long, requires = "output")]
    json: bool,

    #[command(flatten)]
    games: GameParameters,
}

#[derive(Serialize)]
struct Summary {
    games: u64,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let collection = options.database.open()?;
    let mut out: Box<dyn Write> = match &options.output {
        Some(path) => Box::new(BufWriter::new(
            File::create(path).with_context(|| path.display().to_string())?,
        )),
        None => Box::new(BufWriter::new(std::io::stdout().lock())),
    };
    let place = || match &options.output {
        Some(path) => path.display().to_string(),
        None => "standard output".to_owned(),
    };
    let mut games = 0;
    collection.for_each_game(&options.games.filter(), |_, game| {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = pgn::write(&game, &mut text);
        games += 1;
        out.write_all(text.as_bytes()).with_context(place)
    })?;
    out.flush().with_context(place)?;
    if options.json {
        json::print(&Summary { games })?;
    }
    Ok(())
}
