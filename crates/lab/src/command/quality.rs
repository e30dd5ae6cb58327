//! `tabiya-lab quality`: is one ranking better than another, by every measure?

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tabiya_gametree::Dice;
use tabiya_retrieval::Collection;
use tabiya_terminal::{sample::Database, style};

use super::report::{Output, Provenance};
use super::steps::Steps;
use crate::{
    epd,
    known_item::{self, Disturbance},
    motif::{Benchmark, Sampling},
    next_move::{self, Case},
    puzzle,
    quality::{self, Ranking, Scale, Summary, Together, Values},
    split::Part,
};

/// Judge rankings by all measures on the same queries.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya-lab quality --db medium --puzzles puzzles.csv.zst --games large.pgn.zst --themes sts.epd

G is the geometric mean of motifs (nDCG@10), known items after 4 shifts and first next moves, as a
multiple of the first ranking's. p comes from a paired randomization test, corrected for the
number of measures (Holm). Choose settings on --part choose; report --part test.
docs/ranking.md has the rules.")]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,

    /// Puzzles in the table layout of Lichess, plain or compressed
    #[arg(long, value_name = "FILE")]
    puzzles: PathBuf,

    /// Games that next moves are drawn from, as PGN, plain or compressed
    #[arg(long, value_name = "FILE")]
    games: PathBuf,

    /// Positions with themes, as EPD (the Strategic Test Suite)
    #[arg(long, value_name = "FILE")]
    themes: Option<PathBuf>,

    /// Rankings; the first is the one to compare with
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "CombAll,first,second"
    )]
    rankings: Vec<Ranking>,

    /// Which part of the data
    #[arg(long, value_enum, default_value_t)]
    part: Part,

    /// Puzzles in the collection, at most
    #[arg(long, value_name = "N", default_value_t = 12_000)]
    documents: usize,

    /// Puzzles asked for, for each motif
    #[arg(long, value_name = "N", default_value_t = 6)]
    queries: usize,

    /// Disturbed positions; a third of them for disturbances other than 4 shifts
    #[arg(long, value_name = "N", default_value_t = 300)]
    items: usize,

    /// Next moves; a quarter of them for structures
    #[arg(long, value_name = "N", default_value_t = 800)]
    cases: usize,

    /// Engine that judges plans, such as stockfish; without it plans are left out
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,

    /// Nodes that the engine searches for a position
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    nodes: u64,

    /// Positions whose plans are judged
    #[arg(long, value_name = "N", default_value_t = 60)]
    plans: usize,

    /// File that keeps what the engine said, for the next time
    #[arg(long, value_name = "FILE")]
    verdicts: Option<PathBuf>,

    /// Hide the puzzles in the collection instead: what is left of the gain? All other measures
    /// are left out
    #[arg(long)]
    scale: bool,

    /// Seed of all that is drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    output: Output,
}

#[derive(Serialize)]
struct Report {
    provenance: Provenance,
    rankings: Vec<&'static str>,
    measures: Vec<Summary>,
    together: Together,
    /// Microseconds that the second stage takes for a hit on one thread, without and with lines.
    cost: [f64; 2],
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let collection = options.database.open()?;
    if options.scale {
        return scale(options, &collection);
    }
    let benchmark = benchmark(options)?;
    let cost = quality::cost(&benchmark.positions());
    let [ndcg, precision] = motifs(options, &benchmark);
    let [shifted, others @ ..] = &known_items(options, &collection)?[..] else {
        anyhow::bail!("there are no disturbances");
    };
    let cases = cases(options, &collection)?;
    let [first, three, structure] = next_moves(options, &collection, &cases)?;
    let together = Together::of(&[&ndcg, shifted, &first], options.seed);
    let mut values = vec![ndcg, precision, shifted.clone()];
    values.extend_from_slice(others);
    values.extend([first, three, structure]);
    if let Some(path) = &options.themes {
        let problems =
            epd::read(path, None, usize::MAX).with_context(|| path.display().to_string())?;
        values.push(quality::themes(&problems, &options.rankings, 3));
    }
    values.extend(plans(options, &collection, &cases)?);
    let report = Report {
        provenance: Provenance::new(options.seed).over_games(&collection),
        rankings: options.rankings.iter().map(|it| it.name()).collect(),
        measures: Summary::of(&values, options.seed),
        together,
        cost: cost.map(|it| it.as_secs_f64() * 1e6 / 100.0),
    };
    options.output.print(&report, print)
}

#[derive(Serialize)]
struct ScaleReport {
    provenance: Provenance,
    rankings: Vec<&'static str>,
    measure: Vec<Summary>,
    scale: Scale,
}

fn scale(options: &Options, collection: &Collection) -> anyhow::Result<()> {
    let scale = quality::scale(collection, &benchmark(options)?, &options.rankings)?;
    let report = ScaleReport {
        provenance: Provenance::new(options.seed).over_games(collection),
        rankings: options.rankings.iter().map(|it| it.name()).collect(),
        measure: Summary::of(std::slice::from_ref(&scale.values), options.seed),
        scale,
    };
    options.output.print(&report, |report| {
        report.provenance.print();
        print_measures(&report.rankings, &report.measure);
        say!("\nrelevant puzzles within the best 300, 1,000 and 5,000");
        for (name, shares) in &report.scale.found {
            let shares = shares.iter().map(|it| format!("{it:>8.3}"));
            say!("{name:<24}{}", shares.collect::<String>());
        }
    })
}

