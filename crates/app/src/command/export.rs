//! `tabiya export`: the games of a collection as PGN, or as a Scid base.

use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::Serialize;
use tabiya_base::scid::{self, Losses};
use tabiya_chess::{Game, pgn};
use tabiya_question::parameter::GameParameters;
use tabiya_retrieval::Collection;

use tabiya_terminal::{exit::usage, json, progress::grouped, sample::Database};

use super::whole::WholeFile;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya export --db my-games > all.pgn
  tabiya export --db my-games --player Karpov --date 1974-1985 -o karpov.pgn
  tabiya export --db my-games --source self > played-by-the-engine.pgn
  tabiya export --db my-games --format si4 -o my-games.si4

The formats si4 (Scid 4, Scid vs. PC) and si5 (Scid 5) make three files, which replace those of the
same names when all are written. What does not fit into the format is counted.")]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,

    /// Format to write
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// File to write; the formats si4 and si5 need one [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Print a summary as JSON (needs --output)
    #[arg(long, requires = "output")]
    json: bool,

    #[command(flatten)]
    games: GameParameters,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    #[default]
    Pgn,
    Si4,
    Si5,
}

#[derive(Default, Serialize)]
struct Summary {
    games: u64,
    /// What a Scid base has no room for.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<Losses>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let format = match options.format {
        Format::Pgn => None,
        Format::Si4 => Some(scid::Format::Si4),
        Format::Si5 => Some(scid::Format::Si5),
    };
    let summary = match (format, &options.output) {
        (None, _) => write_pgn(&options.database.open()?, options)?,
        (Some(format), Some(path)) => write_scid(&options.database.open()?, format, path, options)?,
        (Some(_), None) => usage("a Scid base is three files; name them with --output"),
    };
    if options.json {
        json::print(&summary)?;
    }
    Ok(())
}

fn text_of(game: &Game) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = pgn::write(game, &mut text);
    text
}

fn write_pgn(collection: &Collection, options: &Options) -> anyhow::Result<Summary> {
    let place = || match &options.output {
        Some(path) => path.display().to_string(),
        None => "standard output".to_owned(),
    };
    let games = match &options.output {
        Some(path) => {
            let mut file = WholeFile::create(path).with_context(place)?;
            let games = write_games(collection, options, &mut file, place)?;
            file.finish().with_context(place)?;
            games
        }
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            let games = write_games(collection, options, &mut out, place)?;
            out.flush().with_context(place)?;
            games
        }
    };
    Ok(Summary { games, lost: None })
}

/// Writes the games that the filters admit; returns how many there are.
fn write_games(
    collection: &Collection,
    options: &Options,
    out: &mut dyn Write,
    place: impl Fn() -> String + Copy,
) -> anyhow::Result<u64> {
    let mut games = 0;
    collection.for_each_game(&options.games.filter(), |_, game| {
        games += 1;
        out.write_all(text_of(&game).as_bytes()).with_context(place)
    })?;
    Ok(games)
}

fn write_scid(
    collection: &Collection,
    format: scid::Format,
    path: &Path,
    options: &Options,
) -> anyhow::Result<Summary> {
    let mut writer = scid::Writer::create(format, path)?;
    collection.for_each_game(&options.games.filter(), |_, game| {
        writer.add(&text_of(&game)).map_err(anyhow::Error::from)
    })?;
    let (games, lost) = writer.finish()?;
    if !options.json {
        report(&lost);
    }
    let lost = Some(lost);
    Ok(Summary { games, lost })
}

/// Reports what the format has no room for.
fn report(lost: &Losses) {
    let rows = [
        (lost.games, "games left out: their moves do not fit"),
        (
            lost.annotations,
            "games written without their comments and variations, which do not fit",
        ),
        (lost.tags, "tags cut or left out"),
        (lost.glyphs, "annotation glyphs left out"),
    ];
    for (count, what) in rows.into_iter().filter(|it| it.0 > 0) {
        anstream::eprintln!("{:>12} {what}", grouped(count));
    }
}
