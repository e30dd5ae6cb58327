//! The statistics of a collection.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use serde::{Deserialize, Serialize};
use tabiya_chess::{Date, chi_square::ChiSquare};
use tabiya_retrieval::{explorer, search::Cancel};
use utoipa::ToSchema;

use crate::{AskError, Question, Shards};

/// The statistics of a collection.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Stats {}

/// Games, positions, terms, bytes by part, dates, players and results.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StatsAnswer)]
pub struct Answer {
    /// The number of games.
    pub games: u64,
    /// The number of indexed positions.
    pub positions: u64,
    /// The size of all segments in bytes.
    pub bytes: u64,
    /// The bytes per position.
    pub bytes_a_position: f64,
    /// The bytes by part of a segment.
    pub parts: BTreeMap<String, u64>,
    /// The number of segments.
    pub segments: usize,
    /// The number of windows.
    pub windows: u64,
    /// The number of postings: occurrences of a term in a window.
    pub postings: u64,
    /// The number of distinct terms.
    pub terms: usize,
    /// The number of occurrences of terms in positions.
    pub occurrences: u64,
    /// The mean number of terms per position.
    pub mean_length: f64,
    /// The number of plies.
    pub plies: u64,
    /// The number of opening plies that are not indexed.
    pub skip: u16,
    /// The date of the oldest game.
    pub first_date: Option<String>,
    /// The date of the most recent game.
    pub last_date: Option<String>,
    /// The number of players.
    pub players: usize,
    /// The number of games by result.
    pub results: BTreeMap<String, u64>,
    /// The number of games with two rated players.
    pub rated: u64,
    /// The mean rating of their players.
    pub mean_elo: Option<f64>,
    /// A histogram of the χ² statistic of exact positions, counted once per segment.
    pub chi2: Vec<Bar>,
}

/// A bar of the histogram.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StatsBar)]
pub struct Bar {
    /// The least value.
    pub from: f64,
    /// The greatest value.
    pub to: f64,
    /// The number of positions.
    pub positions: u64,
}

/// The width of a bar in hundredths.
const BAR: u16 = 500;

/// The contribution of a group of shards; the terms are those of the whole collection.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Part {
    games: u64,
    positions: u64,
    bytes: u64,
    parts: BTreeMap<String, u64>,
    segments: usize,
    windows: u64,
    postings: u64,
    terms: usize,
    occurrences: u64,
    mean_length: f64,
    plies: u64,
    skip: u16,
    dates: Option<(Date, Date)>,
    players: BTreeSet<String>,
    results: BTreeMap<String, u64>,
    rated: u64,
    /// The sum of both players' ratings in games with two.
    ratings: u64,
    /// Positions by the number of the bar.
    bars: BTreeMap<u16, u64>,
}

impl Question for Stats {
    const NAME: &'static str = "stats";
    const ABOUT: &'static str = "Show collection statistics";

    type Part = Part;
    type Answer = Answer;

    fn ask(&self, shards: &Shards<'_>, _: &Cancel) -> Result<Part, AskError> {
        let statistics = shards.statistics();
        let mut part = Part {
            games: shards.games(),
            positions: shards.positions(),
            segments: shards.shards().len(),
            terms: statistics.distinct_terms(),
            occurrences: statistics.total_length(),
            mean_length: statistics.mean_length(),
            skip: shards.skip(),
            ..Part::default()
        };
        part.add_segments(shards)?;
        part.add_games(shards)?;
        part.add_bars(shards)?;
        Ok(part)
    }

    fn merge(&self, parts: Vec<Part>, _: &Cancel) -> Result<Answer, AskError> {
        let mut whole = Part::default();
        parts.into_iter().for_each(|it| whole.add(it));
        Ok(Answer::from(whole))
    }
}

impl Part {
    fn add_segments(&mut self, shards: &Shards<'_>) -> Result<(), AskError> {
        for shard in shards.shards() {
            let (bytes, parts) = shard.segment.sizes();
            self.bytes += bytes;
            for (part, size) in parts {
                *self.parts.entry(part.to_owned()).or_default() += size;
            }
            self.windows += u64::from(shard.segment.summary().windows);
            self.postings += shard.segment.postings()?;
        }
        Ok(())
    }

