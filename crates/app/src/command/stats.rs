//! `tabiya stats`: what a collection holds.

use std::collections::{BTreeMap, HashSet};

use clap::Args;
use serde::Serialize;
use tabiya_chess::{Date, chi_square::ChiSquare};
use tabiya_retrieval::{Collection, explorer};

use tabiya_terminal::{json, progress::grouped, sample::Database, style};

/// Tell what a collection holds: games, positions, terms, bytes by part, dates,
/// players, results.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya stats --db my-games --json")]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The width of a bar in hundredths.
const BAR: u16 = 500;

#[derive(Debug, Serialize)]
struct Stats {
    games: u64,
    positions: u64,
    bytes: u64,
    bytes_a_position: f64,
    parts: BTreeMap<&'static str, u64>,
    segments: usize,
    windows: u64,
    /// The postings by window: how often a term occurs in a window.
    runs: u64,
    /// The different terms that occur.
    terms: usize,
    /// How often terms occur in positions.
    occurrences: u64,
    mean_length: f64,
    plies: u64,
    skip: u16,
    first_date: Option<String>,
    last_date: Option<String>,
    players: usize,
    results: BTreeMap<&'static str, u64>,
    rated: u64,
    mean_elo: Option<f64>,
    /// How the statistic of exact positions is spread.
    chi2: Vec<Bar>,
}

/// Positions by their statistic, counted once in each segment.
#[derive(Debug, Serialize)]
struct Bar {
    from: f64,
    to: f64,
    positions: u64,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let collection = options.database.open()?;
    let stats = Stats::of(&collection)?;
    if options.json {
        return json::print(&stats);
    }
    stats.print();
    Ok(())
}

impl Stats {
    fn of(collection: &Collection) -> anyhow::Result<Stats> {
        let statistics = collection.statistics();
        let mut stats = Stats {
            games: collection.games(),
            positions: collection.positions(),
            bytes: 0,
            bytes_a_position: 0.0,
            parts: BTreeMap::new(),
            segments: collection.segments().len(),
            windows: 0,
            runs: 0,
            terms: statistics.distinct_terms(),
            occurrences: statistics.total_length(),
            mean_length: statistics.mean_length(),
            plies: 0,
            skip: collection.manifest().skip,
            first_date: None,
            last_date: None,
            players: 0,
            results: BTreeMap::new(),
            rated: 0,
            mean_elo: None,
            chi2: Vec::new(),
        };
        stats.add_segments(collection)?;
        stats.add_games(collection)?;
        stats.add_bars(collection)?;
        Ok(stats)
    }

    fn add_segments(&mut self, collection: &Collection) -> anyhow::Result<()> {
        for segment in collection.segments() {
            let (bytes, parts) = segment.sizes();
            self.bytes += bytes;
            parts.for_each(|(part, size)| *self.parts.entry(part).or_default() += size);
            self.windows += u64::from(segment.summary().windows);
            self.runs += segment.postings()?;
        }
        self.bytes_a_position = self.bytes as f64 / (self.positions.max(1)) as f64;
        Ok(())
    }

    fn add_games(&mut self, collection: &Collection) -> anyhow::Result<()> {
        let mut players = HashSet::new();
        let mut dates: Option<(Date, Date)> = None;
        let mut elo = 0.0;
        collection.for_each_record(|record, names| {
            self.plies += u64::from(record.plies);
            *self.results.entry(record.result().as_str()).or_default() += 1;
            if record.date.year > 0 {
                let (first, last) = dates.unwrap_or((record.date, record.date));
                dates = Some((first.min(record.date), last.max(record.date)));
            }
            if record.white_elo > 0 && record.black_elo > 0 {
                self.rated += 1;
                elo += f64::midpoint(record.white_elo.into(), record.black_elo.into());
            }
            for name in names {
                if !players.contains(name) {
                    players.insert(name.to_owned());
                }
            }
        })?;
        self.players = players.len();
        self.first_date = dates.map(|it| it.0.to_string());
        self.last_date = dates.map(|it| it.1.to_string());
        self.mean_elo = (self.rated > 0).then(|| elo / self.rated as f64);
        Ok(())
    }

    fn add_bars(&mut self, collection: &Collection) -> anyhow::Result<()> {
        let step = ChiSquare::from_hundredths(BAR).unwrap_or(ChiSquare::MAX);
        let bars = explorer::histogram(&collection.shards(), step)?;
        self.chi2 = bars
            .into_iter()
            .map(|(range, positions)| Bar {
                from: range.start().to_f64(),
                to: range.end().to_f64(),
                positions,
            })
            .collect();
        Ok(())
    }

    fn print_bars(&self) {
        const WIDTH: u64 = 40;
        let longest = self.chi2.iter().map(|it| it.positions).max().unwrap_or(0);
        for bar in &self.chi2 {
            let width = (bar.positions * WIDTH).div_ceil(longest.max(1));
            say!(
                "  {:>3.0}  {}{}{} {}",
                bar.from,
                "█".repeat(width as usize),
                style::FAINT,
                style::PLAIN,
                grouped(bar.positions)
            );
        }
    }

    fn print(&self) {
        let row =
            |name: &str, value: String| say!("{}{name:<12}{}{value}", style::FAINT, style::PLAIN);
        row(
            "games",
            format!("{} ({} plies)", grouped(self.games), grouped(self.plies)),
        );
        row(
            "positions",
            format!("{} (after {} plies)", grouped(self.positions), self.skip),
        );
        let (first, last) = (self.first_date.as_deref(), self.last_date.as_deref());
        row(
            "dates",
            format!("{} to {}", first.unwrap_or("?"), last.unwrap_or("?")),
        );
        row("players", grouped(self.players as u64));
        let mean = self
            .mean_elo
            .map_or(String::new(), |it| format!(", mean {it:.0}"));
        row("rated", format!("{} games{mean}", grouped(self.rated)));
        let results: Vec<String> = self
            .results
            .iter()
            .map(|(name, count)| format!("{name} {}", grouped(*count)))
            .collect();
        row("results", results.join(", "));
        row(
            "terms",
            format!(
                "{} different, {:.1} a position",
                grouped(self.terms as u64),
                self.mean_length
            ),
        );
        row(
            "runs",
            format!(
                "{} in {} windows",
                grouped(self.runs),
                grouped(self.windows)
            ),
        );
        row("segments", grouped(self.segments as u64));
        row(
            "bytes",
            format!(
                "{} ({:.1} a position)",
                grouped(self.bytes),
                self.bytes_a_position
            ),
        );
        let mut parts: Vec<_> = self.parts.iter().filter(|it| *it.1 > 0).collect();
        parts.sort_by_key(|it| std::cmp::Reverse(it.1));
        for (part, size) in parts {
            let share = 100.0 * *size as f64 / self.bytes.max(1) as f64;
            say!("  {part:<26}{:>14}{share:>6.1} %", grouped(*size));
        }
        row("χ²", "of exact positions, by steps of 5".to_owned());
        self.print_bars();
    }
}
