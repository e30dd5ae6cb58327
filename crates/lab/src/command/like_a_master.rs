//! `tabiya-lab like-a-master`: would we have played what the master played?

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::builder::RangedU64ValueParser;
use serde::{Deserialize, Serialize};
use tabiya_engine::library::Library;
use tabiya_engine::search::{Engine, Settings};
use tabiya_terminal::{json, style};

use crate::master::{
    Criteria, FEATURES, MEMORY_FEATURES, Model, Observation, Observer, Report, cross_rate, draw,
    fit, known_games, observe, report,
};

/// Count how often library, search, and both would play the master's move.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tabiya-lab like-a-master games-large.pgn.zst --db my-games --work observed.jsonl\n\nSkips games that the collection has, by their moves. With --work, positions already observed are\nnot observed again, so an interrupted run resumes where it stopped."
)]
pub(crate) struct Options {
    /// Games to draw positions from: PGN, plain or compressed.
    pgn: PathBuf,
    /// The collection that serves as the library.
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    /// Number of positions, each from another game.
    #[arg(long, default_value_t = 1_000)]
    positions: usize,
    /// Number of parts for cross-validation.
    #[arg(long, default_value_t = 10, value_parser = RangedU64ValueParser::<usize>::new().range(2..))]
    folds: usize,
    /// The least rating of both players.
    #[arg(long, default_value_t = 2_500)]
    elo: u16,
    /// The first ply to ask about.
    #[arg(long, default_value_t = 20)]
    first_ply: usize,
    /// Nodes for a move, and as many for the scores of all moves.
    #[arg(long, default_value_t = 30_000)]
    nodes: u64,
    /// The least similarity of a case's position, from 0 to 1.
    #[arg(long, default_value_t = 0.4, allow_hyphen_values = true, value_parser = share)]
    threshold: f64,
    /// File for the observations, one per line.
    #[arg(long, value_name = "FILE")]
    work: Option<PathBuf>,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

/// Reads a number from 0 to 1.
fn share(text: &str) -> Result<f64, &'static str> {
    let number = text.parse::<f64>().ok();
    number
        .filter(|it| (0.0..=1.0).contains(it))
        .ok_or("give a number from 0 to 1")
}

/// What observations depend on; they are not mixed.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Conditions {
    games: String,
    collection_games: u64,
    positions: usize,
    elo: u16,
    first_ply: usize,
    nodes: u64,
    threshold: f64,
    features: usize,
}

#[derive(Serialize)]
struct Outcome {
    conditions: Conditions,
    folds: usize,
    reports: Vec<Report>,
    weights: BTreeMap<&'static str, f64>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let library = Library::open(&options.db)?;
    let conditions = Conditions {
        games: options
            .pgn
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        collection_games: library.collection().games(),
        positions: options.positions,
        elo: options.elo,
        first_ply: options.first_ply,
        nodes: options.nodes,
        threshold: options.threshold,
        features: FEATURES.len(),
    };
    let observations = observations(options, &conditions, &library)?;
    // What search sees and what the board shows, without any memory.
    let is_memory = |it: usize| MEMORY_FEATURES.contains(&it);
    let both = cross_rate(&observations, options.folds, |_| true);
    let alone = cross_rate(&observations, options.folds, |it| !is_memory(it));
    let whole: Vec<&Observation> = observations.iter().collect();
    let outcome = Outcome {
        conditions,
        folds: options.folds,
        reports: report(
            &observations,
            &[("both", both), ("both, without memory", alone)],
        ),
        weights: weights(&fit(&whole, |_| true)),
    };
    if options.json {
        return json::print(&outcome);
    }
    print(&outcome);
    Ok(())
}

fn weights(model: &Model) -> BTreeMap<&'static str, f64> {
    FEATURES
        .into_iter()
        .zip(model.weights.iter().copied())
        .collect()
}

