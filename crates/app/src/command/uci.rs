//! `tabiya uci`: run as a UCI engine.

use std::io;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  printf 'position startpos\\ngo nodes 100000\\n' | tabiya uci

The engine speaks UCI on standard input and output."
)]
pub(crate) struct Options {}

pub(crate) fn run(_options: &Options) -> anyhow::Result<()> {
    tabiya_engine::uci::converse(io::stdin().lock(), io::stdout());
    Ok(())
}
