//! `tabiya-lab next-move`: do similar positions tell what is played?

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{
    dice::Dice,
    next_move::{self, Case, Row},
    way::Way,
};
use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tabiya_chess::{
    Game,
    pgn::{self, Source, Splitter},
};
use tabiya_retrieval::Collection;

use super::report::{Folder, Output, Provenance, interval};
use tabiya_terminal::{progress::Bar, sample::Database, style};

/// Predict the moves of games that the collection does not hold.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya-lab next-move --db my-games --games others.pgn.zst --cases 500

One position is drawn from each game after its first 24 plies. Proposals are the moves played in
the most similar positions, in the order of \"what was played\"; baselines are the most frequent
moves of exactly this position, and a legal move at random. Games that the collection holds are
passed over.")]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,

    /// Games to predict, as PGN, plain or compressed
    #[arg(long, value_name = "FILE")]
    games: PathBuf,

    /// How many positions
    #[arg(long, value_name = "N", default_value_t = 300)]
    cases: usize,

    /// How many similar positions propose
    #[arg(long, value_name = "N", default_value_t = 50)]
    top: usize,

    /// Chooses games and positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    output: Output,
}

/// Positions are drawn after so many plies, as many as an index leaves out.
const SKIP: usize = 24;

#[derive(Serialize)]
struct Report {
    provenance: Provenance,
    known_games: usize,
    rows: Vec<Row>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let collection = options.database.open()?;
    let (cases, known_games) = draw(options, &collection)?;
    anyhow::ensure!(
        !cases.is_empty(),
        "{} has no game of more than {SKIP} plies that the collection does not hold; give other games",
        options.games.display()
    );
    let rows = predict(options, &collection, &cases)?;
    if let Some(folder) = options.output.folder() {
        write(&folder, &rows)?;
    }
    let report = Report {
        provenance: Provenance::new(options.seed).over_games(&collection),
        known_games,
        rows,
    };
    options.output.tell(&report, print)
}

fn predict(options: &Options, collection: &Collection, cases: &[Case]) -> anyhow::Result<Vec<Row>> {
    let ways = Way::all();
    let done = Arc::new(AtomicU64::new(0));
    let seen = done.clone();
    let _bar = Bar::start(Some(ways.len() as u64), move || {
        (seen.load(Ordering::Relaxed), "runs".to_owned())
    });
    let seed = options.seed;
    let mut rows = next_move::rows("a legal move", cases, &next_move::chance(cases), seed);
    let exact = next_move::exact(collection, cases)?;
    rows.extend(next_move::rows("exact position", cases, &exact, seed));
    for way in &ways {
        let luck = next_move::similar(collection, cases, way, options.top)?;
        rows.extend(next_move::rows(&way.name, cases, &luck, seed));
        done.fetch_add(1, Ordering::Relaxed);
    }
    Ok(rows)
}

/// Draws positions from games, and counts those that the collection holds.
fn draw(options: &Options, collection: &Collection) -> anyhow::Result<(Vec<Case>, usize)> {
    let mut dice = Dice::new(options.seed);
    let games = read(&options.games)?;
    let (mut cases, mut known) = (Vec::new(), 0);
    for game in dice.sample(&games, games.len()) {
        if cases.len() == options.cases {
            break;
        }
        if next_move::is_known(collection, &game)? {
            known += 1;
        } else {
            cases.extend(next_move::draw(&game, SKIP, &mut dice));
        }
    }
    Ok((cases, known))
}

fn read(path: &Path) -> anyhow::Result<Vec<Game>> {
    let name = || path.display().to_string();
    let text = Source::File(path.to_owned()).open(Arc::default());
    let mut splitter = Splitter::new(text.with_context(name)?);
    let (mut games, mut text) = (Vec::new(), Vec::new());
    while splitter.next_into(&mut text).with_context(name)?.is_some() {
        games.extend(pgn::read(&text).game);
        text.clear();
    }
    Ok(games)
}

fn print(report: &Report) {
    report.provenance.print();
    say!(
        "{} games were passed over: the collection holds them",
        report.known_games
    );
    let mut last = "";
    for row in &report.rows {
        if row.proposer != last {
            let (strong, plain) = (style::STRONG, style::PLAIN);
            say!(
                "{strong}{:<20}{plain}cases  first                     among three",
                row.proposer
            );
            last = &row.proposer;
        }
        say!(
            "  {:<18}{:>5}  {}  {}",
            row.group,
            row.cases,
            interval(&row.first),
            interval(&row.among_three)
        );
    }
}

fn write(folder: &Folder<'_>, rows: &[Row]) -> anyhow::Result<()> {
    let header = [
        "proposer",
        "group",
        "cases",
        "first",
        "first low",
        "first high",
        "three",
        "three low",
        "three high",
    ];
    let cells = rows.iter().map(|row| {
        let (one, three) = (row.first, row.among_three);
        let figures = [
            one.mean, one.low, one.high, three.mean, three.low, three.high,
        ];
        let names = [
            row.proposer.clone(),
            row.group.clone(),
            row.cases.to_string(),
        ];
        names
            .into_iter()
            .chain(figures.map(|it| format!("{it:.4}")))
            .collect()
    });
    folder.put_table("next-move.csv", &header, cells)
}
