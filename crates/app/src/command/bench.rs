//! `tabiya bench`: the engine's signature and speed.

use tabiya_engine::Evaluation;
use tabiya_engine::search::{Pace, Settings};

use tabiya_terminal::json;

/// Search fixed positions to a fixed depth; print nodes (the signature) and speed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tabiya bench --depth 12")]
pub(crate) struct Options {
    /// Full plies.
    #[arg(long, default_value_t = 12)]
    depth: i32,
    /// Evaluation: standard, chains or tuned.
    #[arg(long, default_value = "tuned")]
    evaluation: Evaluation,
    /// Pace: uniform, check-only, information-gain, appendix or appendix:DIVISOR, forcing.
    #[arg(long, default_value = "forcing")]
    pace: Pace,
    /// Threads; with more than one the nodes differ from run to run.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Print as JSON.
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
