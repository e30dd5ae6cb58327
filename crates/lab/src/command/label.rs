//! `tabiya-lab label`: positions with another engine's scores, for training the network.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use clap::Args;
use tabiya_chess::{Game, pgn};
use tabiya_gametree::{Dice, mix};
use tabiya_terminal::progress::grouped;

use super::steps::Steps;
use crate::games::for_each_text;
use crate::label::{Labeler, RECORD, label};

/// Games whose walks one engine follows together.
const BATCH: usize = 64;

/// Label positions with an engine's scores, for training the network
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya-lab label games.pgn.zst --games 50000 --engine stockfish --go 'nodes 200' --out labels.bin

Each position is a record of 26 bytes: the occupied squares (u64, little-endian), four bits for
each piece in their order, and the score (i16), all seen from the side to move. Labels are
added to the file: to go on after a stop, give the first game that is not labeled yet.
docs/engine.md has the recipe.")]
pub(crate) struct Options {
    /// Games to leave for other lines: PGN, plain or compressed
    pgn: PathBuf,

    /// The UCI program that labels
    #[arg(long, value_name = "COMMAND", default_value = "stockfish")]
    engine: String,

    /// What it may spend on a position: the words after UCI's go
    #[arg(long, value_name = "LIMIT", default_value = "nodes 200")]
    go: String,

    /// The first game, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: usize,

    /// The most games
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    games: usize,

    /// Walks from each game
    #[arg(long, value_name = "N", default_value_t = 2)]
    walks: u64,

    /// Engines at the same time
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,

    /// Seed of all that is drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The file that the labels are added to
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let out = Out::open(options)?;
    let games = games(options)?;
    let steps = Steps::start(games.len(), "games");
    let batches = Mutex::new(games.chunks(BATCH));
    let next = || {
        batches
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next()
    };
    let work = || {
        let mut labeler = Labeler::start(&options.engine, &options.go)?;
        while let Some(batch) = next() {
            out.add(&labels(&mut labeler, batch, options)?)?;
            batch.iter().for_each(|_| steps.step());
        }
        anyhow::Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.threads.max(1))
            .map(|_| scope.spawn(work))
            .collect();
        let join = |it: std::thread::ScopedJoinHandle<'_, _>| {
            it.join()
                .unwrap_or_else(|_| Err(anyhow::anyhow!("a thread failed")))
        };
        threads.into_iter().try_for_each(join)
    })?;
    drop(steps);
    say!("{} labels", grouped(out.count.into_inner()));
    Ok(())
}

/// The labels of a few games, as in a file.
fn labels(
    labeler: &mut Labeler,
    batch: &[(usize, Game)],
    options: &Options,
) -> anyhow::Result<Vec<u8>> {
    let mut records = Vec::new();
    for walk in 0..options.walks {
        let dice = |number: usize| Dice::new(mix(options.seed ^ mix(number as u64)) ^ mix(walk));
        let leaving = batch.iter().map(|(number, game)| (game, dice(*number)));
        label(labeler, leaving, |it| records.extend_from_slice(it.bytes()))?;
    }
    Ok(records)
}

/// The file that grows; only whole batches are added.
struct Out<'a> {
    path: &'a Path,
    file: Mutex<File>,
    count: AtomicU64,
}

impl Out<'_> {
    fn open(options: &Options) -> anyhow::Result<Out<'_>> {
        let path = options.out.as_path();
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = Mutex::new(file.with_context(|| path.display().to_string())?);
        Ok(Out {
            path,
            file,
            count: AtomicU64::new(0),
        })
    }

    fn add(&self, records: &[u8]) -> anyhow::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(records)
            .with_context(|| self.path.display().to_string())?;
        self.count
            .fetch_add((records.len() / RECORD) as u64, Ordering::Relaxed);
        Ok(())
    }
}

/// The games asked for, each with its number.
fn games(options: &Options) -> anyhow::Result<Vec<(usize, Game)>> {
    let (mut number, mut games) = (0, Vec::new());
    let end = options.first.saturating_add(options.games);
    for_each_text(&options.pgn, |text| {
        if number >= end {
            return ControlFlow::Break(());
        }
        if number >= options.first {
            games.extend(pgn::read(text).game.map(|it| (number, it)));
        }
        number += 1;
        ControlFlow::Continue(())
    })?;
    Ok(games)
}
