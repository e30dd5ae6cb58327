//! `tabiya-lab sweep`: a measure over a grid of k1 and b, and by number of pieces.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use shakmaty::{Chess, Position};
use tabiya_question::parameter::run_parser;
use tabiya_retrieval::{Collection, Query, Run, collection::Qrels, rank::Ranking};
use tabiya_terminal::{progress::grouped, sample::Database, style};

use super::measure::read_qrels;
use super::queries::read_positions;
use super::report::{Folder, Output, Provenance, interval};
use super::steps::Steps;
use crate::{
    bootstrap::Estimate,
    measure::{Gain, Judged, Measure},
    motif::{Benchmark, Sampling},
    plot::Figure,
    position_index::{PositionIndex, PositionQuery},
    puzzle,
    run_file::{Retrieved, RunFile, document},
    run_variant::past_openings,
    split::Part,
    sweep::{self, Cell, Group},
};

/// Sweep over k1 and b: a measure as a table and a figure, and by number of pieces.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya-lab sweep --db my-games --queries positions.fen --qrels judged.qrels --out results
  tabiya-lab sweep --puzzles lichess_db_puzzle.csv.zst --measure ndcg@10 --out results

Judgments come from people (a query's name is the number of its line), or from the training half
of the motif benchmark. Writes sweep.csv and sweep.svg, pieces.csv and pieces.svg.")]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,

    /// Positions, one FEN per line
    #[arg(long, value_name = "FILE", requires = "qrels")]
    queries: Option<PathBuf>,

    /// Judgments
    #[arg(long, value_name = "FILE", requires = "queries")]
    qrels: Option<PathBuf>,

    /// Puzzles instead, judged by their motifs
    #[arg(long, value_name = "FILE", conflicts_with_all = ["queries", "db"], required_unless_present = "queries")]
    puzzles: Option<PathBuf>,

    /// The most puzzles
    #[arg(long, value_name = "N", default_value_t = 8000)]
    documents: usize,

    /// The run whose k1 and b vary
    #[arg(long, value_name = "RUN", default_value = "CombAll", ignore_case = true, value_parser = run_parser())]
    run: Run,

    /// Values of k1
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "0,0.25,0.5,0.75,1,1.2,1.5,2,3"
    )]
    k1: Vec<f64>,

    /// Values of b
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "0,0.3,0.5,0.7,0.75,1"
    )]
    b: Vec<f64>,

    /// Measure
    #[arg(long, default_value = "nDCG@10")]
    measure: Measure,

    /// The least grade that is relevant, for all measures but nDCG
    #[arg(long, value_name = "GRADE", default_value_t = 2)]
    relevant: i32,

    /// Seed for choosing puzzles and for the bootstrap
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    output: Output,
}

/// How many documents of a ranking are judged.
const DEPTH: usize = 1000;

#[derive(Serialize)]
struct Report {
    provenance: Provenance,
    run: &'static str,
    measure: String,
    cells: Vec<Cell>,
    pieces: Vec<(String, Vec<Group>)>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let subject = Subject::open(options)?;
    let cells = cells(options, &subject)?;
    let report = Report {
        provenance: Provenance::new(options.seed).over(subject.name()),
        run: options.run.name(),
        measure: options.measure.to_string(),
        cells,
        pieces: by_pieces(options, &subject)?,
    };
    if let Some(folder) = options.output.folder() {
        write(&folder, &report)?;
    }
    options.output.print(&report, print)
}

/// What the sweep measures on.
enum Subject {
    Games {
        collection: Collection,
        queries: Vec<(usize, Chess)>,
        qrels: Qrels,
    },
    Puzzles {
        benchmark: Benchmark,
        index: PositionIndex,
    },
}