/// Observes what is not observed yet.
fn observations(
    options: &Options,
    conditions: &Conditions,
    library: &Library,
) -> anyhow::Result<Vec<Observation>> {
    let mut done = match options.work.as_deref().filter(|it| it.exists()) {
        Some(path) => read(path, conditions)?,
        None => BTreeMap::new(),
    };
    let mut file = options
        .work
        .as_deref()
        .map(|it| open(it, conditions))
        .transpose()?;
    let known = known_games(library.collection())?;
    let criteria = Criteria {
        positions: options.positions,
        elo: options.elo..=u16::MAX,
        first_ply: options.first_ply,
    };
    let questions = draw(&options.pgn, &known, &criteria)
        .with_context(|| format!("cannot draw positions from {}", options.pgn.display()))?;
    let mut observer = Observer {
        engine: Engine::new(Settings::default()),
        library,
        nodes: options.nodes,
        threshold: options.threshold,
    };
    let total = questions.len();
    for question in &questions {
        if done.contains_key(&question.number) {
            continue;
        }
        let Some(observation) = observe(&mut observer, question)? else {
            continue;
        };
        if let Some(file) = &mut file {
            writeln!(file, "{}", serde_json::to_string(&observation)?)?;
        }
        done.insert(question.number, observation);
        if done.len() % 100 == 0 {
            eprintln!("{} of {total} positions", done.len());
        }
    }
    Ok(done.into_values().collect())
}

/// Opens the file for more lines; a last line that was cut off stays alone.
fn open(path: &Path, conditions: &Conditions) -> anyhow::Result<File> {
    let is_new = !path.exists();
    let is_cut = !is_new && !std::fs::read(path)?.ends_with(b"\n");
    let file = OpenOptions::new().create(true).append(true).open(path);
    let mut file = file.with_context(|| path.display().to_string())?;
    if is_cut {
        writeln!(file)?;
    }
    if is_new {
        writeln!(file, "{}", serde_json::to_string(conditions)?)?;
    }
    Ok(file)
}

/// What an earlier run observed. A line that was cut off is observed again.
fn read(path: &Path, conditions: &Conditions) -> anyhow::Result<BTreeMap<usize, Observation>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let mut lines = BufReader::new(file).lines();
    let head = lines.next().transpose()?.unwrap_or_default();
    match serde_json::from_str::<Conditions>(&head) {
        Ok(found) => ensure!(
            found == *conditions,
            "{} was observed under other conditions ({head}); give another file",
            path.display()
        ),
        Err(_) => bail!(
            "{} holds no observations; give another file",
            path.display()
        ),
    }
    let mut done = BTreeMap::new();
    for line in lines {
        if let Ok(it) = serde_json::from_str::<Observation>(&line?) {
            done.insert(it.number, it);
        }
    }
    Ok(done)
}

fn print(outcome: &Outcome) {
    let (nodes, folds) = (outcome.conditions.nodes, outcome.folds);
    say!(
        "{nodes} nodes a move; each of {folds} parts is judged by a model of the others

| player | positions | covered | first | first three | first five |
|---|---|---|---|---|---|"
    );
    for it in &outcome.reports {
        say!(
            "| {} | {} | {:.1} % | {:.1} ± {:.1} % | {:.1} % | {:.1} % |",
            it.player,
            it.all.positions,
            100.0 * it.all.share(it.covered),
            100.0 * it.all.share(it.all.first),
            100.0 * it.all.error(),
            100.0 * it.all.share(it.all.three),
            100.0 * it.all.share(it.all.five)
        );
    }
    say!("\n| first choice by phase | opening | middlegame | endgame |\n|---|---|---|---|");
    for it in &outcome.reports {
        let phases: Vec<String> = it
            .phases
            .iter()
            .map(|(_, ranks)| {
                format!(
                    "{:.1} % of {}",
                    100.0 * ranks.share(ranks.first),
                    ranks.positions
                )
            })
            .collect();
        say!("| {} | {} |", it.player, phases.join(" | "));
    }
    say!(
        "{}others on such positions: Maia-1900 40.3, Maia-3 47.7, Stockfish at 20,000 nodes 52.2, an lc0 policy net 54.0 %{}",
        style::FAINT,
        style::PLAIN
    );
}
