//! `tabiya-lab motifs`: does a search find puzzles of the same motif?

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::Serialize;
use tabiya_terminal::{progress::grouped, style};

use super::report::{Folder, Output, Provenance, interval};
use super::steps::Steps;
use crate::{
    bootstrap::{Estimate, Paired},
    measure::{Gain, Measure},
    motif::{Benchmark, Grading, MOTIFS, Outcome, Ranker, Sampling, Study},
    plot::{Dots, Figure, Series},
    puzzle,
    split::Part,
};

/// Search for puzzles of the same motif: a benchmark labeled by people.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya-lab motifs --puzzles lichess_db_puzzle.csv.zst --out results

A puzzle's position is the query, the other puzzles are the documents, relevance is graded from 0
to 4 by the motifs they share; rare motifs count more. For every ranking the table shows nDCG@10,
MAP and P@5 with intervals, and the difference to CombAll in nDCG@10 with its interval. Choose
settings on --split train; report the figures of test. docs/experiments.md has the rules.")]
pub(crate) struct Options {
    /// Puzzles in the table layout of Lichess, plain or compressed
    #[arg(long, value_name = "FILE")]
    puzzles: PathBuf,

    /// Which half of the puzzles
    #[arg(long, value_enum, default_value_t)]
    split: Half,

    /// How documents are graded
    #[arg(long, value_enum, default_value_t)]
    grading: Rule,

    /// The most documents
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    documents: usize,

    /// Number of queries for each motif
    #[arg(long, value_name = "N", default_value_t = 10)]
    queries: usize,

    /// Skip rankings that read game trees or best lines, which take most of the time
    #[arg(long)]
    quick: bool,

    /// Only rankings whose names contain this, and CombAll
    #[arg(long, value_name = "NAME")]
    only: Option<String>,