impl Subject {
    fn open(options: &Options) -> anyhow::Result<Subject> {
        if let (Some(queries), Some(qrels)) = (&options.queries, &options.qrels) {
            let qrels = read_qrels(qrels)?;
            let mut queries = read_positions(queries)?;
            queries.retain(|it| qrels.of(&it.0.to_string()).is_some());
            anyhow::ensure!(
                !queries.is_empty(),
                "no query has judgments; a query's name is the number of its line"
            );
            return Ok(Subject::Games {
                collection: options.database.open()?,
                queries,
                qrels,
            });
        }
        let path = options
            .puzzles
            .as_deref()
            .context("give --queries or --puzzles")?;
        let name = || path.display().to_string();
        let sampling = Sampling {
            part: Part::Train,
            documents: options.documents,
            queries: 10,
            seed: options.seed,
        };
        let benchmark = Benchmark::draw(puzzle::read(path).with_context(name)?, &sampling);
        anyhow::ensure!(
            !benchmark.queries.is_empty(),
            "{} has too few puzzles with motifs",
            name()
        );
        let index = PositionIndex::new(&benchmark.positions());
        Ok(Subject::Puzzles { benchmark, index })
    }

    fn name(&self) -> String {
        match self {
            Subject::Games { collection, .. } => format!("{} games", grouped(collection.games())),
            Subject::Puzzles { benchmark, .. } => {
                format!("{} puzzles", grouped(benchmark.puzzles.len() as u64))
            }
        }
    }

    /// The measures of every query, by a ranking.
    fn values(
        &self,
        options: &Options,
        ranking: &Ranking,
        measures: &[Measure],
    ) -> anyhow::Result<Vec<Vec<f64>>> {
        match self {
            Subject::Games {
                collection,
                queries,
                qrels,
            } => {
                let mut values = Vec::new();
                for (number, position) in queries {
                    let query = past_openings(Query {
                        ranking: *ranking,
                        ..options.run.query(position.clone(), DEPTH)
                    });
                    let judged = judged(collection, &query, qrels, &number.to_string())?;
                    values.push(
                        measures
                            .iter()
                            .map(|it| it.of(&judged, options.relevant))
                            .collect(),
                    );
                }
                Ok(values)
            }
            Subject::Puzzles { benchmark, index } => {
                let outcomes = benchmark.judge(|query| {
                    let position = &benchmark.puzzles[query].position;
                    index.scores(&PositionQuery {
                        position,
                        ranking,
                        symmetries: options.run.symmetries(),
                        same_side: options.run.same_side(),
                    })
                });
                let values = outcomes
                    .iter()
                    .map(|it| measures.iter().map(|&m| it.measure(m)).collect());
                Ok(values.collect())
            }
        }
    }

    /// The number of pieces of each query.
    fn pieces(&self) -> Vec<usize> {
        let count = |it: &Chess| it.board().occupied().count();
        match self {
            Subject::Games { queries, .. } => queries.iter().map(|it| count(&it.1)).collect(),
            Subject::Puzzles { benchmark, .. } => {
                let queries = benchmark.queries.iter();
                queries
                    .map(|it| count(&benchmark.puzzles[it.0].position))
                    .collect()
            }
        }
    }
}

/// Searches for a query and joins the hits with their judgments.
fn judged(
    collection: &Collection,
    query: &Query,
    qrels: &Qrels,
    name: &str,
) -> anyhow::Result<Judged> {
    let hits = collection.search(query)?;
    let found = hits.iter().map(|hit| Retrieved {
        document: document(hit),
        score: hit.score,
    });
    let mut run = RunFile::default();
    run.insert(name, found.collect());
    let grades = qrels.of(name).cloned().unwrap_or_default();
    Ok(Judged::of(run.of(name), &grades))
}

