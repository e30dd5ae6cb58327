//! How a position and a ranking are given, on the command line and in a request.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, bail};
use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use serde::{Deserialize, Deserializer};
use shakmaty::{Chess, Color, Position};
use tabiya_chess::{
    Game, Symmetry,
    pgn::{self, Source, Splitter},
    position,
};
use tabiya_retrieval::{
    Query, Run,
    rank::{Ranking, RankingError},
    rerank::Method,
    search::{Filter, SideToMove},
    term::{ByFamily, Family},
};
use utoipa::{IntoParams, ToSchema};

use crate::text;

/// A FEN as an argument.
pub(crate) fn parse_fen(text: &str) -> Result<Chess, String> {
    position::parse(text).map_err(|error| error.to_string())
}

/// The positions of a file, a FEN a line, each with the number of its line. Empty
/// lines and those that begin with # are passed over; a line that is no position is
/// told and left out.
pub(crate) fn read_positions(path: &Path) -> anyhow::Result<Vec<(usize, Chess)>> {
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
pub(crate) struct PositionArguments {
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
    #[arg(long, value_name = "N", default_value_t = 1, requires = "pgn")]
    game: usize,

    /// After how many half-moves of the game [default: its end]
    #[arg(long, value_name = "N", requires = "pgn")]
    ply: Option<usize>,
}

impl PositionArguments {
    pub(crate) fn is_given(&self) -> bool {
        !self.fen.is_empty() || self.moves.is_some() || self.pgn.is_some()
    }

    /// The position; a usage error ends the program if none is given.
    pub(crate) fn required(&self) -> anyhow::Result<Chess> {
        if !self.is_given() {
            usage("give a FEN, --moves or --pgn");
        }
        self.position()
    }

    /// The position, or a usage error that ends the program.
    pub(crate) fn position(&self) -> anyhow::Result<Chess> {
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
    pub(crate) fn line(&self) -> anyhow::Result<Option<(Game, usize)>> {
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

/// Ends the program as for a wrong argument.
pub(crate) fn usage(message: &str) -> ! {
    clap::Error::raw(
        clap::error::ErrorKind::ValueValidation,
        format!("{message}\n"),
    )
    .exit()
}

fn played(moves: &str) -> Game {
    let reading = pgn::read(moves.as_bytes());
    match (reading.game, reading.fault) {
        (Some(game), None) => game,
        (_, Some(fault)) => usage(&format!("--moves: {fault}")),
        (None, None) => usage("--moves: no moves"),
    }
}

fn nth_game(path: &std::path::Path, number: usize) -> anyhow::Result<Game> {
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
                (Some(game), _) => Ok(game),
                (None, Some(fault)) => bail!("{}:{line}: {fault}", path.display()),
                (None, None) => bail!("{}:{line}: no game", path.display()),
            };
        }
    }
}

/// How positions are scored.
#[derive(Clone, Debug, Args, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct RankingArguments {
    /// How soon more of the same stops to count
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 1.2,
        allow_negative_numbers = true
    )]
    #[param(minimum = 0, maximum = 1000)]
    k1: f64,

    /// How much positions with many terms are held back, from 0 to 1
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0.75,
        allow_negative_numbers = true
    )]
    #[param(minimum = 0, maximum = 1)]
    b: f64,

    /// Weights of the families, such as place=1,attack=2 (the others are 1)
    #[arg(long, value_name = "LIST", value_parser = parse_weights, conflicts_with = "run")]
    #[serde(deserialize_with = "weights")]
    #[param(value_type = Option<String>, example = "place=1,attack=2")]
    weights: Option<ByFamily<f64>>,

    /// One of the paper's runs, or ours [default: CombAll]
    #[arg(long, value_name = "RUN", ignore_case = true, value_parser = run_parser())]
    #[serde(deserialize_with = "run")]
    #[param(value_type = Option<String>, example = "CombAll")]
    run: Option<Run>,
}

impl Default for RankingArguments {
    fn default() -> RankingArguments {
        let Ranking { k1, b, .. } = Ranking::default();
        RankingArguments {
            k1,
            b,
            weights: None,
            run: None,
        }
    }
}

/// Reads a run by its name in the paper.
pub(crate) fn run_parser() -> impl TypedValueParser<Value = Run> {
    let names = PossibleValuesParser::new(Run::ALL.map(Run::name));
    names.try_map(|name| parse_run(&name))
}

fn parse_run(name: &str) -> Result<Run, String> {
    Run::from_name(name).ok_or_else(|| {
        let names = Run::ALL.map(Run::name).join(", ");
        format!("no run \"{name}\"; there are {names}")
    })
}

fn weights<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ByFamily<f64>>, D::Error> {
    text::optional(from, parse_weights)
}

