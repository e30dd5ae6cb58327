//! `tabiya lab`: experiments, one file each.

mod abr;
mod compare;
mod contest;
mod known_item;
mod like_a_master;
mod measure;
mod motifs;
mod next_move;
mod partial_depth;
mod rating;
mod report;
mod runs;
mod suite;
mod sweep;
mod techniques;
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
    /// Compare two runs query by query
    Compare(compare::Options),
    /// Play games between two UCI programs
    Contest(contest::Options),
    /// Disturb positions and look for the games they came from
    KnownItem(known_item::Options),
    /// Measure runs by judgments: nDCG, MAP, P@k, R@k, MRR, bpref
    Measure(measure::Options),
    /// Look for puzzles of the same motif, by every ranking
    Motifs(motifs::Options),
    /// Predict the moves of games by what was played in similar positions
    NextMove(next_move::Options),
    /// Count how often library, search and both would play the master's move
    LikeAMaster(like_a_master::Options),
    /// Repeat the partial-depth experiment: nodes to a mate by divisor, depth and pace
    PartialDepth(partial_depth::Options),
    /// Rate the players of games by maximum likelihood
    Rating(rating::Options),
    /// Answer a file of queries by every run, and pool the answers for judging
    Runs(runs::Options),
    /// Solve test positions at fixed nodes, all paces side by side
    Suite(suite::Options),
    /// Sweep over k1 and b: a measure as a table and a figure
    Sweep(sweep::Options),
    /// Measure what each technique of the search is worth
    Techniques(techniques::Options),
    /// Repeat the trap experiment: does likeness of game trees find traps?
    Traps(traps::Options),
    /// Fit the weights of an evaluation to the results of games
    Tune(tune::Options),
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    match &options.experiment {
        Experiment::Abr(options) => abr::run(options),
        Experiment::Compare(options) => compare::run(options),
        Experiment::Contest(options) => contest::run(options),
        Experiment::KnownItem(options) => known_item::run(options),
        Experiment::Measure(options) => measure::run(options),
        Experiment::Motifs(options) => motifs::run(options),
        Experiment::NextMove(options) => next_move::run(options),
        Experiment::LikeAMaster(options) => like_a_master::run(options),
        Experiment::PartialDepth(options) => partial_depth::run(options),
        Experiment::Rating(options) => rating::run(options),
        Experiment::Runs(options) => runs::run(options),
        Experiment::Suite(options) => suite::run(options),
        Experiment::Sweep(options) => sweep::run(options),
        Experiment::Techniques(options) => techniques::run(options),
        Experiment::Tune(options) => tune::run(options),
        Experiment::Traps(options) => traps::run(options),
    }
}
