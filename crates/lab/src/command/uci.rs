//! `tabiya-lab uci`: the engine of this build, for contests.

use std::io;

/// Speak UCI on standard input and output.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  printf 'position startpos\\ngo nodes 100000\\n' | tabiya-lab uci"
)]
pub(crate) struct Options {}

pub(crate) fn run(_options: &Options) -> anyhow::Result<()> {
    tabiya_engine::uci::converse(io::stdin().lock(), io::stdout());
    Ok(())
}
