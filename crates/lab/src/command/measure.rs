//! `tabiya-lab measure`: how good runs are by judgments.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tabiya_retrieval::collection::Qrels;
use tabiya_terminal::{json, style};

use super::report::{Folder, Output, Provenance, interval};
use crate::{bootstrap::Estimate, evaluation::Evaluation, measure::Measure, run_file::RunFile};

/// Measure runs by judgments: nDCG, MAP, P@k, R@k, MRR, bpref.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya-lab measure --qrels judged.qrels --run CombAll.run
  tabiya-lab measure --qrels judged.qrels --run TruePos.run --run CombAll.run --measures ndcg@10,map --per-query

Files have TREC's formats: \"query 0 document grade\" and \"query Q0 document rank score name\".
Definitions are trec_eval's. The gain of nDCG is the grade, that of nDCG-exp 2^grade - 1. Every
judged query counts; a query without an answer counts 0, and an unjudged document gains nothing.
Intervals have 95 percent confidence (bootstrap over queries).")]
pub(crate) struct Options {
    /// Judgments
    #[arg(long, value_name = "FILE")]
    qrels: PathBuf,

    /// A run; repeat for several
    #[arg(long, value_name = "FILE", required = true)]
    run: Vec<PathBuf>,

    #[command(flatten)]
    judging: Judging,

    /// Show every query
    #[arg(long)]
    per_query: bool,

    #[command(flatten)]
    output: Output,
}

/// Which measures to take, and how.
#[derive(Debug, Args)]
pub(crate) struct Judging {
    /// Measures, such as ndcg,ndcg@5,ndcg-exp@10,map,p@5,r@100,mrr,bpref [default: all of these]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    measures: Vec<Measure>,

    /// The least grade that is relevant, for all measures but nDCG
    #[arg(long, value_name = "GRADE", default_value_t = 2)]
    relevant: i32,

    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

impl Judging {
    pub(crate) fn evaluate(&self, qrels: &Qrels, run: &RunFile) -> Evaluation {
        let measures = match self.measures.as_slice() {
            [] => &Measure::USUAL,
            some => some,
        };
        Evaluation::of(qrels, run, measures, self.relevant)
    }
}

#[derive(Serialize)]
struct Report {
    provenance: Provenance,
    runs: Vec<RunReport>,
}

#[derive(Serialize)]
struct RunReport {
    run: String,
    measures: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    queries: Vec<Query>,
}

#[derive(Serialize)]
struct Row {
    measure: String,
    #[serde(flatten)]
    estimate: Estimate,
}

#[derive(Serialize)]
struct Query {
    query: String,
    values: Vec<f64>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let qrels = read_qrels(&options.qrels)?;
    let runs = options.run.iter().map(|it| read_run(it));
    let runs = runs.collect::<anyhow::Result<Vec<_>>>()?;
    let evaluate = |it| options.judging.evaluate(&qrels, it);
    let evaluations: Vec<Evaluation> = runs.iter().map(evaluate).collect();
    if let Some(folder) = options.output.folder() {
        write(&folder, &evaluations)?;
    }
    let seed = options.judging.seed;
    if options.output.json {
        let report = |it| RunReport::new(it, seed, options.per_query);
        return json::print(&Report {
            provenance: Provenance::new(seed),
            runs: evaluations.iter().map(report).collect(),
        });
    }
    Provenance::new(seed).print();
    for evaluation in &evaluations {
        print(evaluation, seed, options.per_query);
    }
    Ok(())
}

impl RunReport {
    fn new(evaluation: &Evaluation, seed: u64, per_query: bool) -> RunReport {
        let row = |(measure, estimate): (Measure, Estimate)| Row {
            measure: measure.to_string(),
            estimate,
        };
        let queries = evaluation.queries.iter().filter(|_| per_query);
        let query = |(query, values): &(String, Vec<f64>)| Query {
            query: query.clone(),
            values: values.clone(),
        };
        RunReport {
            run: evaluation.run.clone(),
            measures: evaluation.estimates(seed).into_iter().map(row).collect(),
            queries: queries.map(query).collect(),
        }
    }
}

fn print(evaluation: &Evaluation, seed: u64, per_query: bool) {
    let count = evaluation.queries.len();
    let (name, strong, plain) = (&evaluation.run, style::STRONG, style::PLAIN);
    say!("{strong}{name}{plain}, {count} queries");
    for (measure, estimate) in evaluation.estimates(seed) {
        say!("  {:<13}{}", measure.to_string(), interval(&estimate));
    }
    if per_query {
        let names: Vec<String> = evaluation.measures.iter().map(Measure::to_string).collect();
        let cells = |it: &[String]| it.iter().map(|it| format!("{it:>13}")).collect::<String>();
        say!("  {:<10}{}", "query", cells(&names));
        for (query, values) in &evaluation.queries {
            let values: Vec<String> = values.iter().map(|it| format!("{it:.4}")).collect();
            say!("  {query:<10}{}", cells(&values));
        }
    }
    say!();
}

fn write(folder: &Folder<'_>, evaluations: &[Evaluation]) -> anyhow::Result<()> {
    let rows = evaluations.iter().flat_map(|evaluation| {
        evaluation.queries.iter().flat_map(|(query, values)| {
            let pairs = evaluation.measures.iter().zip(values);
            let row = |(measure, value): (&Measure, &f64)| {
                let cells = [
                    &evaluation.run,
                    query,
                    &measure.to_string(),
                    &value.to_string(),
                ];
                cells.map(String::clone).to_vec()
            };
            pairs.map(row).collect::<Vec<_>>()
        })
    });
    folder.put_table("measures.csv", &["run", "query", "measure", "value"], rows)
}

pub(crate) fn read_qrels(path: &Path) -> anyhow::Result<Qrels> {
    let name = || path.display().to_string();
    let qrels = Qrels::parse(&fs::read_to_string(path).with_context(name)?).with_context(name)?;
    anyhow::ensure!(
        qrels.iter().next().is_some(),
        "{} holds no judgments; give lines of \"query 0 document grade\"",
        name()
    );
    Ok(qrels)
}

pub(crate) fn read_run(path: &Path) -> anyhow::Result<RunFile> {
    let name = || path.display().to_string();
    RunFile::parse(&fs::read_to_string(path).with_context(name)?).with_context(name)
}
