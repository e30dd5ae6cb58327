//! `tabiya lab`: experiments, one file each.

mod abr;
mod contest;
mod like_a_master;
mod partial_depth;
mod rating;
mod suite;
mod traps;
mod tune;

use clap::Subcommand;

/// Measure what is claimed.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// Repeat the experiments of the action-based paper
    Abr(abr::Options),
    /// Play games between two UCI programs
    Contest(contest::Options),
    /// Count how often library, search and both would play the master's move
    LikeAMaster(like_a_master::Options),
    /// Repeat the partial-depth experiment: nodes to a mate by divisor, depth and pace
    PartialDepth(partial_depth::Options),
    /// Rate the players of games by maximum likelihood
    Rating(rating::Options),
    /// Solve test positions at fixed nodes, all paces side by side
    Suite(suite::Options),
    /// Repeat the trap experiment: does likeness of game trees find traps?
    Traps(traps::Options),
    /// Fit the weights of an evaluation to the results of games
    Tune(tune::Options),
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    match &options.experiment {
        Experiment::Abr(options) => abr::run(options),
        Experiment::Contest(options) => contest::run(options),
        Experiment::LikeAMaster(options) => like_a_master::run(options),
        Experiment::PartialDepth(options) => partial_depth::run(options),
        Experiment::Rating(options) => rating::run(options),
        Experiment::Suite(options) => suite::run(options),
        Experiment::Tune(options) => tune::run(options),
        Experiment::Traps(options) => traps::run(options),
    }
}
