//! `tabiya-lab compare`: is one run better than another?

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use tabiya_terminal::style;

use super::measure::{Judging, read_qrels, read_run};
use super::report::{Folder, Output, Provenance};
use crate::{bootstrap::Paired, evaluation::Evaluation, measure::Measure};

/// Compare two runs query by query: wins, and a paired randomization test.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya-lab compare TruePos.run CombAll.run --qrels judged.qrels --measures ndcg@10,map

p is the probability of a mean difference at least as large, either way, if the names of the two
runs were swapped at random for each query. The interval comes from the bootstrap.")]
pub(crate) struct Options {
    /// The run to beat
    #[arg(value_name = "RUN")]
    first: PathBuf,

    /// The run that should be better
    #[arg(value_name = "RUN")]
    second: PathBuf,

    /// Judgments
    #[arg(long, value_name = "FILE")]
    qrels: PathBuf,

    #[command(flatten)]
    judging: Judging,

    #[command(flatten)]
    output: Output,
}

#[derive(Serialize)]
struct Report {
    provenance: Provenance,
    first: String,
    second: String,
    queries: usize,
    measures: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    measure: String,
    first: f64,
    second: f64,
    #[serde(flatten)]
    paired: Paired,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let qrels = read_qrels(&options.qrels)?;
    let (first, second) = (read_run(&options.first)?, read_run(&options.second)?);
    let first = options.judging.evaluate(&qrels, &first);
    let second = options.judging.evaluate(&qrels, &second);
    if let Some(folder) = options.output.folder() {
        write(&folder, &first, &second)?;
    }
    let seed = options.judging.seed;
    let numbered = first.measures.iter().enumerate();
    let report = Report {
        provenance: Provenance::new(seed),
        queries: first.queries.len(),
        measures: numbered
            .map(|(at, it)| Row::new(*it, &first.column(at), &second.column(at), seed))
            .collect(),
        first: first.run,
        second: second.run,
    };
    options.output.print(&report, print)
}

impl Row {
    fn new(measure: Measure, first: &[f64], second: &[f64], seed: u64) -> Row {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        Row {
            measure: measure.to_string(),
            first: mean(first),
            second: mean(second),
            paired: Paired::of(first, second, seed),
        }
    }
}

fn print(report: &Report) {
    report.provenance.print();
    let (strong, plain) = (style::STRONG, style::PLAIN);
    let Report {
        first,
        second,
        queries,
        ..
    } = report;
    say!("{strong}{second}{plain} against {strong}{first}{plain}, {queries} queries");
    for row in &report.measures {
        let Paired {
            difference,
            p,
            wins,
            ties,
            losses,
        } = row.paired;
        say!(
            "  {:<13}{:.4} -> {:.4}  {:+.4} [{:+.4}, {:+.4}]  p {p:.4}  better on {wins}, equal {ties}, worse {losses}",
            row.measure,
            row.first,
            row.second,
            difference.mean,
            difference.low,
            difference.high
        );
    }
}

fn write(folder: &Folder<'_>, first: &Evaluation, second: &Evaluation) -> anyhow::Result<()> {
    let pairs = first.queries.iter().zip(&second.queries);
    let rows = pairs.flat_map(|((query, one), (_, two))| {
        let values = first.measures.iter().zip(one.iter().zip(two));
        let row = |(measure, (one, two)): (&Measure, (&f64, &f64))| {
            let figures = [one, two].map(f64::to_string);
            let [one, two] = figures;
            vec![query.clone(), measure.to_string(), one, two]
        };
        values.map(row).collect::<Vec<_>>()
    });
    let header = ["query", "measure", &first.run, &second.run];
    folder.put_table("comparison.csv", &header, rows)
}
