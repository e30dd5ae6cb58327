//! Positions in files.

use std::{path::PathBuf, sync::Arc};

use anyhow::{Context, bail};
use clap::Args;
use tabiya_chess::{
    Game, Line,
    pgn::{self, Input, Splitter},
};

/// A place in a game of a PGN file.
#[derive(Clone, Debug, Args)]
pub struct PgnPlace {
    /// PGN file with the position
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "moves"])]
    pgn: Option<PathBuf>,

    /// Number of the game in the PGN file, counted from one
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "pgn",
        conflicts_with_all = ["fen", "moves"],
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    game: u64,

    /// Number of plies of the game before the position [default: all]
    #[arg(long, value_name = "PLY", requires = "pgn", conflicts_with_all = ["fen", "moves"])]
    at: Option<usize>,
}

impl PgnPlace {
    /// The moves that lead to the place, if one is given. Null moves are not legal, so after
    /// one the line starts at the place itself.
    ///
    /// # Errors
    ///
    /// When the file has no such game, or the game no such ply.
    pub fn line(&self) -> anyhow::Result<Option<Line>> {
        let Some(path) = &self.pgn else {
            return Ok(None);
        };
        let game = nth_game(path, self.game)?;
        let plies = game.moves.len();
        let ply = self.at.unwrap_or(plies);
        let line = Line::of_game(&game, ply).or_else(|| game.position(ply).map(Line::new));
        let name = path.display();
        let missing = || {
            format!(
                "game {} of {name} has only {plies} plies; --at {ply} is too large",
                self.game
            )
        };
        line.map(Some).with_context(missing)
    }
}

fn nth_game(path: &std::path::Path, number: u64) -> anyhow::Result<Game> {
    let input = Input::File(path.to_owned());
    let text = input
        .open(Arc::default())
        .with_context(|| path.display().to_string())?;
    let mut splitter = Splitter::new(text);
    let mut last = 0;
    loop {
        let mut text = Vec::new();
        let line = splitter
            .next_into(&mut text)
            .with_context(|| path.display().to_string())?;
        let Some(line) = line else {
            bail!(
                "{} has only {last} games; --game {number} is too large",
                path.display()
            );
        };
        last += 1;
        if last == number {
            let reading = pgn::read(&text);
            return match (reading.game, reading.fault) {
                (Some(game), fault) => {
                    if let Some(fault) = fault {
                        eprintln!(
                            "{}:{line}: {fault}; reading the game up to there",
                            path.display()
                        );
                    }
                    Ok(game)
                }
                (None, Some(fault)) => bail!("{}:{line}: {fault}", path.display()),
                (None, None) => bail!("{}:{line}: not a game", path.display()),
            };
        }
    }
}
