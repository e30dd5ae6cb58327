//! `tabiya push`: a collection to object storage.

use std::{path::PathBuf, time::Instant};

use clap::Args;
use serde::Serialize;
use tabiya_depot::Depot;
use tabiya_retrieval::Collection;

use tabiya_terminal::{json, progress::grouped, style};

use super::transfer::following;

/// Put a collection on object storage as the next generation of a depot.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya push my-games s3://bucket/my-games

Who you are and where the store is stands in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
AWS_REGION and, unless it is Amazon's, AWS_ENDPOINT_URL. A folder will do for a try:
file:///somewhere/depot.

Games and index are sent, judgments and mined traps are not.
What is there already is not sent again. Until a push is finished, the generation before
it is what others pull; interrupt it at will and repeat it to go on.")]
pub(crate) struct Options {
    /// The collection's directory
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Where to put it: s3://bucket/prefix or file:///folder
    #[arg(value_name = "URL")]
    depot: String,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Told<'a> {
    depot: &'a str,
    generation: u64,
    is_new: bool,
    games: u64,
    positions: u64,
    shards: usize,
    bytes: u64,
    sent_bytes: u64,
    seconds: f64,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let collection = Collection::open(&options.folder)?;
    let bytes = collection.segments().iter().map(|it| it.sizes().0).sum();
    let depot = Depot::open(&options.depot)?;
    let begin = Instant::now();
    let (pushed, sent_bytes) = following(bytes, |transfer| {
        let pushed = depot.push(&options.folder, transfer);
        pushed.map(|it| (it, transfer.moved()))
    })?;
    let told = Told {
        depot: depot.address(),
        generation: pushed.generation,
        is_new: pushed.is_new,
        games: pushed.manifest.games(),
        positions: pushed.manifest.positions(),
        shards: pushed.manifest.shards.len(),
        bytes: pushed.manifest.bytes(),
        sent_bytes,
        seconds: begin.elapsed().as_secs_f64(),
    };
    if options.json {
        return json::print(&told);
    }
    print(&told);
    Ok(())
}

fn print(told: &Told<'_>) {
    let since = if told.is_new { "now" } else { "already" };
    say!(
        "{}{} games{} in {} shards are {since} generation {} of {}",
        style::STRONG,
        grouped(told.games),
        style::PLAIN,
        told.shards,
        told.generation,
        told.depot,
    );
    say!(
        "{} of {} bytes sent in {:.1} s",
        grouped(told.sent_bytes),
        grouped(told.bytes),
        told.seconds
    );
}
