//! `tabiya-lab pairs`: what the second stage learns from.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use tabiya_gametree::Dice;
use tabiya_retrieval::{
    Collection,
    likeness::{Feature, LineFeature},
};
use tabiya_terminal::{progress::grouped, sample::Database};

use super::steps::Steps;
use crate::{
    known_item,
    motif::{Benchmark, Sampling},
    next_move,
    pairs::{self, Group},
    puzzle,
    split::Part,
};

/// Write pairs of a query and a candidate with their features, for training.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya-lab pairs --db medium --puzzles puzzles.csv.zst --games large.pgn.zst --part fit --out fit

Writes FILE.bin, records of little-endian numbers (query u32, reply u32, task u8, grade u8,
rank u16, first f32, ideal f32, then the features f32), and FILE.txt, the names of the features,
one a line. docs/ranking.md has the recipe.")]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,

    /// Puzzles in the table layout of Lichess, plain or compressed
    #[arg(long, value_name = "FILE")]
    puzzles: PathBuf,

    /// Games that next moves are drawn from, as PGN, plain or compressed
    #[arg(long, value_name = "FILE")]
    games: PathBuf,

    /// Which part of the data: fit or choose
    #[arg(long, value_enum, default_value = "fit")]
    part: Part,

    /// Collections of puzzles, each drawn apart
    #[arg(long, value_name = "N", default_value_t = 1)]
    draws: u64,

    /// Puzzles in a collection, at most
    #[arg(long, value_name = "N", default_value_t = 12_000)]
    documents: usize,

    /// Puzzles asked for, for each motif and draw
    #[arg(long, value_name = "N", default_value_t = 6)]
    queries: usize,

    /// Disturbed positions
    #[arg(long, value_name = "N", default_value_t = 300)]
    items: usize,

    /// Next moves
    #[arg(long, value_name = "N", default_value_t = 600)]
    cases: usize,

    /// Add the features of best lines
    #[arg(long)]
    deep: bool,

    /// Seed of all that is drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The files to write, without an ending
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    anyhow::ensure!(
        options.part != Part::Test,
        "the test part is for judging; give --part fit or --part choose"
    );
    let collection = options.database.open()?;
    let mut groups = motifs(options)?;
    groups.extend(items(options, &collection)?);
    groups.extend(cases(options, &collection)?);
    let name = options.out.with_extension("bin");
    let file = File::create(&name).with_context(|| name.display().to_string())?;
    write(&groups, BufWriter::new(file)).with_context(|| name.display().to_string())?;
    let mut names = Feature::NAMES.to_vec();
    if options.deep {
        names.extend(LineFeature::NAMES);
    }
    std::fs::write(options.out.with_extension("txt"), names.join("\n") + "\n")?;
    let pairs: usize = groups.iter().map(|it| it.pairs.len()).sum();
    say!(
        "{} pairs of {} queries",
        grouped(pairs as u64),
        grouped(groups.len() as u64)
    );
    Ok(())
}

fn motifs(options: &Options) -> anyhow::Result<Vec<Group>> {
    let name = || options.puzzles.display().to_string();
    let puzzles = puzzle::read(&options.puzzles).with_context(name)?;
    let mut groups = Vec::new();
    for draw in 0..options.draws {
        let sampling = Sampling {
            part: options.part,
            documents: options.documents,
            queries: options.queries,
            seed: options.part.seed(options.seed + draw),
        };
        let benchmark = Benchmark::draw(puzzles.clone(), &sampling);
        let steps = Steps::start(benchmark.queries.len(), "motifs");
        groups.extend(pairs::of_motifs(&benchmark, options.deep, || steps.step()));
    }
    Ok(groups)
}

fn items(options: &Options, collection: &Collection) -> anyhow::Result<Vec<Group>> {
    let seed = options.part.seed(options.seed);
    let items = known_item::draw(collection, options.items, &mut Dice::new(seed))?;
    let steps = Steps::start(items.len(), "known items");
    Ok(pairs::of_items(
        collection,
        &items,
        seed,
        options.deep,
        || steps.step(),
    )?)
}

fn cases(options: &Options, collection: &Collection) -> anyhow::Result<Vec<Group>> {
    let mut dice = Dice::new(options.part.seed(options.seed));
    // Some of the games are in the collection or too short.
    let games = options
        .part
        .games(&options.games, 2 * options.cases, &mut dice)?;
    let cases = next_move::cases(collection, &games, options.cases, &mut dice)?.0;
    let steps = Steps::start(cases.len(), "next moves");
    Ok(pairs::of_cases(collection, &cases, options.deep, || {
        steps.step()
    })?)
}

fn write(groups: &[Group], mut to: impl Write) -> std::io::Result<()> {
    for (number, group) in (0u32..).zip(groups) {
        for pair in &group.pairs {
            to.write_all(&number.to_le_bytes())?;
            to.write_all(&pair.reply.to_le_bytes())?;
            to.write_all(&[group.task as u8, pair.grade])?;
            to.write_all(&pair.rank.to_le_bytes())?;
            to.write_all(&(pair.first as f32).to_le_bytes())?;
            to.write_all(&(group.ideal as f32).to_le_bytes())?;
            for value in pair
                .features
                .into_iter()
                .chain(pair.lines.into_iter().flatten())
            {
                to.write_all(&value.to_le_bytes())?;
            }
        }
    }
    to.flush()
}
