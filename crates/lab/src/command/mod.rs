//! The experiments as verbs of the command line, one file each.

mod abr;
mod compare;
mod contest;
mod known_item;
mod label;
mod like_a_level;
mod like_a_master;
mod measure;
mod motifs;
mod next_move;
mod pairs;
mod partial_depth;
mod patterns;
mod quality;
mod queries;
mod rating;
mod report;
mod runs;
mod steps;
mod suite;
mod sweep;
mod techniques;
mod traps;
mod tune;
mod uci;

use clap::{CommandFactory, Subcommand};
use tabiya_terminal::{completions, man};

use crate::Arguments;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Repeat the experiments of the action-based paper
    Abr(abr::Options),
    /// Compare two runs query by query
    Compare(compare::Options),
    /// Play games between two UCI programs
    Contest(contest::Options),
    /// Disturb positions and search for the games they came from
    KnownItem(known_item::Options),
    /// Label positions with an engine's scores, for training the network
    Label(label::Options),
    /// Measure runs by judgments: nDCG, MAP, P@k, R@k, MRR, bpref
    Measure(measure::Options),
    /// Search for puzzles of the same motif, by every ranking
    Motifs(motifs::Options),
    /// Predict the moves of games from similar positions
    NextMove(next_move::Options),
    /// Write pairs of a query and a candidate with their features, for training
    Pairs(pairs::Options),
    /// Count how often the engine at a rating moves as players of that rating do
    LikeALevel(like_a_level::Options),
    /// Count how often library, search and both would play the master's move
    LikeAMaster(like_a_master::Options),
    /// Repeat the partial-depth experiment: nodes to a mate by divisor, depth and pace
    PartialDepth(partial_depth::Options),
    /// Compare the pattern search with the answers of another program
    Patterns(patterns::Options),
    /// Judge rankings by all measures: motifs, known items, next moves, themes, structure
    Quality(quality::Options),
    /// Rate the players of games by maximum likelihood
    Rating(rating::Options),
    /// Answer a file of queries by every run, and pool the hits for judging
    Runs(runs::Options),
    /// Solve test positions at fixed nodes, all paces side by side
    Suite(suite::Options),
    /// Sweep over k1 and b: a measure as a table and a figure
    Sweep(sweep::Options),
    /// Measure what each technique of the search is worth
    Techniques(techniques::Options),
    /// Repeat the trap experiment: does similarity of game trees find traps?
    Traps(traps::Options),
    /// Fit the weights of an evaluation to the results of games
    Tune(tune::Options),
    /// Speak UCI with the engine of this build
    Uci(uci::Options),
    /// Print a completion script for a shell
    #[command(after_help = "Example:
  tabiya-lab completions bash > ~/.local/share/bash-completion/completions/tabiya-lab")]
    Completions(completions::Options),
    /// Print the manual page, or write one page per verb
    #[command(after_help = "Examples:
  tabiya-lab man | man -l -
  tabiya-lab man --output ~/.local/share/man/man1")]
    Man(man::Options),
}

impl Command {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match self {
            Command::Abr(options) => abr::run(options),
            Command::Compare(options) => compare::run(options),
            Command::Contest(options) => contest::run(options),
            Command::KnownItem(options) => known_item::run(options),
            Command::Label(options) => label::run(options),
            Command::Measure(options) => measure::run(options),
            Command::Motifs(options) => motifs::run(options),
            Command::NextMove(options) => next_move::run(options),
            Command::Pairs(options) => pairs::run(options),
            Command::LikeALevel(options) => like_a_level::run(options),
            Command::LikeAMaster(options) => like_a_master::run(options),
            Command::PartialDepth(options) => partial_depth::run(options),
            Command::Patterns(options) => patterns::run(options),
            Command::Quality(options) => quality::run(options),
            Command::Rating(options) => rating::run(options),
            Command::Runs(options) => runs::run(options),
            Command::Suite(options) => suite::run(options),
            Command::Sweep(options) => sweep::run(options),
            Command::Techniques(options) => techniques::run(options),
            Command::Tune(options) => tune::run(options),
            Command::Uci(options) => uci::run(options),
            Command::Traps(options) => traps::run(options),
            Command::Completions(options) => completions::run(options, Arguments::command()),
            Command::Man(options) => man::run(options, Arguments::command()),
        }
    }
}
