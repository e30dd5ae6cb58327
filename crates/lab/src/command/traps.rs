//! `tabiya-lab traps`: does similarity of game trees find traps?

use clap::{Args, ValueEnum};
use serde::Serialize;
use tabiya_chess::trap::{Prize, Trap, library};
use tabiya_terminal::style;

use super::report::{Folder, Output};
use super::steps::Steps;
use crate::plot::{Dots, Figure, Series};
use crate::traps::detection::{self, Method, Row, Summary};
use crate::traps::sampling::{self, AboveMean, SampleError};
use crate::traps::{Survey, pairing};

/// Repeat and extend the trap experiment of Evans and Turrini.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya-lab traps
  tabiya-lab traps --traps further --out results

Tables: errors at the mean similarity and area under the ROC curve by trap and measure
(the paper's table 2), traps above the mean by the structural measure (its 85 %), matched
moves (its table 3), and the error of sampling children.")]
pub(crate) struct Options {
    /// Which traps
    #[arg(long, value_enum, default_value_t)]
    traps: Which,

    /// Skip the ordered tree edit distance, which takes most of the time
    #[arg(long)]
    quick: bool,

    /// Seed for the random samples
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Which {
    /// The four of the paper
    #[default]
    Paper,
    /// The other mates of the library, which did not influence our measures
    Further,
    /// The traps of the library that win material
    Material,
}

impl Which {
    fn traps(self) -> Vec<&'static Trap> {
        let is_mate = |it: &&Trap| matches!(it.prize, Prize::Mate { .. });
        let (paper, others) = library().split_at(4);
        match self {
            Which::Paper => paper.iter().collect(),
            Which::Further => others.iter().filter(is_mate).collect(),
            Which::Material => others.iter().filter(|it| !is_mate(it)).collect(),
        }
    }
}

#[derive(Serialize)]
struct Report {
    detection: Vec<Row>,
    summary: Vec<Summary>,
    above_mean: Vec<AboveMean>,
    matching: Vec<pairing::Row>,
    sampling: Vec<SampleError>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let traps = options.traps.traps();
    let methods: Vec<Method> = Method::ALL
        .into_iter()
        .filter(|it| !options.quick || *it != Method::TreeEditOrdered2)
        .collect();
    let steps = Steps::start(traps.len(), "traps");
    let mut rows = detection::table(&traps, &methods, || steps.step());
    drop(steps);
    // Only the paper's four traps have published figures.
    if options.traps != Which::Paper {
        rows.iter_mut().for_each(|it| it.published = None);
    }
    let mut report = Report {
        summary: Summary::of(&rows),
        detection: rows,
        above_mean: Vec::new(),
        matching: Vec::new(),
        sampling: Vec::new(),
    };
    if options.traps == Which::Paper {
        let surveys: Vec<Survey<'_>> = traps.iter().map(|it| Survey::of(it)).collect();
        report.above_mean = surveys
            .iter()
            .map(|it| sampling::above_mean(it, 5, options.seed))
            .collect();
        let pairs: Vec<_> = surveys
            .iter()
            .flat_map(|it| sampling::pairs(it, 50))
            .collect();
        let sizes = [4, 8, 12, 16, 24];
        report.sampling = sizes
            .map(|it| sampling::sample_error(&pairs, it, options.seed))
            .into();
        report.matching = pairing::table();
    }
    if let Some(folder) = options.output.folder() {
        write(&folder, &report)?;
    }
    options.output.print(&report, print)
}

fn print(report: &Report) {
    print_detection(&report.detection);
    print_summary(&report.summary);
    print_above_mean(&report.above_mean);
    print_matching(&report.matching);
    print_sampling(&report.sampling);
}

fn heading(text: &str) {
    say!("\n{}{text}{}", style::STRONG, style::PLAIN);
}

fn print_detection(rows: &[Row]) {
    heading("False negatives / false positives at the mean, and area under the ROC curve");
    let mut last = "";
    for row in rows {
        if row.trap != last {
            say!(
                "{} ({} positions, {} traps)",
                row.trap,
                row.positions,
                row.traps
            );
            last = &row.trap;
        }
        let published = row.published.map_or(String::new(), |(fnr, fpr)| {
            format!("published {fnr:.3} / {fpr:.3}")
        });
        say!(
            "  {:28}{:.3} / {:.3}   {:.3}   {}{published}{}",
            row.method.name(),
            row.false_negatives,
            row.false_positives,
            row.area,
            style::FAINT,
            style::PLAIN
        );
    }
}

fn print_summary(rows: &[Summary]) {
    heading(
        "Area under the ROC curve over all traps: mean, least, traps on which it beats continuations of 1 and 2 plies",
    );
    for row in rows {
        say!(
            "  {:28}{:.3}  {:.3}  {:>3} of {}",
            row.method.name(),
            row.mean,
            row.least,
            row.better,
            row.traps
        );
    }
}

fn print_above_mean(rows: &[AboveMean]) {
    if rows.is_empty() {
        return;
    }
    heading("Structural measure: share of traps above the mean (published: 85 % in samples of 40)");
    for row in rows {
        say!(
            "  {:28}all positions {:.3} (non-traps {:.3}), five samples of 40 {:.3}",
            row.trap,
            row.full,
            row.full_others,
            row.sampled
        );
    }
}

fn print_matching(rows: &[pairing::Row]) {
    if rows.is_empty() {
        return;
    }
    heading("Matched moves: equally decisive among the five most frequent, and the most frequent");
    for row in rows {
        say!(
            "  {:28}{} (published {})  {}, {}  {}published {}, {}{}",
            row.pair,
            row.equal,
            row.published_equal,
            row.top.0,
            row.top.1,
            style::FAINT,
            row.published_top.0,
            row.published_top.1,
            style::PLAIN
        );
    }
}

fn print_sampling(rows: &[SampleError]) {
    if rows.is_empty() {
        return;
    }
    heading("Structural measure over a sample of the children: error against all children");
    for row in rows {
        say!(
            "  {:2} children: mean {:.4}, greatest {:.4} over {} pairs",
            row.children,
            row.mean,
            row.greatest,
            row.pairs
        );
    }
}

fn write(folder: &Folder<'_>, report: &Report) -> anyhow::Result<()> {
    let rows = report.detection.iter().map(Row::cells);
    folder.put_table("traps.csv", &Row::HEADER, rows)?;
    if !report.matching.is_empty() {
        let rows = report.matching.iter().map(pairing::Row::cells);
        folder.put_table("matching.csv", &pairing::Row::HEADER, rows)?;
    }
    folder.put("traps.svg", figure(&report.detection).to_svg()?)
}

/// The area by trap and measure.
fn figure(rows: &[Row]) -> Dots {
    const SHOWN: [Method; 5] = [
        Method::Continuations1,
        Method::Continuations2,
        Method::Structural,
        Method::Freedom,
        Method::FreedomAndContinuations,
    ];
    let mut traps: Vec<&str> = rows.iter().map(|it| it.trap.as_str()).collect();
    traps.dedup();
    let area = |trap: &&str, method: Method| {
        rows.iter()
            .find(|it| it.trap == *trap && it.method == method)
            .map(|it| it.area)
    };
    Dots {
        title: "How well measures tell traps from other positions".to_owned(),
        axis: "area under the ROC curve".to_owned(),
        range: (0.4, 1.0),
        rows: traps.iter().map(|&it| it.to_owned()).collect(),
        series: SHOWN
            .iter()
            .map(|&method| Series {
                name: method.name().to_owned(),
                values: traps.iter().map(|trap| area(trap, method)).collect(),
            })
            .collect(),
    }
}
