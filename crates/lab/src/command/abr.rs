//! `tabiya-lab abr`: the experiments of the action-based paper.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use serde::Serialize;
use tabiya_engine::Evaluation;
use tabiya_terminal::json;

use super::contest::{line, openings, own_engine, stop_on_interrupt};
use crate::abr::{OPPONENTS, Row, VERSIONS, Version, rate};
use crate::contest::{Budget, Entrant, News, Rules, Series};

/// Repeat the experiments of the action-based paper: evaluations (A), the
/// library behind the first filter (B) and behind both (C).
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tabiya-lab abr --db games-medium --work abr --openings sample/openings.tsv --concurrency 2\n\nEvery cell is a PGN file in the work directory; an interrupted run resumes where it stopped, and\n--games 0 only prints the tables. Use a separate work directory for each --evaluation."
)]
pub(crate) struct Options {
    /// The collection that serves as the library.
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    /// The work directory for the games.
    #[arg(long, value_name = "DIR")]
    work: PathBuf,
    /// Games per cell for the four versions of the published table.
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// Games per cell for the other thresholds.
    #[arg(long, default_value_t = 40)]
    other_games: usize,
    /// Budget of both programs: 2+0.02, nodes:50000 or depth:7.
    #[arg(long, default_value = "2+0.02")]
    tc: Budget,
    /// Budget of the opponent, if it differs.
    #[arg(long)]
    opponent_tc: Option<Budget>,
    /// The opponent's program: Stockfish 15.1.
    #[arg(long, default_value = "stockfish")]
    opponent: String,
    /// Openings: a table with a column `moves`, or one line of moves per line.
    #[arg(long)]
    openings: Option<PathBuf>,
    /// Number of concurrent games.
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// Only these versions, such as proposed,both-0.4.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Evaluation instead of the proposed one, in every version that has it.
    #[arg(long)]
    evaluation: Option<Evaluation>,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Outcome {
    time_control: String,
    library_games: Option<u64>,
    rows: Vec<Row>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    for name in &options.only {
        anyhow::ensure!(
            VERSIONS.iter().any(|it| it.name == name),
            "no version has the name \"{name}\"; choose from {}",
            VERSIONS.map(|it| it.name).join(", ")
        );
    }
    let library = tabiya_engine::library::Library::open(&options.db)?;
    let library_games = Some(library.collection().games());
    fs::create_dir_all(&options.work).with_context(|| options.work.display().to_string())?;
    let openings = openings(options.openings.as_deref())?;
    let stop = stop_on_interrupt()?;
    let mut rows = Vec::new();
    for version in VERSIONS.iter().filter(|it| options.wants(it)) {
        let mut counts = [[0; 3]; 4];
        for (cell, counts) in counts.iter_mut().enumerate() {
            let series = options.series(version, cell, &openings)?;
            let score = series.play(&stop, |score, news| match news {
                News::Remark(entrant, remark) => eprintln!("{}: {remark}", entrant.name),
                News::Played(played) => eprintln!("{}", line(score, &series.entrants, played)),
            })?;
            *counts = score.counts;
            if stop.load(Ordering::SeqCst) {
                break;
            }
        }
        rows.push(rate(version.name, counts));
        if stop.load(Ordering::SeqCst) {
            break;
        }
    }
    let outcome = Outcome {
        time_control: options.tc.to_string(),
        library_games,
        rows,
    };
    if options.json {
        return json::print(&outcome);
    }
    print(&outcome);
    Ok(())
}

impl Options {
    fn wants(&self, version: &Version) -> bool {
        self.only.is_empty() || self.only.iter().any(|it| it == version.name)
    }

    /// One cell: a version against one strength of the opponent.
    fn series(
        &self,
        version: &Version,
        cell: usize,
        openings: &[Vec<shakmaty::Move>],
    ) -> anyhow::Result<Series> {
        let (elo, uci_elo) = OPPONENTS[cell];
        let library = self.db.display().to_string();
        let settings = version.options(&library, self.evaluation.map(Evaluation::name));
        let player = own_engine(version.name, settings, self.tc)?;
        let opponent = Entrant {
            name: format!("opponent-{elo}"),
            command: self.opponent.clone(),
            options: vec![
                ("UCI_LimitStrength".to_owned(), "true".to_owned()),
                ("UCI_Elo".to_owned(), uci_elo.to_string()),
            ],
            go: self.opponent_tc.unwrap_or(self.tc),
        };
        let games = if version.is_of_the_table() {
            self.games
        } else {
            self.other_games.min(self.games)
        };
        Ok(Series {
            entrants: [player, opponent],
            rules: Rules {
                games,
                openings: openings.to_vec(),
                concurrency: self.concurrency,
                adjudicate: true,
                guard: Duration::from_secs(120),
            },
            pgn: Some(self.work.join(format!("{}-{elo}.pgn", version.name))),
        })
    }
}

fn print(outcome: &Outcome) {
    say!(
        "{} a game, a library of {} games; won-drawn-lost, published counts in brackets

| version | {} | rating | published |
|---|---|---|---|---|---|---|",
        outcome.time_control,
        outcome.library_games.unwrap_or(0),
        OPPONENTS.map(|it| it.0.to_string()).join(" | ")
    );
    for row in &outcome.rows {
        let version = VERSIONS.iter().find(|it| it.name == row.version);
        let published = version.and_then(|it| it.published);
        let cells: Vec<String> = (0..4)
            .map(|cell| match published {
                Some(table) => format!("{} [{}]", counted(row.counts[cell]), counted(table[cell])),
                None => counted(row.counts[cell]),
            })
            .collect();
        let rating = match (row.rating, row.unrated) {
            (Some(it), _) => format!("{:.0} ± {:.0}", it.elo, it.error),
            (None, why) => why.map_or("-".to_owned(), |it| it.to_string()),
        };
        let known = version.and_then(|it| it.published_rating);
        let known = known.map_or("-".to_owned(), |it| it.to_string());
        say!(
            "| {} | {} | {rating} | {known} |",
            row.version,
            cells.join(" | ")
        );
    }
    say!(
        "\n| χ² of the fit | {} |\n|---|---|---|---|---|",
        OPPONENTS.map(|it| it.0.to_string()).join(" | ")
    );
    for row in &outcome.rows {
        let cells = match row.chi_square {
            Some(cells) => cells.map(|it| format!("{it:.1}")),
            None => [(); 4].map(|()| "-".to_owned()),
        };
        say!("| {} | {} |", row.version, cells.join(" | "));
    }
}

fn counted([won, drawn, lost]: [u32; 3]) -> String {
    format!("{won}-{drawn}-{lost}")
}