fn run<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Run>, D::Error> {
    text::optional(from, parse_run)
}

impl RankingArguments {
    /// The ranking for a position in which this player is to move, or a usage error
    /// that ends the program.
    pub(crate) fn ranking(&self, turn: Color) -> Ranking {
        self.checked(turn)
            .unwrap_or_else(|error| usage(&error.to_string()))
    }

    /// The same, if its parameters make sense.
    pub(crate) fn checked(&self, turn: Color) -> Result<Ranking, RankingError> {
        let run = self.run.unwrap_or(Run::CombAll).ranking(turn);
        let ranking = Ranking {
            k1: self.k1,
            b: self.b,
            weights: self.weights.unwrap_or(run.weights),
            ..run
        };
        ranking.check()?;
        Ok(ranking)
    }

    /// The query for a position under these arguments. Our own run says more than
    /// weights: unless the user says otherwise it turns the position in its own ways
    /// and asks who is to move.
    pub(crate) fn query(
        &self,
        position: Chess,
        symmetry: Option<SymmetryChoice>,
        mut filter: Filter,
    ) -> Result<Query, RankingError> {
        let ours = self.run.filter(|it| *it == Run::Tabiya);
        let same_side = ours.filter(|it| it.same_side()).map(|_| SideToMove::Same);
        filter.side_to_move = filter.side_to_move.or(same_side);
        let usual = SymmetryChoice::default().symmetries();
        let usual = ours.map_or(usual, |it| it.symmetries().to_vec());
        Ok(Query {
            symmetries: symmetry.map_or(usual, SymmetryChoice::symmetries),
            ranking: self.checked(position.turn())?,
            filter,
            ..Query::new(position)
        })
    }

    /// The name of the run in TREC files.
    pub(crate) fn name(&self) -> String {
        match (self.run, self.weights) {
            (Some(run), _) => run.name().to_owned(),
            (None, Some(_)) => "weighted".to_owned(),
            (None, None) => Run::CombAll.name().to_owned(),
        }
    }
}

fn parse_weights(text: &str) -> Result<ByFamily<f64>, String> {
    let mut weights = ByFamily::all(1.0);
    let mut seen = BTreeSet::new();
    for part in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        let (name, value) = part
            .split_once('=')
            .ok_or(format!("\"{part}\" has no \"=\""))?;
        let family = Family::from_name(name.trim()).ok_or(format!(
            "no family \"{name}\"; there are place, reach, attack, defence and ray"
        ))?;
        if !seen.insert(family) {
            return Err(format!("{family} is given twice"));
        }
        weights[family] = value
            .trim()
            .parse()
            .map_err(|_| format!("\"{value}\" is no number"))?;
    }
    Ok(weights)
}

/// Which twins of the position are searched as well.
#[derive(Clone, Copy, Debug, Default, ValueEnum, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SymmetryChoice {
    /// The position as it is
    None,
    /// Also with colors exchanged and the board turned
    #[default]
    Swap,
    /// Also with left and right exchanged
    Mirror,
    /// Also with either and both
    All,
}

impl SymmetryChoice {
    pub(crate) fn symmetries(self) -> Vec<Symmetry> {
        match self {
            SymmetryChoice::None => vec![Symmetry::None],
            SymmetryChoice::Swap => vec![Symmetry::None, Symmetry::Swap],
            SymmetryChoice::Mirror => vec![Symmetry::None, Symmetry::Mirror],
            SymmetryChoice::All => Symmetry::ALL.to_vec(),
        }
    }
}

/// By what hits are ordered anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Rerank {
    /// Moves that can occur in both within two plies
    Continuations,
    /// The shapes of the two game trees
    Structural,
    /// How free the player to move remains
    Freedom,
    /// Half how they look, half how they play
    Blend,
    /// What happens in the best line of a short search
    Motif,
}

impl Rerank {
    pub(crate) const fn method(self) -> Method {
        match self {
            Rerank::Continuations => Method::Continuations,
            Rerank::Structural => Method::Structural,
            Rerank::Freedom => Method::Freedom,
            Rerank::Blend => Method::Blend,
            Rerank::Motif => Method::Motif,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_or_refused() {
        let weights = parse_weights("place=2, ray=0").unwrap();
        assert_eq!(
            (
                weights[Family::Place],
                weights[Family::Attack],
                weights[Family::Ray]
            ),
            (2.0, 1.0, 0.0)
        );
        for (text, reason) in [
            ("place", "has no \"=\""),
            ("center=1", "no family \"center\""),
            ("place=x", "\"x\" is no number"),
            ("ray=1,ray=2", "ray is given twice"),
        ] {
            assert!(parse_weights(text).unwrap_err().contains(reason));
        }
    }
}