fn cells(options: &Options, subject: &Subject) -> anyhow::Result<Vec<Cell>> {
    let steps = Steps::start(options.k1.len() * options.b.len(), "points of the grid");
    let mut cells = Vec::new();
    for &b in &options.b {
        for &k1 in &options.k1 {
            let ranking = Ranking {
                k1,
                b,
                ..options.run.ranking()
            };
            ranking.check()?;
            let values = subject
                .values(options, &ranking, &[options.measure])?
                .concat();
            let value = Estimate::of(&values, options.seed);
            cells.push(Cell { k1, b, value });
            steps.step();
        }
    }
    Ok(cells)
}

/// The measure and the paper's four by the number of pieces, with the usual k1 and b.
fn by_pieces(options: &Options, subject: &Subject) -> anyhow::Result<Vec<(String, Vec<Group>)>> {
    let usual = [
        Measure::ndcg(Gain::Linear, None),
        Measure::ndcg(Gain::Linear, Some(5)),
        Measure::AveragePrecision,
        Measure::Precision(5),
    ];
    let values = subject.values(options, &options.run.ranking(), &usual)?;
    let pieces = subject.pieces();
    let of = |(at, measure): (usize, &Measure)| {
        let column: Vec<f64> = values.iter().map(|it| it[at]).collect();
        let groups = sweep::by_pieces(&pieces, &column, options.seed);
        (measure.to_string(), groups)
    };
    Ok(usual.iter().enumerate().map(of).collect())
}

fn print(report: &Report) {
    report.provenance.print();
    let (strong, plain) = (style::STRONG, style::PLAIN);
    let Report {
        run,
        measure,
        cells,
        ..
    } = report;
    say!("{strong}{measure} of {run} by k1 and b{plain}");
    let mut k1s: Vec<f64> = cells.iter().map(|it| it.k1).collect();
    k1s.dedup_by(|one, two| one == two);
    let columns = cells
        .iter()
        .take_while(|it| it.b == cells[0].b)
        .count()
        .max(1);
    let header: String = k1s
        .iter()
        .take(columns)
        .map(|it| format!("{it:>8}"))
        .collect();
    say!("  {:<8}{header}", "b \\ k1");
    for line in cells.chunks(columns) {
        let values: String = line
            .iter()
            .map(|it| format!("{:>8.4}", it.value.mean))
            .collect();
        say!("  {:<8}{values}", line[0].b);
    }
    if let Some(best) = sweep::best(cells) {
        let Cell { k1, b, value } = best;
        say!("  best at k1 = {k1}, b = {b}: {}", interval(value));
    }
    say!("\n{strong}by pieces in the query{plain}");
    for (measure, groups) in &report.pieces {
        let cells = groups.iter().map(|it| {
            format!(
                "  {}-{} ({}): {:.4}",
                it.from, it.to, it.queries, it.value.mean
            )
        });
        say!("  {measure:<8}{}", cells.collect::<String>());
    }
}

fn write(folder: &Folder<'_>, report: &Report) -> anyhow::Result<()> {
    let figures = |it: &Estimate| [it.mean, it.low, it.high].map(|it| format!("{it:.4}"));
    let rows = report.cells.iter().map(|it| {
        let place = [it.k1.to_string(), it.b.to_string()];
        place.into_iter().chain(figures(&it.value)).collect()
    });
    folder.put_table(
        "sweep.csv",
        &["k1", "b", &report.measure, "low", "high"],
        rows,
    )?;
    let figure = sweep::figure(&report.cells, &report.measure);
    folder.put("sweep.svg", figure.to_svg()?)?;
    let rows = report.pieces.iter().flat_map(|(measure, groups)| {
        groups.iter().map(|it| {
            let place = [
                measure.clone(),
                it.from.to_string(),
                it.to.to_string(),
                it.queries.to_string(),
            ];
            place.into_iter().chain(figures(&it.value)).collect()
        })
    });
    let header = ["measure", "from", "to", "queries", "mean", "low", "high"];
    folder.put_table("pieces.csv", &header, rows)?;
    let figure = sweep::figure_by_pieces(&report.pieces);
    folder.put("pieces.svg", figure.to_svg()?)
}
