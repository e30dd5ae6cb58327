//! `tabiya pull`: download a collection from object storage.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use clap::Args;
use serde::Serialize;
use tabiya_depot::{Depot, DepotError, Manifest};

use tabiya_terminal::{
    json,
    progress::grouped,
    style::{PLAIN, STRONG},
};

use super::transfer::following;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya pull s3://bucket/my-games my-games
  tabiya pull s3://bucket/my-games as-it-was --generation 3
  tabiya pull s3://bucket/my-games --list

Set credentials and region in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION; for a
server other than Amazon's, also set AWS_ENDPOINT_URL. Addresses with s3:// need a program built
with --features s3.

The directory must be new or empty, or hold an earlier pull; then only missing shards are
fetched. It becomes a collection when all shards have arrived and passed their checks. Run an
interrupted pull again to continue.")]
pub(crate) struct Options {
    /// Depot to download from: s3://bucket/prefix or file:///folder
    #[arg(value_name = "URL")]
    depot: String,

    /// Directory of the collection
    #[arg(value_name = "DIR", required_unless_present = "list")]
    folder: Option<PathBuf>,

    /// Number of the generation to fetch [default: the current one]
    #[arg(long, value_name = "N")]
    generation: Option<u64>,

    /// List the generations instead of fetching one
    #[arg(long, conflicts_with_all = ["folder", "generation"])]
    list: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A generation of a depot.
#[derive(Serialize)]
pub(super) struct Generation {
    pub(super) generation: u64,
    pub(super) games: u64,
    positions: u64,
    pub(super) shards: usize,
    pub(super) bytes: u64,
}

impl Generation {
    pub(super) fn new(generation: u64, manifest: &Manifest) -> Generation {
        Generation {
            generation,
            games: manifest.games(),
            positions: manifest.positions(),
            shards: manifest.shards.len(),
            bytes: manifest.bytes(),
        }
    }
}

#[derive(Serialize)]
struct Summary<'a> {
    depot: &'a str,
    #[serde(flatten)]
    generation: Generation,
    fetched_bytes: u64,
    seconds: f64,
}

/// A generation in a list, which shows unreadable ones too.
#[derive(Serialize)]
#[serde(untagged)]
enum Row {
    Sound(Generation),
    Unreadable { generation: u64, error: String },
}

impl Row {
    fn new(depot: &Depot, number: u64) -> Result<Row, DepotError> {
        match depot.manifest(Some(number)) {
            Ok((_, manifest)) => Ok(Row::Sound(Generation::new(number, &manifest))),
            Err(error @ (DepotError::Damaged { .. } | DepotError::OtherVersion { .. })) => {
                Ok(Row::Unreadable {
                    generation: number,
                    error: error.to_string(),
                })
            }
            Err(error) => Err(error),
        }
    }
}

#[derive(Serialize)]
struct List<'a> {
    depot: &'a str,
    generations: Vec<Row>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let depot = Depot::open(&options.depot)?;
    match &options.folder {
        Some(folder) => pull(&depot, folder, options),
        None => list(&depot, options.json),
    }
}

fn pull(depot: &Depot, folder: &Path, options: &Options) -> anyhow::Result<()> {
    let begin = Instant::now();
    // A push may come in between; fetch the generation that the bar shows.
    let (number, manifest) = depot.manifest(options.generation)?;
    let fetched_bytes = following(manifest.bytes(), |transfer| {
        let pulled = depot.pull(Some(number), folder, transfer);
        pulled.map(|_| transfer.moved())
    })?;
    let summary = Summary {
        depot: depot.address(),
        generation: Generation::new(number, &manifest),
        fetched_bytes,
        seconds: begin.elapsed().as_secs_f64(),
    };
    if options.json {
        return json::print(&summary);
    }
    say!(
        "{STRONG}{} games{PLAIN} with {} positions: {} now holds generation {number} of {}",
        grouped(summary.generation.games),
        grouped(summary.generation.positions),
        folder.display(),
        summary.depot
    );
    say!(
        "fetched {} of {} bytes in {:.1} s",
        grouped(fetched_bytes),
        grouped(summary.generation.bytes),
        summary.seconds
    );
    Ok(())
}

fn list(depot: &Depot, as_json: bool) -> anyhow::Result<()> {
    let numbers = depot.generations()?;
    let rows = numbers.iter().map(|&it| Row::new(depot, it));
    let generations = rows.collect::<Result<Vec<_>, _>>()?;
    if as_json {
        return json::print(&List {
            depot: depot.address(),
            generations,
        });
    }
    let Some(&current) = numbers.last() else {
        say!("{} does not hold a collection yet", depot.address());
        return Ok(());
    };
    say!("generation         games       positions           bytes");
    for row in generations {
        match row {
            Row::Sound(it) => say!(
                "{:>10} {:>13} {:>15} {:>15}{}",
                it.generation,
                grouped(it.games),
                grouped(it.positions),
                grouped(it.bytes),
                if it.generation == current {
                    "  current"
                } else {
                    ""
                },
            ),
            Row::Unreadable { generation, error } => say!("{generation:>10} {error}"),
        }
    }
    Ok(())
}
