//! `tabiya-lab suite`: test positions at fixed nodes, all paces side by side.

use std::path::PathBuf;

use anyhow::Context;
use tabiya_engine::Evaluation;
use tabiya_engine::search::{Pace, Settings, Technique};
use tabiya_terminal::json;

use crate::epd;
use crate::suite::{Form, Searcher, run as solve};

/// Solve test positions at fixed nodes, all paces side by side.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tabiya-lab suite wac.epd bratko-kopec.epd --nodes 200000\n  tabiya-lab suite puzzles.csv.zst --theme mateIn4 --first 60 --nodes 100000 --form strong"
)]
pub(crate) struct Options {
    /// EPD files, or a table of puzzles.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Nodes for each position; several make several columns.
    #[arg(long, value_delimiter = ',', default_value = "200000")]
    nodes: Vec<u64>,
    /// Forms: bare, quiet, strong.
    #[arg(long, value_delimiter = ',', default_value = "bare,quiet,strong")]
    form: Vec<String>,
    /// Paces: uniform, check-only, information-gain, appendix or appendix:DIVISOR, forcing.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "uniform,check-only,information-gain,appendix,forcing"
    )]
    pace: Vec<Pace>,
    /// Evaluation: standard, chains, contacts, tuned or network.
    #[arg(long, default_value = "tuned")]
    evaluation: Evaluation,
    /// Techniques of the strong form to switch off.
    #[arg(long, value_delimiter = ',')]
    without: Vec<Technique>,
    /// Only puzzles of this theme.
    #[arg(long)]
    theme: Option<String>,
    /// The most positions of each file, from its start.
    #[arg(long, default_value_t = usize::MAX)]
    first: usize,
    /// List the positions not solved.
    #[arg(long)]
    unsolved: bool,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let forms = options
        .form
        .iter()
        .map(|it| form(it))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut settings = Settings {
        evaluation: options.evaluation,
        ..Settings::default()
    };
    for &technique in &options.without {
        settings.techniques = settings.techniques.without(technique);
    }
    let mut rows = Vec::new();
    if !options.json {
        let columns: Vec<String> = options.nodes.iter().map(ToString::to_string).collect();
        say!("| suite | form | pace | {} |", columns.join(" | "));
        say!("|---|---|---|{}", "---|".repeat(columns.len()));
    }
    for path in &options.files {
        let problems = epd::read(path, options.theme.as_deref(), options.first)
            .with_context(|| format!("cannot read {}", path.display()))?;
        anyhow::ensure!(
            !problems.is_empty(),
            "no positions in {}; give an EPD file or a table of puzzles",
            path.display()
        );
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for &form in &forms {
            for &pace in &options.pace {
                let searcher = Searcher {
                    form,
                    pace,
                    settings: settings.clone(),
                };
                let tallies: Vec<_> = options
                    .nodes
                    .iter()
                    .map(|&nodes| solve(&problems, &searcher, nodes))
                    .collect();
                if options.json {
                    rows.push(serde_json::json!({"suite": name, "form": form, "pace": pace.to_string(), "nodes": options.nodes, "tallies": tallies}));
                    continue;
                }
                let figures: Vec<String> =
                    tallies.iter().map(crate::suite::Tally::figure).collect();
                say!(
                    "| {name} | {} | {pace} | {} |",
                    format!("{form:?}").to_lowercase(),
                    figures.join(" | ")
                );
                if options.unsolved {
                    for tally in &tallies {
                        say!("  unsolved: {}", tally.unsolved.join(" "));
                    }
                }
            }
        }
    }
    if options.json {
        json::print(&rows)?;
    }
    Ok(())
}

fn form(name: &str) -> anyhow::Result<Form> {
    match name {
        "bare" => Ok(Form::Bare),
        "quiet" => Ok(Form::Quiet),
        "strong" => Ok(Form::Strong),
        _ => anyhow::bail!("unknown form \"{name}\"; choose bare, quiet or strong"),
    }
}
