//! `tabiya-lab tune`: fit an evaluation to the results of games.

use std::path::PathBuf;

use anyhow::Context;
use clap::ValueEnum;
use tabiya_terminal::json;

use crate::sampling::Sampling;
use crate::tune::{Samples, Schedule, Subject, fit, to_rust};

/// Fit the weights of an evaluation to the results of games.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tabiya-lab tune tuned games.pgn.zst --out crates/engine/src/eval/tuned/weights.rs"
)]
pub(crate) struct Options {
    /// Which evaluation.
    subject: Which,
    /// Games: PGN, plain or compressed.
    pgn: PathBuf,
    /// File for the table [default: standard output].
    #[arg(long)]
    out: Option<PathBuf>,
    /// The most games.
    #[arg(long, default_value_t = 1_000_000)]
    games: usize,
    /// The most positions per game.
    #[arg(long, default_value_t = 12)]
    positions: usize,
    /// Passes over the positions.
    #[arg(long, default_value_t = 400)]
    epochs: usize,
    /// Print the outcome as JSON, with the table.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Which {
    Standard,
    Contacts,
    Tuned,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let subject = match options.subject {
        Which::Standard => Subject::Standard,
        Which::Contacts => Subject::Contacts,
        Which::Tuned => Subject::Tuned,
    };
    let sampling = Sampling {
        games: options.games,
        positions: options.positions,
        skip: 12,
    };
    let samples = Samples::from_pgn(subject, &options.pgn, sampling)?;
    anyhow::ensure!(
        !samples.is_empty(),
        "no quiet positions in {}; give a PGN file with results",
        options.pgn.display()
    );
    eprintln!("{} quiet positions", samples.len());
    let schedule = Schedule {
        epochs: options.epochs,
        rate: 4.0,
        decay: 0.0005,
    };
    let fit = fit(&samples, schedule, |epoch, error| {
        eprintln!("pass {epoch}: error {error:.6}")
    });
    let name = format!("{:?}", options.subject).to_lowercase();
    let source = options
        .pgn
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let made_by = format!(
        "tabiya-lab tune {name} {source} --positions {} --epochs {}",
        options.positions, options.epochs
    );
    let table = to_rust(subject, &fit.weights, &made_by);
    if let Some(path) = &options.out {
        std::fs::write(path, &table).with_context(|| path.display().to_string())?;
    }
    if options.json {
        return json::print(
            &serde_json::json!({"positions": samples.len(), "error": fit.held_out, "error_before": fit.held_out_before, "table": table}),
        );
    }
    if options.out.is_none() {
        say!("{}", table.trim_end());
    }
    eprintln!(
        "error on positions held out: {:.6}, with what is given alone {:.6}",
        fit.held_out, fit.held_out_before
    );
    Ok(())
}
