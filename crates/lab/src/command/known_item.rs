//! `tabiya-lab known-item`: is a position found when it is asked for with changes?

use clap::Args;
use serde::Serialize;
use tabiya_gametree::Dice;
use tabiya_retrieval::Collection;
use tabiya_terminal::{sample::Database, style};

use super::report::{Folder, Output, Provenance, interval};
use super::steps::Steps;
use crate::{
    known_item::{self, Disturbance, Item, Row},
    run_variant::RunVariant,
};

/// Disturb positions of a collection and search for the games they came from.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya-lab known-item --db my-games --items 200 --out results

Pieces are shifted (1, 2, 4 and 6 of them), a pawn is removed, a tempo inserted, the position
mirrored, its colors swapped. For every run the table shows the share of items whose game
comes first, the share among the first ten, and the mean reciprocal rank with its interval.")]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,

    /// Number of positions
    #[arg(long, value_name = "N", default_value_t = 100)]
    items: usize,

    /// Seed for choosing positions and disturbances
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    output: Output,
}

#[derive(Serialize)]
struct Report {
    provenance: Provenance,
    rows: Vec<Row>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let collection = options.database.open()?;
    let seed = options.seed;
    let items = known_item::draw(&collection, options.items, &mut Dice::new(seed))?;
    anyhow::ensure!(
        !items.is_empty(),
        "the collection has no indexed positions; add games with tabiya index"
    );
    let rows = search(&collection, &items, seed)?;
    if let Some(folder) = options.output.folder() {
        write(&folder, &rows)?;
    }
    let report = Report {
        provenance: Provenance::new(seed).over_games(&collection),
        rows,
    };
    options.output.print(&report, print)
}

fn search(collection: &Collection, items: &[Item], seed: u64) -> anyhow::Result<Vec<Row>> {
    let variants = RunVariant::all();
    let steps = Steps::start(variants.len() * Disturbance::ALL.len(), "tests");
    let mut rows = Vec::new();
    for disturbance in Disturbance::ALL {
        for variant in &variants {
            let row = known_item::look(collection, items, variant, disturbance, seed);
            rows.push(row?);
            steps.step();
        }
    }
    Ok(rows)
}

fn print(report: &Report) {
    report.provenance.print();
    let mut last = "";
    for row in &report.rows {
        if row.disturbance != last {
            let (strong, plain) = (style::STRONG, style::PLAIN);
            say!(
                "{strong}{:<18}{plain}first  among ten  reciprocal rank ({} positions)",
                row.disturbance,
                row.items
            );
            last = &row.disturbance;
        }
        say!(
            "  {:<16}{:.3}  {:.3}      {}",
            row.variant,
            row.first,
            row.among_ten,
            interval(&row.reciprocal_rank)
        );
    }
}

fn write(folder: &Folder<'_>, rows: &[Row]) -> anyhow::Result<()> {
    let header = [
        "disturbance",
        "run",
        "items",
        "success@1",
        "success@10",
        "mrr",
        "low",
        "high",
    ];
    let cells = rows.iter().map(|row| {
        let rank = row.reciprocal_rank;
        let figures = [row.first, row.among_ten, rank.mean, rank.low, rank.high];
        let names = [
            row.disturbance.clone(),
            row.variant.clone(),
            row.items.to_string(),
        ];
        names
            .into_iter()
            .chain(figures.map(|it| format!("{it:.4}")))
            .collect()
    });
    folder.put_table("known-item.csv", &header, cells)
}
