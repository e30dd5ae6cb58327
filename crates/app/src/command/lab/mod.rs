//! `tabiya lab`: experiments, one file each.

mod traps;

use clap::Subcommand;

/// Measure what is claimed.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// Repeat the trap experiment: does likeness of game trees find traps?
    Traps(traps::Options),
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    match &options.experiment {
        Experiment::Traps(options) => traps::run(options),
    }
}