    /// Seed for choosing documents and queries
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Half {
    /// For choosing settings
    Train,
    /// For the figures to report
    #[default]
    Test,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Rule {
    /// By the share of the query's motifs; rare motifs count more
    #[default]
    Weighted,
    /// By the number of shared motifs, at most 3
    Counted,
}

#[derive(Serialize)]
struct Report {
    provenance: Provenance,
    queries: usize,
    rankings: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    ranking: String,
    #[serde(rename = "nDCG@10")]
    ndcg: Estimate,
    #[serde(rename = "MAP")]
    map: Estimate,
    #[serde(rename = "P@5")]
    precision: Estimate,
    /// In nDCG@10.
    against_comb_all: Paired,
    motifs: Vec<MotifRow>,
}

#[derive(Serialize)]
struct MotifRow {
    motif: &'static str,
    #[serde(rename = "nDCG@10")]
    ndcg: f64,
    #[serde(rename = "MAP")]
    map: f64,
    #[serde(rename = "P@5")]
    precision: f64,
}

const NDCG: Measure = Measure::ndcg(Gain::Linear, Some(10));
const MAP: Measure = Measure::AveragePrecision;
const PRECISION: Measure = Measure::Precision(5);

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let benchmark = options.benchmark()?;
    let mut rankers = Ranker::all();
    let is_slow = |it: &Ranker| it.reads_lines() || matches!(it, Ranker::Replayed(_));
    rankers.retain(|it| !options.quick || !is_slow(it));
    if let Some(name) = &options.only {
        let comb_all = Ranker::Run(tabiya_retrieval::Run::CombAll);
        rankers.retain(|it| *it == comb_all || it.name().contains(name));
    }
    let outcomes = judge(&benchmark, &rankers);
    let rows = rows(&rankers, &outcomes, options.seed);
    if let Some(folder) = options.output.folder() {
        write(&folder, &rows)?;
    }
    let documents = grouped(benchmark.puzzles.len() as u64);
    let report = Report {
        provenance: Provenance::new(options.seed).over(format!("{documents} puzzles")),
        queries: benchmark.queries.len(),
        rankings: rows,
    };
    options.output.print(&report, print)
}

impl Options {
    fn benchmark(&self) -> anyhow::Result<Benchmark> {
        let name = || self.puzzles.display().to_string();
        let puzzles = puzzle::read(&self.puzzles).with_context(name)?;
        let sampling = Sampling {
            part: match self.split {
                Half::Train => Part::Train,
                Half::Test => Part::Test,
            },
            documents: self.documents,
            queries: self.queries,
            seed: self.seed,
        };
        let benchmark = Benchmark::draw(puzzles, &sampling);
        anyhow::ensure!(
            !benchmark.queries.is_empty(),
            "{} has too few puzzles with motifs; give a table of puzzles with their themes",
            name()
        );
        Ok(match self.grading {
            Rule::Weighted => benchmark,
            Rule::Counted => benchmark.graded(Grading::Counted),
        })
    }
}

/// The outcome of every query, by ranker.
fn judge(benchmark: &Benchmark, rankers: &[Ranker]) -> Vec<Vec<Outcome>> {
    let lines = rankers.iter().any(|it| it.reads_lines());
    let reading = Steps::start(benchmark.puzzles.len(), "reading lines");
    let study = Study::new(benchmark, lines, || reading.step());
    drop(reading);
    let ranking = Steps::start(rankers.len() * benchmark.queries.len(), "ranking");
    let judge = |&ranker: &Ranker| {
        benchmark.judge(|query| {
            let scores = study.scores(ranker, query);
            ranking.step();
            scores
        })
    };
    rankers.iter().map(judge).collect()
}

fn rows(rankers: &[Ranker], outcomes: &[Vec<Outcome>], seed: u64) -> Vec<Row> {
    let values = |outcomes: &[Outcome], measure: Measure| -> Vec<f64> {
        outcomes.iter().map(|it| it.measure(measure)).collect()
    };
    let comb_all = Ranker::Run(tabiya_retrieval::Run::CombAll);
    let baseline = rankers.iter().position(|&it| it == comb_all);
    let baseline = baseline
        .map(|it| values(&outcomes[it], NDCG))
        .unwrap_or_default();
    let row = |(ranker, outcomes): (&Ranker, &Vec<Outcome>)| {
        let ndcg = values(outcomes, NDCG);
        Row {
            ranking: ranker.name(),
            against_comb_all: Paired::of(&baseline, &ndcg, seed),
            ndcg: Estimate::of(&ndcg, seed),
            map: Estimate::of(&values(outcomes, MAP), seed),
            precision: Estimate::of(&values(outcomes, PRECISION), seed),
            motifs: by_motif(outcomes),
        }
    };
    rankers.iter().zip(outcomes).map(row).collect()
}

fn by_motif(outcomes: &[Outcome]) -> Vec<MotifRow> {
    let row = |motif: usize| {
        let drawn: Vec<&Outcome> = outcomes.iter().filter(|it| it.motif == motif).collect();
        let mean = |measure| {
            let sum: f64 = drawn.iter().map(|it| it.measure(measure)).sum();
            sum / drawn.len() as f64
        };
        (!drawn.is_empty()).then(|| MotifRow {
            motif: MOTIFS[motif],
            ndcg: mean(NDCG),
            map: mean(MAP),
            precision: mean(PRECISION),
        })
    };
    (0..MOTIFS.len()).filter_map(row).collect()
}

fn print(report: &Report) {
    report.provenance.print();
    let (strong, plain) = (style::STRONG, style::PLAIN);
    say!(
        "{strong}{:<27}nDCG@10                  MAP     P@5     to CombAll                   p{plain}",
        format!("{} queries", report.queries)
    );
    for row in &report.rankings {
        let Paired { difference, p, .. } = row.against_comb_all;
        say!(
            "{:<27}{}  {:.4}  {:.4}  {:+.4} [{:+.4}, {:+.4}]  {p:.4}",
            row.ranking,
            interval(&row.ndcg),
            row.map.mean,
            row.precision.mean,
            difference.mean,
            difference.low,
            difference.high
        );
    }
    say!();
    let shown: Vec<&Row> = report.rankings.iter().filter(|it| is_shown(it)).collect();
    let names: String = shown
        .iter()
        .map(|it| format!("{:>27}", it.ranking))
        .collect();
    say!("{strong}{:<20}{names}{plain}", "nDCG@10 by motif");
    let motifs = shown.first().map_or(&[][..], |it| it.motifs.as_slice());
    for (at, motif) in motifs.iter().enumerate() {
        let values = shown
            .iter()
            .map(|it| format!("{:>27.3}", it.motifs[at].ndcg));
        say!("{:<20}{}", motif.motif, values.collect::<String>());
    }
}

/// Whether a ranking is shown motif by motif.
fn is_shown(row: &Row) -> bool {
    let tabiya = Ranker::Run(tabiya_retrieval::Run::Tabiya);
    let comb_all = Ranker::Run(tabiya_retrieval::Run::CombAll);
    let shown = [comb_all, tabiya, Ranker::SecondStage, Ranker::Motif];
    shown.iter().any(|it| it.name() == row.ranking)
}

fn write(folder: &Folder<'_>, rows: &[Row]) -> anyhow::Result<()> {
    let overall = rows.iter().map(|row| {
        let estimates = [
            row.ndcg,
            row.map,
            row.precision,
            row.against_comb_all.difference,
        ];
        let figures = estimates.iter().flat_map(|it| [it.mean, it.low, it.high]);
        let figures = figures.chain([row.against_comb_all.p]);
        std::iter::once(row.ranking.clone())
            .chain(figures.map(|it| format!("{it:.4}")))
            .collect()
    });
    let header = [
        "ranking",
        "nDCG@10",
        "low",
        "high",
        "MAP",
        "low",
        "high",
        "P@5",
        "low",
        "high",
        "to CombAll",
        "low",
        "high",
        "p",
    ];
    folder.put_table("motifs.csv", &header, overall)?;
    let by_motif = rows.iter().flat_map(|row| {
        row.motifs.iter().map(|it| {
            let figures = [it.ndcg, it.map, it.precision].map(|it| format!("{it:.4}"));
            let names = [row.ranking.clone(), it.motif.to_owned()];
            names.into_iter().chain(figures).collect()
        })
    });
    let header = ["ranking", "motif", "nDCG@10", "MAP", "P@5"];
    folder.put_table("motifs-by-motif.csv", &header, by_motif)?;
    folder.put("motifs.svg", figure(rows).to_svg()?)
}

/// nDCG@10 by motif.
fn figure(rows: &[Row]) -> Dots {
    let shown: Vec<&Row> = rows.iter().filter(|it| is_shown(it)).collect();
    let motifs = shown.first().map_or(&[][..], |it| it.motifs.as_slice());
    let series = |row: &&Row| Series {
        name: row.ranking.clone(),
        values: row.motifs.iter().map(|it| Some(it.ndcg)).collect(),
    };
    Dots {
        title: "Puzzles of the same motif found".to_owned(),
        axis: "nDCG@10".to_owned(),
        range: (0.0, 1.0),
        rows: motifs.iter().map(|it| it.motif.to_owned()).collect(),
        series: shown.iter().map(series).collect(),
    }
}
