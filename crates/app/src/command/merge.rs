//! `tabiya merge`: merge small segments into larger ones.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use anyhow::bail;
use clap::Args;
use serde::Serialize;
use tabiya_retrieval::{Collection, collection};

use tabiya_terminal::{json, progress::Bar, progress::grouped, progress::on_interrupt};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya merge --db my-games

Answers stay the same and come slightly faster. Ctrl-C leaves the collection unchanged.")]
pub(crate) struct Options {
    /// Directory of the collection
    #[arg(long, value_name = "DIR")]
    db: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Summary {
    before: usize,
    after: usize,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let games = Collection::open(&options.db)?.games();
    let (done, cancelled) = (
        Arc::new(AtomicU64::new(0)),
        Arc::new(AtomicBool::new(false)),
    );
    on_interrupt({
        let cancelled = cancelled.clone();
        move || cancelled.store(true, Ordering::Relaxed)
    });
    let (before, after) = {
        let done = done.clone();
        let _bar = Bar::start(Some(games), {
            let done = done.clone();
            move || {
                let done = done.load(Ordering::Relaxed);
                (done, format!("{} games", grouped(done)))
            }
        });
        collection::merge(&options.db, &done, &cancelled)?
    };
    if cancelled.load(Ordering::Relaxed) {
        bail!("stopped; the collection is unchanged");
    }
    if options.json {
        return json::print(&Summary { before, after });
    }
    say!("merged {before} segments into {after}");
    Ok(())
}
