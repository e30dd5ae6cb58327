//! `tabiya pull`: a collection from object storage.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use clap::Args;
use serde::Serialize;
use tabiya_depot::{Depot, DepotError, Manifest};

use tabiya_terminal::{json, progress::grouped, style};

use super::transfer::following;

/// Fetch a collection that somebody pushed to object storage.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya pull s3://bucket/my-games my-games
  tabiya pull s3://bucket/my-games as-it-was --generation 3
  tabiya pull s3://bucket/my-games --list

Who you are and where the store is stands in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
AWS_REGION and, unless it is Amazon's, AWS_ENDPOINT_URL.

The directory must be new or empty, or hold an earlier pull, of which only what is missing
is fetched. It is a collection when all has arrived and was checked, and not before;
interrupt a pull at will and repeat it to go on.")]
pub(crate) struct Options {
    /// Where it lies: s3://bucket/prefix or file:///folder
    #[arg(value_name = "URL")]
    depot: String,

    /// The collection's directory
    #[arg(value_name = "DIR", required_unless_present = "list")]
    folder: Option<PathBuf>,

    /// Fetch this generation [default: the current one]
    #[arg(long, value_name = "N")]
    generation: Option<u64>,

    /// List the generations and fetch nothing
    #[arg(long, conflicts_with_all = ["folder", "generation"])]
    list: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Generation {
    generation: u64,
    games: u64,
    positions: u64,
    shards: usize,
    bytes: u64,
}

impl Generation {
    fn new(generation: u64, manifest: &Manifest) -> Generation {
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
struct Fetched<'a> {
    depot: &'a str,
    #[serde(flatten)]
    generation: Generation,
    fetched_bytes: u64,
    seconds: f64,
}

/// A generation in a list: one that cannot be read does not hide the others.
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
struct Listed<'a> {
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
    // Others may push meanwhile: what is fetched is what the bar was told.
    let (number, manifest) = depot.manifest(options.generation)?;
    let fetched_bytes = following(manifest.bytes(), |transfer| {
        let pulled = depot.pull(Some(number), folder, transfer);
        pulled.map(|_| transfer.moved())
    })?;
    let fetched = Fetched {
        depot: depot.address(),
        generation: Generation::new(number, &manifest),
        fetched_bytes,
        seconds: begin.elapsed().as_secs_f64(),
    };
    if options.json {
        return json::print(&fetched);
    }
    say!(
        "{}{} games{} with {} positions: {} is generation {number} of {}",
        style::STRONG,
        grouped(fetched.generation.games),
        style::PLAIN,
        grouped(fetched.generation.positions),
        folder.display(),
        fetched.depot,
    );
    say!(
        "{} of {} bytes fetched in {:.1} s",
        grouped(fetched_bytes),
        grouped(fetched.generation.bytes),
        fetched.seconds
    );
    Ok(())
}

fn list(depot: &Depot, as_json: bool) -> anyhow::Result<()> {
    let numbers = depot.generations()?;
    let rows = numbers.iter().map(|&it| Row::new(depot, it));
    let generations = rows.collect::<Result<Vec<_>, _>>()?;
    if as_json {
        return json::print(&Listed {
            depot: depot.address(),
            generations,
        });
    }
    let Some(&current) = numbers.last() else {
        say!("{} holds no collection yet", depot.address());
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
