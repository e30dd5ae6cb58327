//! Positions in files.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, bail};
use clap::Args;
use shakmaty::Chess;
use tabiya_chess::{
    Game, Line,
    pgn::{self, Source, Splitter},
};
use tabiya_question::parameter::parse_fen;

/// The positions of a file, a FEN a line, each with the number of its line. Empty
/// lines and those that begin with # are skipped; a line that is not a position is
/// reported and left out.
///
/// # Errors
///
/// When the file cannot be read or holds no position.
pub fn read_positions(path: &Path) -> anyhow::Result<Vec<(usize, Chess)>> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| name.to_string())?;
    let mut positions = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match parse_fen(line) {
            Ok(position) => positions.push((number, position)),
            Err(error) => anstream::eprintln!("{name}:{number} is left out: {error}"),
        }
    }
    anyhow::ensure!(
        !positions.is_empty(),
        "{name} holds no positions; write one FEN a line"
    );
    Ok(positions)
}

/// A place in a game of a PGN file.
#[derive(Clone, Debug, Args)]
pub struct PgnPlace {
    /// Position in a game of this PGN file
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

    /// Number of plies played before the position [default: all]
    #[arg(long, value_name = "N", requires = "pgn", conflicts_with_all = ["fen", "moves"])]
    ply: Option<usize>,
}

impl PgnPlace {
    /// The moves that lead to the place, if one is given. After a null move no line of legal
    /// moves leads there; then the line begins with the position.
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
        let ply = self.ply.unwrap_or(plies);
        let line = Line::of_game(&game, ply).or_else(|| game.position(ply).map(Line::new));
        let name = path.display();
        let missing = || {
            format!(
                "game {} of {name} has only {plies} plies, not {ply}",
                self.game
            )
        };
        line.map(Some).with_context(missing)
    }
}

fn nth_game(path: &std::path::Path, number: u64) -> anyhow::Result<Game> {
    let source = Source::File(path.to_owned());
    let text = source
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
            bail!("{} has {last} games, not {number}", path.display());
        };
        last += 1;
        if last == number {
            let reading = pgn::read(&text);
            return match (reading.game, reading.fault) {
                (Some(game), fault) => {
                    if let Some(fault) = fault {
                        eprintln!("{}:{line}: {fault}; the game ends there", path.display());
                    }
                    Ok(game)
                }
                (None, Some(fault)) => bail!("{}:{line}: {fault}", path.display()),
                (None, None) => bail!("{}:{line}: no game", path.display()),
            };
        }
    }
}
