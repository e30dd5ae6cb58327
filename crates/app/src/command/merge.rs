//! `tabiya merge`: merge small segments into larger ones.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use serde::Serialize;
use tabiya_retrieval::{Collection, collection};

use tabiya_terminal::json;

use crate::follow::{following, games};

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
    let total = Collection::open(&options.db)?.games();
    let (before, after) = following(Some(total), games, |progress| {
        let merged = collection::merge(&options.db, progress)?;
        if progress.is_canceled() {
            bail!("stopped; the collection is unchanged");
        }
        Ok(merged)
    })?;
    if options.json {
        return json::print(&Summary { before, after });
    }
    say!("merged {before} segments into {after}");
    Ok(())
}
