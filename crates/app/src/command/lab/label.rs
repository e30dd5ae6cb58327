//! `tabiya lab label`: positions of games with the engine's own judgment.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;
use tabiya_chess::Game;
use tabiya_engine::Evaluation;
use tabiya_engine::search::Settings;
use tabiya_lab::drawing::Drawing;
use tabiya_lab::label::Labeler;

/// Games judged between two looks at the clock.
const BATCH: usize = 256;

/// Label positions of games with the engine's own judgment.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tabiya lab label games.pgn.zst --nodes 400 --out labels.epd")]
pub(crate) struct Options {
    /// Games: PGN, plain or compressed.
    pgn: PathBuf,
    /// Where the labels go, as EPD.
    #[arg(long)]
    out: PathBuf,
    /// Nodes for each position.
    #[arg(long, default_value_t = 400)]
    nodes: u64,
    /// At most so many games.
    #[arg(long, default_value_t = 1_000_000)]
    games: usize,
    /// At most so many positions a game.
    #[arg(long, default_value_t = 50)]
    positions: usize,
    /// Who judges: standard, chains, tuned or network.
    #[arg(long, default_value_t)]
    evaluation: Evaluation,
    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let drawing = Drawing {
        games: options.games,
        positions: options.positions,
        skip: 8,
    };
    let settings = Settings {
        evaluation: options.evaluation,
        ..Settings::default()
    };
    let labeler = Labeler::new(drawing, options.nodes, settings);
    let place = || options.out.display().to_string();
    let mut out = BufWriter::new(File::create(&options.out).with_context(place)?);
    let mut labels = 0;
    let mut batch: Vec<(usize, Game)> = Vec::new();
    let mut outcome = Ok(());
    let mut judge = |batch: &mut Vec<(usize, Game)>| -> std::io::Result<()> {
        for label in labeler.label(batch) {
            writeln!(out, "{label}")?;
            labels += 1;
        }
        batch.clear();
        out.flush()
    };
    drawing
        .games(&options.pgn, |number, game| {
            batch.push((number, game.clone()));
            if batch.len() == BATCH && outcome.is_ok() {
                outcome = judge(&mut batch);
            }
        })
        .with_context(|| options.pgn.display().to_string())?;
    outcome
        .and_then(|()| judge(&mut batch))
        .with_context(place)?;
    if options.json {
        println!("{}", serde_json::json!({"labels": labels}));
    } else {
        eprintln!("{labels} labels in {}", place());
    }
    Ok(())
}
