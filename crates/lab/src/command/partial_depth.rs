//! `tabiya-lab partial-depth`: the partial-depth experiment.

use std::path::PathBuf;

use anyhow::Context;
use tabiya_chess::position;
use tabiya_engine::search::Pace;
use tabiya_terminal::json;

use super::report::{Folder, Output};
use crate::epd;
use crate::partial_depth::{
    COMBINATION, Effort, MATE_PLY, Plan, Run, SuiteEffort, effort, plots, suite, sweep,
};
use crate::plot::Figure;

/// Repeat the partial-depth experiment: nodes to a mate by divisor, depth and pace.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tabiya-lab partial-depth --out figures\n  tabiya-lab partial-depth --epd mate-in-03.epd --epd mate-in-04.epd --first 100 --nodes 100000"
)]
pub(crate) struct Options {
    /// Suites of mates to run every pace on.
    #[arg(long)]
    epd: Vec<PathBuf>,
    /// Only puzzles of this theme, if a suite is a table of puzzles.
    #[arg(long)]
    theme: Option<String>,
    /// The most positions of each suite, from its start.
    #[arg(long, default_value_t = 60)]
    first: usize,
    /// Nodes for every run and every position.
    #[arg(long, default_value_t = 400_000)]
    nodes: u64,
    /// Position of the sweep.
    #[arg(long, default_value = COMBINATION)]
    fen: String,
    /// Skip the sweep over divisors and depths.
    #[arg(long)]
    no_sweep: bool,
    #[command(flatten)]
    output: Output,
}

const PACES: [Pace; 5] = [
    Pace::Uniform,
    Pace::CheckOnly,
    Pace::InformationGain,
    Pace::Appendix { divisor: 1.0 },
    Pace::Appendix { divisor: 0.5 },
];

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let start = position::parse(&options.fen)?;
    let plan = Plan {
        nodes: options.nodes,
        ..Plan::default()
    };
    let runs = if options.no_sweep {
        Vec::new()
    } else {
        sweep(&start, &plan, |_| {})
    };
    if let Some(folder) = options.output.folder() {
        write(&folder, &runs)?;
    }
    let efforts: Vec<_> = PACES
        .iter()
        .map(|&pace| effort(&start, pace, MATE_PLY + 1, options.nodes))
        .collect();
    let mut suites = Vec::new();
    for path in &options.epd {
        let problems = epd::read(path, options.theme.as_deref(), options.first)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        suites.push((
            name,
            PACES.map(|pace| suite(&problems, pace, options.nodes)),
        ));
    }
    if options.output.json {
        return json::print(
            &serde_json::json!({"runs": runs, "efforts": efforts, "suites": suites}),
        );
    }
    print_runs(&runs);
    print_efforts(&efforts);
    print_suites(&suites);
    Ok(())
}

fn write(folder: &Folder<'_>, runs: &[Run]) -> anyhow::Result<()> {
    let header = [
        "experiment",
        "nodes",
        "divisor",
        "greatest_depth",
        "virtual_depth",
        "solved",
        "step",
        "complete",
    ];
    let rows = runs.iter().map(|it| {
        vec![
            it.experiment.to_string(),
            it.nodes.to_string(),
            it.divisor.to_string(),
            it.greatest_depth.to_string(),
            it.virtual_depth.to_string(),
            u8::from(it.solved).to_string(),
            it.step.to_string(),
            u8::from(it.complete).to_string(),
        ]
    });
    folder.put_table("partial-depth.csv", &header, rows)?;
    for plot in plots(runs) {
        folder.put(&format!("partial-depth-{}.svg", plot.name), plot.to_svg()?)?;
    }
    Ok(())
}

fn print_runs(runs: &[Run]) {
    if runs.is_empty() {
        return;
    }
    say!(
        "| experiment | nodes | divisor | greatest depth | virtual depth | solved | step |\n|---|---|---|---|---|---|---|"
    );
    for it in runs {
        let more = if it.complete { "" } else { ">" };
        say!(
            "| {} | {more}{} | {} | {} | {} | {} | {} |",
            it.experiment,
            it.nodes,
            it.divisor,
            it.greatest_depth,
            it.virtual_depth,
            u8::from(it.solved),
            it.step
        );
    }
}

fn print_efforts(efforts: &[Effort]) {
    say!(
        "\n| pace | solved | nodes | nodes of the last depth | depth in plies | greatest depth |\n|---|---|---|---|---|---|"
    );
    for it in efforts {
        say!(
            "| {} | {} | {} | {} | {:.2} | {} |",
            it.pace,
            u8::from(it.solved),
            it.nodes,
            it.last,
            it.depth,
            it.greatest_depth
        );
    }
}

fn print_suites(suites: &[(String, [SuiteEffort; 5])]) {
    if suites.is_empty() {
        return;
    }
    say!("\n| suite | pace | solved | median nodes |\n|---|---|---|---|");
    for (name, rows) in suites {
        for it in rows {
            say!(
                "| {name} | {} | {}/{} | {} |",
                it.pace,
                it.solved,
                it.problems,
                it.median_nodes
            );
        }
    }
}
