//! `tabiya verify`: check a collection for damage.

use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use serde::Serialize;
use tabiya_retrieval::{
    collection::{self, Progress},
    training::History,
    trap::Vault,
};

use tabiya_terminal::{
    json,
    progress::Bar,
    progress::grouped,
    sample::Database,
    style::{ERROR, PLAIN},
};

use crate::follow::games;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya verify --db my-games

Verification reads every byte. It checks checksums and counts, replays every game, and compares
the index with one rebuilt from the games. It also checks judgments, training, mined traps and the log.")]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Summary {
    sound: bool,
    games: u64,
    positions: u64,
    segments: usize,
    faults: Vec<String>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let collection = options.database.open()?;
    let progress = Arc::new(Progress::default());
    let faults: Vec<String> = {
        let seen = progress.clone();
        let _bar = Bar::start(Some(collection.games()), move || games(&seen));
        let mut faults = collection::verify(&collection, &progress);
        faults.extend(Vault::open(&collection).err().map(|it| it.to_string()));
        match History::faults(collection.folder()) {
            Ok(damaged) => faults.extend(damaged),
            Err(error) => faults.push(error.to_string()),
        }
        faults
    };
    let segments = collection.segments().len();
    let (games, positions) = (collection.games(), collection.positions());
    if options.json {
        let faults = faults.clone();
        json::print(&Summary {
            sound: faults.is_empty(),
            games,
            positions,
            segments,
            faults,
        })?;
    } else {
        for fault in &faults {
            anstream::eprintln!("{ERROR}{fault}{PLAIN}");
        }
    }
    if !faults.is_empty() {
        bail!("the collection is damaged in {} places", faults.len());
    }
    if !options.json {
        say!(
            "sound: {} games, {} positions, {segments} segments",
            grouped(games),
            grouped(positions)
        );
    }
    Ok(())
}