fn motifs(options: &Options, benchmark: &Benchmark) -> [Values; 2] {
    let steps = Steps::start(benchmark.queries.len(), "motifs");
    quality::motifs(benchmark, &options.rankings, || steps.step())
}

fn benchmark(options: &Options) -> anyhow::Result<Benchmark> {
    let name = || options.puzzles.display().to_string();
    let puzzles = puzzle::read(&options.puzzles).with_context(name)?;
    let sampling = Sampling {
        part: options.part,
        documents: options.documents,
        queries: options.queries,
        seed: options.part.seed(options.seed),
    };
    Ok(Benchmark::draw(puzzles, &sampling))
}

/// The values after 4 shifts first.
fn known_items(options: &Options, collection: &Collection) -> anyhow::Result<Vec<Values>> {
    let disturbances = [
        Disturbance::Shifts(4),
        Disturbance::Shifts(2),
        Disturbance::Shifts(6),
        Disturbance::PawnRemoved,
        Disturbance::Tempo,
        Disturbance::Swapped,
        Disturbance::Mirrored,
    ];
    let seed = options.part.seed(options.seed);
    let items = known_item::draw(collection, options.items, &mut Dice::new(seed))?;
    let steps = Steps::start(disturbances.len(), "disturbances");
    let mut values = Vec::new();
    for disturbance in disturbances {
        let count = match disturbance {
            Disturbance::Shifts(4) => items.len(),
            _ => items.len() / 3,
        };
        let (items, rankings) = (&items[..count], &options.rankings);
        values.push(quality::known_items(
            collection,
            items,
            rankings,
            disturbance,
            seed,
        )?);
        steps.step();
    }
    Ok(values)
}

fn cases(options: &Options, collection: &Collection) -> anyhow::Result<Vec<Case>> {
    let mut dice = Dice::new(options.part.seed(options.seed));
    let games = options
        .part
        .games(&options.games, 2 * options.cases, &mut dice)?;
    Ok(next_move::cases(collection, &games, options.cases, &mut dice)?.0)
}

/// The first proposal, the first three, and the structure.
fn next_moves(
    options: &Options,
    collection: &Collection,
    cases: &[Case],
) -> anyhow::Result<[Values; 3]> {
    let [first, three] = quality::next_moves(collection, cases, &options.rankings)?;
    let some = &cases[..cases.len() / 4];
    let structure = quality::structures(collection, some, &options.rankings)?;
    Ok([first, three, structure])
}

fn plans(
    options: &Options,
    collection: &Collection,
    cases: &[Case],
) -> anyhow::Result<Option<Values>> {
    let Some(engine) = &options.engine else {
        return Ok(None);
    };
    let kept = options.verdicts.as_deref();
    let mut judge = quality::PlanJudge::start(engine, options.nodes, kept)?;
    let cases = &cases[..cases.len().min(options.plans)];
    let steps = Steps::start(cases.len(), "plans");
    let rankings = &options.rankings;
    let values = quality::plans(collection, cases, rankings, &mut judge, || steps.step())?;
    Ok(Some(values))
}

fn print_measures(rankings: &[&str], measures: &[Summary]) {
    let (strong, plain) = (style::STRONG, style::PLAIN);
    let names = rankings.iter().map(|it| format!("{it:>24}"));
    say!(
        "{strong}{:<24}{:>5}{}{plain}",
        "",
        "",
        names.collect::<String>()
    );
    for row in measures {
        let mean = |it: &crate::bootstrap::Estimate| {
            format!(
                "{:>24}",
                format!("{:.3} [{:.3}, {:.3}]", it.mean, it.low, it.high)
            )
        };
        let means: String = row.means.iter().map(mean).collect();
        say!("{:<24}{:>5}{means}", row.measure, row.queries);
        let compared = row.differences.iter().zip(&row.adjusted).map(|(it, p)| {
            let text = format!("{:+.3} p {:.4} ({p:.4})", it.difference.mean, it.p);
            format!("{text:>24}")
        });
        let compared: String = compared.skip(1).collect();
        say!("{:<29}{:>24}{compared}", "", "");
    }
}

fn print(report: &Report) {
    report.provenance.print();
    print_measures(&report.rankings, &report.measures);
    let (strong, plain) = (style::STRONG, style::PLAIN);
    let means = report.together.means.iter().map(|it| format!("{it:>24.4}"));
    say!("{strong}{:<29}{}{plain}", "G", means.collect::<String>());
    let ratios = report.together.ratios.iter().map(|it| {
        let text = format!("{:.3} [{:.3}, {:.3}]", it.mean, it.low, it.high);
        format!("{text:>24}")
    });
    let first = report.rankings.first().copied().unwrap_or_default();
    say!(
        "{:<29}{}",
        format!("G / {first}"),
        ratios.collect::<String>()
    );
    say!(
        "\nthe second stage takes {:.1} µs for a hit on one thread, {:.1} µs with lines",
        report.cost[0],
        report.cost[1]
    );
}
