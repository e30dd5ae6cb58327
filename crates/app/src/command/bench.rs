//! `tabiya bench`: the engine's speed and node signature.

use tabiya_engine::Evaluation;
use tabiya_engine::search::{Pace, Settings};

use tabiya_terminal::json;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tabiya bench --depth 12

The number of nodes is the signature: it changes only if the search or the evaluation does.")]
pub(crate) struct Options {
    /// Search depth in plies
    #[arg(long, default_value_t = 12)]
    depth: i32,
    /// Evaluation: standard, chains, contacts, tuned or network
    #[arg(long, default_value = "tuned")]
    evaluation: Evaluation,
    /// Pace: uniform, check-only, information-gain, appendix, appendix:DIVISOR or forcing
    #[arg(long, default_value = "forcing")]
    pace: Pace,
    /// Number of threads; with more than one, the node count varies between runs
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let settings = Settings {
        evaluation: options.evaluation,
        pace: options.pace,
        threads: options.threads,
        ..Settings::default()
    };
    let outcome = tabiya_engine::bench::run(&settings, options.depth);
    let speed = outcome.speed() as u64;
    if options.json {
        return json::print(
            &serde_json::json!({"nodes": outcome.nodes, "seconds": outcome.elapsed.as_secs_f64(), "nodes_per_second": speed}),
        );
    }
    say!("{} nodes {speed} nps", outcome.nodes);
    Ok(())
}
