//! `tabiya-lab partial-depth`: the partial-depth experiment.

use std::path::PathBuf;

use crate::partial_depth::{COMBINATION, MATE_PLY, Plan, effort, plots, suite, sweep, to_csv};
use crate::{epd, figure};
use anyhow::Context;
use tabiya_chess::position;
use tabiya_engine::search::Pace;

use super::report::Output;
use tabiya_terminal::json;

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
    /// Only the first so many positions of each suite.
    #[arg(long, default_value_t = 60)]
    first: usize,
    /// Nodes for every run and every position.
    #[arg(long, default_value_t = 400_000)]
    nodes: u64,
    /// Position of the sweep.
    #[arg(long, default_value = COMBINATION)]
    fen: String,
    /// Leave out the sweep over divisors and depths.
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
        folder.put("partial-depth.csv", &to_csv(&runs))?;
        for plot in plots(&runs) {
            let svg = figure::draw(&plot).map_err(anyhow::Error::msg)?;
            folder.put(&format!("partial-depth-{}.svg", plot.name), &svg)?;
        }
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
    if !runs.is_empty() {
        say!(
            "| experiment | nodes | divisor | greatest depth | virtual depth | solved | step |\n|---|---|---|---|---|---|---|"
        );
        for it in &runs {
            let nodes = if it.complete {
                it.nodes.to_string()
            } else {
                format!(">{}", it.nodes)
            };
            say!(
                "| {} | {nodes} | {} | {} | {} | {} | {} |",
                it.experiment,
                it.divisor,
                it.greatest_depth,
                it.virtual_depth,
                u8::from(it.solved),
                it.step
            );
        }
    }
    say!(
        "\n| pace | solved | nodes | nodes of the last depth | depth in plies | greatest depth |\n|---|---|---|---|---|---|"
    );
    for it in &efforts {
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
    if !suites.is_empty() {
        say!("\n| suite | pace | solved | median nodes |\n|---|---|---|---|");
        for (name, rows) in &suites {
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
    Ok(())
}