    fn add_games(&mut self, shards: &Shards<'_>) -> Result<(), AskError> {
        for shard in shards.shards() {
            shard.segment.for_each_record(|record, names| {
                self.plies += u64::from(record.plies);
                let result = record.result().as_str().to_owned();
                *self.results.entry(result).or_default() += 1;
                if record.date.year > 0 {
                    self.add_dates(record.date, record.date);
                }
                if record.white_elo > 0 && record.black_elo > 0 {
                    self.rated += 1;
                    self.ratings += u64::from(record.white_elo) + u64::from(record.black_elo);
                }
                for name in names {
                    if !self.players.contains(name) {
                        self.players.insert(name.to_owned());
                    }
                }
            })?;
        }
        Ok(())
    }

    fn add_dates(&mut self, first: Date, last: Date) {
        let (known_first, known_last) = self.dates.unwrap_or((first, last));
        self.dates = Some((known_first.min(first), known_last.max(last)));
    }

    fn add_bars(&mut self, shards: &Shards<'_>) -> Result<(), AskError> {
        let step = ChiSquare::from_hundredths(BAR).unwrap_or(ChiSquare::MAX);
        for (range, positions) in explorer::histogram(shards.shards(), step)? {
            *self
                .bars
                .entry(range.start().hundredths() / BAR)
                .or_default() += positions;
        }
        Ok(())
    }

    fn add(&mut self, other: Part) {
        self.games += other.games;
        self.positions += other.positions;
        self.bytes += other.bytes;
        self.segments += other.segments;
        self.windows += other.windows;
        self.postings += other.postings;
        self.plies += other.plies;
        self.rated += other.rated;
        self.ratings += other.ratings;
        self.players.extend(other.players);
        for (part, size) in other.parts {
            *self.parts.entry(part).or_default() += size;
        }
        for (result, games) in other.results {
            *self.results.entry(result).or_default() += games;
        }
        for (bar, positions) in other.bars {
            *self.bars.entry(bar).or_default() += positions;
        }
        if let Some((first, last)) = other.dates {
            self.add_dates(first, last);
        }
        // Every group has these for the whole collection.
        self.terms = other.terms;
        self.occurrences = other.occurrences;
        self.mean_length = other.mean_length;
        self.skip = other.skip;
    }
}

impl From<Part> for Answer {
    fn from(whole: Part) -> Answer {
        let date = |it: Date| it.to_string();
        Answer {
            games: whole.games,
            positions: whole.positions,
            bytes: whole.bytes,
            bytes_a_position: whole.bytes as f64 / whole.positions.max(1) as f64,
            parts: whole.parts,
            segments: whole.segments,
            windows: whole.windows,
            postings: whole.postings,
            terms: whole.terms,
            occurrences: whole.occurrences,
            mean_length: whole.mean_length,
            plies: whole.plies,
            skip: whole.skip,
            first_date: whole.dates.map(|it| date(it.0)),
            last_date: whole.dates.map(|it| date(it.1)),
            players: whole.players.len(),
            results: whole.results,
            rated: whole.rated,
            mean_elo: (whole.rated > 0).then(|| whole.ratings as f64 / 2.0 / whole.rated as f64),
            chi2: bars(&whole.bars),
        }
    }
}

/// All bars up to the last non-empty one.
fn bars(counts: &BTreeMap<u16, u64>) -> Vec<Bar> {
    let last = counts.keys().next_back();
    let bar = |number: u16| {
        let from = number * BAR;
        let to = from
            .saturating_add(BAR - 1)
            .min(ChiSquare::MAX.hundredths());
        let value = |hundredths| f64::from(hundredths) / 100.0;
        Bar {
            from: value(from),
            to: value(to),
            positions: counts.get(&number).copied().unwrap_or(0),
        }
    };
    last.map_or(Vec::new(), |&last| (0..=last).map(bar).collect())
}
