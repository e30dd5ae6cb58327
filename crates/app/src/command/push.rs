//! `tabiya push`: upload a collection to object storage.

use std::{path::PathBuf, time::Instant};

use clap::Args;
use serde::Serialize;
use tabiya_depot::Depot;
use tabiya_retrieval::Collection;

use tabiya_terminal::{
    json,
    progress::grouped,
    style::{PLAIN, STRONG},
};

use super::{pull::Generation, transfer::following};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya push my-games s3://bucket/my-games

Set credentials and region in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION; for a
server other than Amazon's, also set AWS_ENDPOINT_URL. Addresses with s3:// need a program built
with --features s3. To try it out, use a local folder such as file:///tmp/depot.

A push becomes the next generation of the depot. It uploads games and index, but not judgments
and mined traps, and skips shards that the depot already holds. Others pull the previous
generation until the push is complete. Run an interrupted push again to continue.")]
pub(crate) struct Options {
    /// Directory of the collection
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Depot to upload to: s3://bucket/prefix or file:///folder
    #[arg(value_name = "URL")]
    depot: String,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Summary<'a> {
    depot: &'a str,
    #[serde(flatten)]
    generation: Generation,
    is_new: bool,
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
    let summary = Summary {
        depot: depot.address(),
        generation: Generation::new(pushed.generation, &pushed.manifest),
        is_new: pushed.is_new,
        sent_bytes,
        seconds: begin.elapsed().as_secs_f64(),
    };
    if options.json {
        return json::print(&summary);
    }
    let held = &summary.generation;
    let since = if summary.is_new { "now" } else { "already" };
    say!(
        "{STRONG}{} games{PLAIN} in {} shards are {since} generation {} of {}",
        grouped(held.games),
        held.shards,
        held.generation,
        summary.depot
    );
    say!(
        "sent {} of {} bytes in {:.1} s",
        grouped(summary.sent_bytes),
        grouped(held.bytes),
        summary.seconds
    );
    Ok(())
}
