//! `tabiya index`: add PGN files and bases to a collection.

use std::{path::PathBuf, sync::atomic::Ordering, time::Instant};

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use tabiya_chess::pgn::Input;
use tabiya_retrieval::collection::{self, Progress, Report};

use tabiya_terminal::json;

use super::import::{ImportParameters, print, rates};
use crate::follow::following;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya index games.pgn more.pgn.zst --db my-games
  zcat twic*.pgn.gz | tabiya index - --db twic
  tabiya index lichess.pgn.zst --db strong --elo 2200- --time-control 600- --limit 100000
  tabiya index base.si4 Mega.cbv --db my-games
  tabiya index my-games.pgn --db my-exercises --motifs

A game with an error is kept up to the error if an indexed position comes before it. The file
import.log in the collection lists all errors. Ctrl-C keeps the games indexed so far.

With --motifs, short searches find the positions in which a player could win something, so that the
games are exercises as well; games that the collection has already are not searched again.")]
pub(crate) struct Options {
    /// PGN files (plain, .zst, .gz, .bz2), bases (.si4, .si5, .cbh, .cbv), folders of them, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    pgn: Vec<PathBuf>,

    /// Directory of the collection
    #[arg(long, value_name = "DIR")]
    db: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    import: ImportParameters,
}

#[derive(Serialize)]
struct Summary<'a> {
    #[serde(flatten)]
    indexed: &'a Report,
    canceled: bool,
    seconds: f64,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut inputs = Vec::new();
    for path in &options.pgn {
        inputs.extend(Input::at(path).with_context(|| path.display().to_string())?);
    }
    for input in &inputs {
        if let Input::File(path) = input
            && collection::is_pipe(path)
        {
            anstream::eprintln!("waiting for a writer of {}, a named pipe", path.display());
        }
    }
    let total = inputs.iter().map(Input::size).sum::<Option<u64>>();
    let import = options.import.import(inputs);
    let begin = Instant::now();
    let look = move |seen: &Progress| (seen.consumed.load(Ordering::Relaxed), rates(seen, begin));
    let report = following(total, look, |progress| import.run(&options.db, progress))?;
    let seconds = begin.elapsed().as_secs_f64();
    if options.json {
        json::print(&Summary {
            indexed: &report,
            canceled: report.canceled,
            seconds,
        })?;
    } else {
        print(&report, seconds, &options.db);
    }
    if !report.failed_inputs.is_empty() {
        bail!(
            "{} of the files could not be read to the end; see the messages above",
            report.failed_inputs.len()
        );
    }
    if report.canceled {
        bail!(
            "stopped early; run the same command again to continue (games already indexed are skipped)"
        );
    }
    Ok(())
}
