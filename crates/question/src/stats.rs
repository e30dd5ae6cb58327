//! The statistics of a collection.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use clap::Args;
use serde::{Deserialize, Serialize};
use tabiya_chess::{Date, chi_square::ChiSquare};
use tabiya_retrieval::{explorer, search::Cancel};
use utoipa::ToSchema;

use crate::{AskError, Cost, Question, Shards};

/// The statistics of a collection.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Stats {}

/// Games, positions, terms, bytes by part, dates, players and results.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
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
#[derive(Debug, Serialize, Deserialize, ToSchema)]
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
    /// The sums; all other fields are computed at the end.
    sums: Answer,
    dates: Option<(Date, Date)>,
    players: BTreeSet<String>,
    /// The sum of both players' ratings in games with two.
    ratings: u64,
    /// The number of positions by bar.
    bars: Vec<u64>,
}

impl Question for Stats {
    const NAME: &'static str = "stats";
    const ABOUT: &'static str = "Show collection statistics";

    type Part = Part;
    type Answer = Answer;

    fn cost(&self) -> Cost {
        Cost::Heavy
    }

    fn ask(&self, shards: &Shards<'_>, _: &Cancel) -> Result<Part, AskError> {
        let statistics = shards.statistics();
        let sums = Answer {
            games: shards.games(),
            positions: shards.positions(),
            segments: shards.shards().len(),
            terms: statistics.distinct_terms(),
            occurrences: statistics.total_length(),
            mean_length: statistics.mean_length(),
            skip: shards.skip(),
            ..Answer::default()
        };
        let mut part = Part {
            sums,
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
            self.sums.bytes += bytes;
            for (part, size) in parts {
                *self.sums.parts.entry(part.to_owned()).or_default() += size;
            }
            self.sums.windows += u64::from(shard.segment.summary().windows);
            self.sums.postings += shard.segment.postings()?;
        }
        Ok(())
    }

    fn add_games(&mut self, shards: &Shards<'_>) -> Result<(), AskError> {
        for shard in shards.shards() {
            shard.segment.for_each_record(|record, names| {
                self.sums.plies += u64::from(record.plies);
                let result = record.result().as_str().to_owned();
                *self.sums.results.entry(result).or_default() += 1;
                if record.date.year > 0 {
                    self.add_dates(record.date, record.date);
                }
                if record.white_elo > 0 && record.black_elo > 0 {
                    self.sums.rated += 1;
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
        for range in bars() {
            self.bars.push(explorer::count(shards.shards(), range)?);
        }
        Ok(())
    }

    fn add(&mut self, other: Part) {
        let (sums, more) = (&mut self.sums, other.sums);
        sums.games += more.games;
        sums.positions += more.positions;
        sums.bytes += more.bytes;
        sums.segments += more.segments;
        sums.windows += more.windows;
        sums.postings += more.postings;
        sums.plies += more.plies;
        sums.rated += more.rated;
        add_counts(&mut sums.parts, more.parts);
        add_counts(&mut sums.results, more.results);
        // Every group has these for the whole collection.
        sums.terms = more.terms;
        sums.occurrences = more.occurrences;
        sums.mean_length = more.mean_length;
        sums.skip = more.skip;
        self.ratings += other.ratings;
        self.players.extend(other.players);
        self.bars.resize(other.bars.len(), 0);
        let both = self.bars.iter_mut().zip(other.bars);
        both.for_each(|(sum, more)| *sum += more);
        if let Some((first, last)) = other.dates {
            self.add_dates(first, last);
        }
    }
}

fn add_counts<K: Ord>(counts: &mut BTreeMap<K, u64>, more: BTreeMap<K, u64>) {
    for (key, count) in more {
        *counts.entry(key).or_default() += count;
    }
}

impl From<Part> for Answer {
    fn from(whole: Part) -> Answer {
        let sums = whole.sums;
        Answer {
            bytes_a_position: sums.bytes as f64 / sums.positions.max(1) as f64,
            first_date: whole.dates.map(|it| it.0.to_string()),
            last_date: whole.dates.map(|it| it.1.to_string()),
            players: whole.players.len(),
            mean_elo: (sums.rated > 0).then(|| whole.ratings as f64 / 2.0 / sums.rated as f64),
            chi2: histogram(&whole.bars),
            ..sums
        }
    }
}

/// The ranges of the bars.
fn bars() -> impl Iterator<Item = RangeInclusive<ChiSquare>> {
    explorer::steps(ChiSquare::from_hundredths(BAR).unwrap_or(ChiSquare::MAX))
}

/// All bars up to the last non-empty one.
fn histogram(counts: &[u64]) -> Vec<Bar> {
    let used = counts.iter().rposition(|&it| it > 0).map_or(0, |it| it + 1);
    let bar = |(range, &positions): (RangeInclusive<ChiSquare>, &u64)| Bar {
        from: range.start().to_f64(),
        to: range.end().to_f64(),
        positions,
    };
    bars().zip(&counts[..used]).map(bar).collect()
}
