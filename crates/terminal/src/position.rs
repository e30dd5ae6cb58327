//! How a position is given on the command line.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, bail};
use clap::Args;
use shakmaty::Chess;
use tabiya_answer::query::parse_fen;
use tabiya_chess::{
    Game,
    pgn::{self, Source, Splitter},
};

use crate::exit::usage;

/// The positions of a file, a FEN a line, each with the number of its line. Empty
/// lines and those that begin with # are passed over; a line that is no position is
/// told and left out.
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
        "{name} holds no positions; give a FEN a line"
    );
    Ok(positions)
}

/// The position that is asked about: a FEN, moves, or a place in a PGN file.
#[derive(Clone, Debug, Args)]
pub struct PositionArguments {
    /// The position as a FEN of four or six fields
    #[arg(value_name = "FEN", num_args = 1..=6)]
    fen: Vec<String>,

    /// The position after these moves from the start, such as "1.e4 c5 2.Nf3"
    #[arg(long, value_name = "MOVES", conflicts_with_all = ["fen", "pgn"])]
    moves: Option<String>,

    /// The position in a game of this PGN file
    #[arg(long, value_name = "FILE", conflicts_with = "fen")]
    pgn: Option<PathBuf>,

    /// Which game of the PGN file, counted from one
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "pgn",
        conflicts_with_all = ["fen", "moves"],
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    game: u64,

    /// After how many half-moves of the game [default: its end]
    #[arg(
        long,
        value_name = "N",
        requires = "pgn",
        conflicts_with_all = ["fen", "moves"]
    )]
    ply: Option<usize>,
}

impl PositionArguments {
    /// Whether the user gave a position.
    pub fn is_given(&self) -> bool {
        !self.fen.is_empty() || self.moves.is_some() || self.pgn.is_some()
    }

    /// The position; a usage error ends the program if none is given.
    pub fn required(&self) -> anyhow::Result<Chess> {
        if !self.is_given() {
            usage("give a FEN, --moves or --pgn");
        }
        self.position()
    }

    /// The position, or a usage error that ends the program.
    pub fn position(&self) -> anyhow::Result<Chess> {
        let Some((game, ply)) = self.line()? else {
            return match parse_fen(&self.fen.join(" ")) {
                Ok(position) => Ok(position),
                Err(message) => usage(&message),
            };
        };
        let plies = game.moves.len();
        game.positions()
            .nth(ply)
            .with_context(|| format!("the game has only {plies} half-moves, not {ply}"))
    }

    /// The game that leads to the position and where it stands there; `None`
    /// if only a FEN is given.
    pub fn line(&self) -> anyhow::Result<Option<(Game, usize)>> {
        if let Some(moves) = &self.moves {
            let game = played(moves);
            let ply = game.moves.len();
            return Ok(Some((game, ply)));
        }
        let Some(path) = &self.pgn else {
            return Ok(None);
        };
        let game = nth_game(path, self.game)?;
        let plies = game.moves.len();
        let ply = self.ply.unwrap_or(plies);
        if ply > plies {
            bail!(
                "game {} of {} has only {plies} half-moves, not {ply}",
                self.game,
                path.display()
            );
        }
        Ok(Some((game, ply)))
    }
}

fn played(moves: &str) -> Game {
    let reading = pgn::read(moves.as_bytes());
    match (reading.game, reading.fault) {
        (Some(game), None) => game,
        (_, Some(fault)) => usage(&format!("--moves: {fault}")),
        (None, None) => usage("--moves: no moves"),
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
