//! `tabiya-lab like-a-level`: does a level play as people of that rating do?

use std::path::PathBuf;

use anyhow::Context;
use tabiya_engine::library::Library;
use tabiya_terminal::json;

use crate::master::{Agreement, Criteria, agreement, draw, known_games};

/// Count how often the engine at a rating makes the move that players of that rating made.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tabiya-lab like-a-level games-large.pgn.zst --db my-games --levels 2000,2400\n\nSkips games that the collection has, by their moves."
)]
pub(crate) struct Options {
    /// Games to draw positions from: PGN, plain or compressed.
    pgn: PathBuf,
    /// The collection that serves as the library.
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    /// The ratings to play at; both players of a game are within 100 points of it.
    #[arg(long, value_delimiter = ',', default_values_t = [2_000, 2_200, 2_400, 2_600])]
    levels: Vec<u16>,
    /// Number of positions per rating, each from another game.
    #[arg(long, default_value_t = 400)]
    positions: usize,
    /// The first ply to ask about.
    #[arg(long, default_value_t = 8)]
    first_ply: usize,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

/// How far the ratings of players may be from the level's.
const NEAR: u16 = 100;

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let library = Library::open(&options.db)?;
    let known = known_games(library.collection())?;
    let mut agreements = Vec::new();
    for &elo in &options.levels {
        let criteria = Criteria {
            positions: options.positions,
            elo: elo.saturating_sub(NEAR)..=elo.saturating_add(NEAR),
            first_ply: options.first_ply,
        };
        let questions = draw(&options.pgn, &known, &criteria)
            .with_context(|| format!("cannot draw positions from {}", options.pgn.display()))?;
        let warn = &mut |words: &str| eprintln!("{words}");
        agreements.push(agreement(elo.into(), &library, &questions, warn));
        eprintln!("{elo}: {} positions", options.positions);
    }
    if options.json {
        return json::print(&agreements);
    }
    print(&agreements);
    Ok(())
}

fn print(agreements: &[Agreement]) {
    say!(
        "| rating | positions | known | by chance | limited by nodes | with memory | difference |
|---|---|---|---|---|---|---|"
    );
    for it in agreements {
        let percent = |count: u32| 100.0 * it.share(count);
        say!(
            "| {} | {} | {:.1} % | {:.1} % | {:.1} % | {:.1} % | {:+.1} ± {:.1} |",
            it.elo,
            it.positions,
            percent(it.known),
            100.0 * it.chance / f64::from(it.positions.max(1)),
            percent(it.limited),
            percent(it.remembering),
            percent(it.gained) - percent(it.lost),
            100.0 * it.error()
        );
    }
}
