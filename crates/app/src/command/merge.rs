//! `tabiya merge`: many small segments into few full ones.

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

/// Turn many small segments of a collection into few full ones.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya merge --db my-games

Answers stay the same; they only come a little faster. Ctrl-C leaves all as it was.")]
pub(crate) struct Options {
    /// The collection's directory
    #[arg(long, value_name = "DIR")]
    db: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Merged {
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
        bail!("stopped; the collection is as it was");
    }
    if options.json {
        return json::print(&Merged { before, after });
    }
    say!("{before} segments before, {after} now");
    Ok(())
}
