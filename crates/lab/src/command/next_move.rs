//! `tabiya-lab next-move`: do similar positions predict the next move?

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use tabiya_gametree::Dice;
use tabiya_retrieval::Collection;
use tabiya_terminal::{sample::Database, style};

use super::report::{Folder, Output, Provenance, interval};
use super::steps::Steps;
use crate::{
    draw::Draw,
    games,
    next_move::{self, Case, Row},
    run_variant::RunVariant,
};

/// Predict the moves of games that the collection does not hold.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya-lab next-move --db my-games --games others.pgn.zst --cases 500

One position is drawn from each game after its first 24 plies. Proposals are the moves played in
the most similar positions, in the order of \"what was played\"; baselines are the most frequent
moves of exactly this position, and a legal move at random. Games that the collection holds do
not count.")]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,

    /// Games to predict, as PGN, plain or compressed
    #[arg(long, value_name = "FILE")]
    games: PathBuf,

    /// Number of positions
    #[arg(long, value_name = "N", default_value_t = 300)]
    cases: usize,

    /// Number of similar positions that propose moves
    #[arg(long, value_name = "N", default_value_t = 50)]
    top: usize,

    /// Seed for choosing games and positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    output: Output,
}

#[derive(Serialize)]
struct Report {
    provenance: Provenance,
    known_games: usize,
    rows: Vec<Row>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let collection = options.database.open()?;
    let (cases, known_games) = draw(options, &collection)?;
    anyhow::ensure!(
        !cases.is_empty(),
        "{} has no game of more than {} plies that the collection does not hold; give other games",
        options.games.display(),
        next_move::SKIP
    );
    let rows = predict(options, &collection, &cases)?;
    if let Some(folder) = options.output.folder() {
        write(&folder, &rows)?;
    }
    let report = Report {
        provenance: Provenance::new(options.seed).over_games(&collection),
        known_games,
        rows,
    };
    options.output.print(&report, print)
}

fn predict(options: &Options, collection: &Collection, cases: &[Case]) -> anyhow::Result<Vec<Row>> {
    let variants = RunVariant::all();
    let steps = Steps::start(variants.len(), "runs");
    let seed = options.seed;
    let mut rows = next_move::rows("a legal move", cases, &next_move::chance(cases), seed);
    let exact = next_move::exact(collection, cases)?;
    rows.extend(next_move::rows("exact position", cases, &exact, seed));
    for variant in &variants {
        let luck = next_move::similar(collection, cases, variant, options.top)?;
        rows.extend(next_move::rows(&variant.name, cases, &luck, seed));
        steps.step();
    }
    Ok(rows)
}

/// Draws positions from games, and counts those that the collection holds.
fn draw(options: &Options, collection: &Collection) -> anyhow::Result<(Vec<Case>, usize)> {
    let mut dice = Dice::new(options.seed);
    let games = games::read(&options.games)?;
    let games = dice.sample(&games, games.len());
    Ok(next_move::cases(
        collection,
        &games,
        options.cases,
        &mut dice,
    )?)
}

fn print(report: &Report) {
    report.provenance.print();
    say!(
        "skipped {} games that the collection holds",
        report.known_games
    );
    let mut last = "";
    for row in &report.rows {
        if row.proposer != last {
            let (strong, plain) = (style::STRONG, style::PLAIN);
            say!(
                "{strong}{:<20}{plain}cases  first                     among three",
                row.proposer
            );
            last = &row.proposer;
        }
        say!(
            "  {:<18}{:>5}  {}  {}",
            row.group,
            row.cases,
            interval(&row.first),
            interval(&row.among_three)
        );
    }
}

fn write(folder: &Folder<'_>, rows: &[Row]) -> anyhow::Result<()> {
    let header = [
        "proposer",
        "group",
        "cases",
        "first",
        "first low",
        "first high",
        "three",
        "three low",
        "three high",
    ];
    let cells = rows.iter().map(|row| {
        let (one, three) = (row.first, row.among_three);
        let figures = [
            one.mean, one.low, one.high, three.mean, three.low, three.high,
        ];
        let names = [
            row.proposer.clone(),
            row.group.clone(),
            row.cases.to_string(),
        ];
        names
            .into_iter()
            .chain(figures.map(|it| format!("{it:.4}")))
            .collect()
    });
    folder.put_table("next-move.csv", &header, cells)
}
