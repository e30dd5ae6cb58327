//! `tabiya twins`: the position, mirrored or with colors exchanged.

use clap::Args;
use serde::Serialize;
use shakmaty::Position;
use tabiya_answer::{explorer::Explorer, filter::GameArguments};
use tabiya_chess::{chi_square::ChiSquare, position};
use tabiya_retrieval::explorer;

use tabiya_terminal::{json, position::PositionArguments, sample::Database, style};

use crate::view::explorer as view;

/// Find the positions that equal a given one up to a left-right mirror, an
/// exchange of colors, or both, and tell what was played, seen from here.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya twins --moves \"1.e4 c5\" --db my-games

All twins of a position have the same statistic (see tabiya record).")]
pub(crate) struct Options {
    #[command(flatten)]
    position: PositionArguments,

    #[command(flatten)]
    database: Database,

    #[command(flatten)]
    games: GameArguments,

    /// How many moves to show of each
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Twins {
    fen: String,
    chi2: f64,
    twins: Vec<Twin>,
}

#[derive(Serialize)]
struct Twin {
    symmetry: &'static str,
    /// The position as it occurred.
    fen: String,
    games: u32,
    /// What was played, in the query's view.
    #[serde(flatten)]
    explored: Explorer,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let query = options.position.required()?;
    let collection = options.database.open()?;
    let found = explorer::twins(&collection.shards(), &query, &options.games.filter())?;
    let chi2 = ChiSquare::of(query.board());
    if options.json {
        let twin = |it: &explorer::Twin| Twin {
            symmetry: it.symmetry.name(),
            fen: position::to_fen(&it.position),
            games: it.explored.total.games(),
            explored: Explorer::new(&it.explored, &query),
        };
        return json::print(&Twins {
            fen: position::to_fen(&query),
            chi2: chi2.to_f64(),
            twins: found.iter().map(twin).collect(),
        });
    }
    if found.is_empty() {
        say!("no game of the collection has this position or a twin of it");
    }
    for it in &found {
        say!(
            "{}{}{}  {}",
            style::STRONG,
            it.symmetry.name(),
            style::PLAIN,
            position::to_fen(&it.position)
        );
        say!("{}", view::in_words(&it.explored.total));
        view::print_moves(&it.explored.moves, options.top);
    }
    Ok(())
}
