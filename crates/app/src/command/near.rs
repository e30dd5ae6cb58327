//! `tabiya near`: positions whose statistic lies near.

use clap::Args;
use serde::Serialize;
use shakmaty::Position;
use tabiya_chess::{chi_square::ChiSquare, position};
use tabiya_retrieval::explorer;

use tabiya_terminal::{
    json, position::PositionArguments, progress::grouped, sample::Database, style,
};

/// List the positions whose statistic differs little from that of a given one,
/// the nearest first.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya near --moves \"1.e4 e5 2.Nf3 Nc6 3.Bb5 a6\" --chi2 0.5 --db my-games

The statistic measures how unevenly attacks are spread over the board. Twins have the same; so may
positions that have little else in common. For likeness that a player would see: tabiya search.")]
pub(crate) struct Options {
    #[command(flatten)]
    position: PositionArguments,

    #[command(flatten)]
    database: Database,

    /// How far away the statistic may be
    #[arg(long, value_name = "DISTANCE", default_value = "0.5")]
    chi2: ChiSquare,

    /// How many positions to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    fen: String,
    chi2: f64,
    distance: f64,
    /// The positions within the distance, counted once in each segment.
    positions: u64,
    hits: Vec<Hit>,
}

#[derive(Serialize)]
struct Hit {
    chi2: f64,
    fen: String,
    occurrences: u64,
    /// The first game it occurred in, and where.
    game: u64,
    ply: u16,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let query = options.position.required()?;
    let collection = options.database.open()?;
    let shards = collection.shards();
    let chi2 = ChiSquare::of(query.board());
    let found = explorer::near(&shards, query.board(), options.chi2, options.top)?;
    let range = chi2.saturating_sub(options.chi2)..=chi2.saturating_add(options.chi2);
    let answer = Answer {
        fen: position::to_fen(&query),
        chi2: chi2.to_f64(),
        distance: options.chi2.to_f64(),
        positions: explorer::count(&shards, range)?,
        hits: found.iter().map(Hit::new).collect(),
    };
    if options.json {
        return json::print(&answer);
    }
    say!(
        "{}χ² {chi2}{}, {} positions within {}",
        style::STRONG,
        style::PLAIN,
        grouped(answer.positions),
        options.chi2
    );
    for it in &answer.hits {
        say!(
            "{:>7.2}  {:<72}{}{} ×, game {} ply {}{}",
            it.chi2,
            it.fen,
            style::FAINT,
            grouped(it.occurrences),
            it.game,
            it.ply,
            style::PLAIN
        );
    }
    Ok(())
}

impl Hit {
    fn new(near: &explorer::Near) -> Hit {
        Hit {
            chi2: near.statistic.to_f64(),
            fen: position::to_fen(&near.position),
            occurrences: near.occurrences,
            game: near.game,
            ply: near.ply,
        }
    }
}
