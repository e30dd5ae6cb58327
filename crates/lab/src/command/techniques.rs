//! `tabiya-lab techniques`: what each technique of the search is worth.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use serde::Serialize;
use tabiya_engine::search::{Pace, Settings, Technique};
use tabiya_terminal::json;

use super::contest::{openings, own_engine, stop_on_interrupt};
use crate::contest::{Budget, News, Rules, Score, play};
use crate::epd::{self, TestPosition};
use crate::rating::paired;
use crate::suite::{Form, Searcher, run as solve};

/// A program that takes longer for a move hangs.
const GUARD: Duration = Duration::from_secs(60);

/// Measure what each technique of the search is worth: a suite and games without it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tabiya-lab techniques wac.epd --nodes 20000 --games 100 --go nodes:3000 --openings sample/openings.tsv"
)]
pub(crate) struct Options {
    /// An EPD file of test positions.
    suite: PathBuf,
    /// Nodes for each test position.
    #[arg(long, default_value_t = 20_000)]
    nodes: u64,
    /// Games of the full search against the search without the technique; 0 for none.
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// Budget of both sides.
    #[arg(long, default_value = "nodes:3000")]
    go: Budget,
    /// Openings: a table with a column `moves`, or one line of moves per line.
    #[arg(long)]
    openings: Option<PathBuf>,
    /// Number of concurrent games.
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// Only these techniques.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Technique>,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

/// What a search is made to do without.
#[derive(Clone, Copy)]
enum Handicap {
    Nothing,
    Without(Technique),
    Pace(Pace),
}

impl Handicap {
    fn all(only: &[Technique]) -> Vec<Handicap> {
        if !only.is_empty() {
            return only.iter().map(|&it| Handicap::Without(it)).collect();
        }
        let without = Technique::ALL.iter().map(|&it| Handicap::Without(it));
        let paces = [Pace::Uniform, Pace::CheckOnly].map(Handicap::Pace);
        let first = std::iter::once(Handicap::Nothing);
        first.chain(without).chain(paces).collect()
    }

    fn name(self) -> String {
        match self {
            Handicap::Nothing => "nothing".to_owned(),
            Handicap::Without(technique) => technique.name().to_owned(),
            Handicap::Pace(pace) => format!("pace {pace} instead"),
        }
    }

    fn searcher(self) -> Searcher {
        let mut settings = Settings::default();
        match self {
            Handicap::Nothing => {}
            Handicap::Without(it) => settings.techniques = settings.techniques.without(it),
            Handicap::Pace(it) => settings.pace = it,
        }
        Searcher {
            form: Form::Strong,
            pace: settings.pace,
            settings,
        }
    }

    fn option(self) -> Option<(String, String)> {
        match self {
            Handicap::Nothing => None,
            Handicap::Without(it) => Some(("Without".to_owned(), it.name().to_owned())),
            Handicap::Pace(it) => Some(("Pace".to_owned(), it.to_string())),
        }
    }
}

/// What is lost by doing without.
#[derive(Serialize)]
struct Row {
    without: String,
    solved: usize,
    /// Won, drawn and lost by the whole search.
    games: Option<[u32; 3]>,
    elo: Option<[f64; 3]>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let problems = epd::read(&options.suite, None, usize::MAX)
        .with_context(|| format!("cannot read {}", options.suite.display()))?;
    anyhow::ensure!(
        !problems.is_empty(),
        "no positions in {}; give an EPD file",
        options.suite.display()
    );
    let stop = stop_on_interrupt()?;
    if !options.json {
        say!(
            "| without | solved of {} | whole search against it | Elo |",
            problems.len()
        );
        say!("|---|---|---|---|");
    }
    let mut rows = Vec::new();
    for handicap in Handicap::all(&options.only) {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        let row = measure(options, &problems, handicap, &stop)?;
        if !options.json {
            say!("{}", line(&row));
        }
        rows.push(row);
    }
    if options.json {
        json::print(&rows)?;
    }
    Ok(())
}

fn measure(
    options: &Options,
    problems: &[TestPosition],
    handicap: Handicap,
    stop: &AtomicBool,
) -> anyhow::Result<Row> {
    let tally = solve(problems, &handicap.searcher(), options.nodes);
    let option = handicap.option().filter(|_| options.games > 0);
    let score = option.map(|it| contest(options, it, stop)).transpose()?;
    let matched = score.as_ref().and_then(|it| paired(it.pairs));
    Ok(Row {
        without: handicap.name(),
        solved: tally.solved,
        games: score.map(|it| it.counts),
        elo: matched.map(|it| [it.low, it.elo, it.high]),
    })
}

/// The program as it is against itself with an option set.
fn contest(
    options: &Options,
    option: (String, String),
    stop: &AtomicBool,
) -> anyhow::Result<Score> {
    let rules = Rules {
        games: options.games,
        openings: openings(options.openings.as_deref())?,
        concurrency: options.concurrency,
        adjudicate: true,
        guard: GUARD,
    };
    let entrants = [
        own_engine("whole", Vec::new(), options.go)?,
        own_engine("without", vec![option], options.go)?,
    ];
    let mut score = Score::default();
    play(
        &entrants,
        &rules,
        &BTreeSet::new(),
        stop,
        |news| match news {
            News::Remark(entrant, remark) => eprintln!("{}: {remark}", entrant.name),
            News::Played(played) => score.add(played),
        },
    )
    .map_err(|failure| anyhow::anyhow!("{failure}"))?;
    Ok(score)
}

fn line(row: &Row) -> String {
    let games = row.games.map(|it| it.map(|it| it.to_string()).join("-"));
    let elo = row
        .elo
        .map(|[low, elo, high]| format!("{elo:+.0} ({low:+.0} to {high:+.0})"));
    format!(
        "| {} | {} | {} | {} |",
        row.without,
        row.solved,
        games.unwrap_or_default(),
        elo.unwrap_or_default()
    )
}
