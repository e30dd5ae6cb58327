//! The ranking of positions.

use std::collections::BTreeSet;

use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use serde::{Serialize, Serializer};
use tabiya_chess::Symmetry;
use tabiya_retrieval::{
    Run,
    likeness::GROUPS,
    rank::Ranking,
    reached::Order,
    rerank::Method,
    search::Distinct,
    term::{ByFamily, Family},
};

use super::text;
use crate::Invalid;

/// Selects the ranking.
#[derive(Clone, Debug, Args, Serialize)]
#[command(next_help_heading = "Ranking")]
pub struct RankingParameters {
    /// Term-frequency saturation (BM25 k1)
    #[arg(long, value_name = "NUMBER", default_value_t = Ranking::default().k1, allow_negative_numbers = true)]
    k1: f64,

    /// Length normalization (BM25 b), from 0 to 1
    #[arg(long, value_name = "NUMBER", default_value_t = Ranking::default().b, allow_negative_numbers = true)]
    b: f64,

    /// Weights of the term families, such as place=1,attack=2 (default 1 each)
    #[arg(long, value_name = "LIST", value_parser = parse_weights, conflicts_with = "run")]
    #[serde(serialize_with = "weights")]
    weights: Option<ByFamily<f64>>,

    /// Name of the first ranking: Tabiya, or one from the paper [default: Tabiya]
    #[arg(long, value_name = "RUN", ignore_case = true, value_parser = run_parser())]
    #[serde(serialize_with = "text::one")]
    run: Option<Run>,
}

/// Reads a run by its name in the paper.
pub fn run_parser() -> impl TypedValueParser<Value = Run> {
    let names = PossibleValuesParser::new(Run::NAMES);
    names.try_map(|name| Run::from_name(&name).ok_or("unknown run"))
}

fn weights<S: Serializer>(weights: &Option<ByFamily<f64>>, to: S) -> Result<S::Ok, S::Error> {
    let weight = |(family, weight): (Family, f64)| format!("{family}={weight}");
    let weights = weights.map(|it| it.iter().map(weight).collect::<Vec<_>>());
    text::list(&weights.unwrap_or_default(), to)
}

impl RankingParameters {
    /// The run that these parameters modify.
    pub fn run(&self) -> Run {
        self.run.unwrap_or(Run::Tabiya)
    }

    /// Whether the usual ranking is asked for: no run of the paper, no weights.
    pub(crate) fn is_usual(&self) -> bool {
        self.weights.is_none() && self.run() == Run::Tabiya
    }

    /// Fills in the run and its weights.
    ///
    /// # Errors
    ///
    /// When a parameter is out of range.
    pub(crate) fn settle(&mut self) -> Result<(), Invalid> {
        if self.weights.is_none() {
            self.run = Some(self.run());
        }
        self.ranking().check().map_err(Invalid::whole)
    }

    /// The ranking.
    pub fn ranking(&self) -> Ranking {
        let run = self.run().ranking();
        Ranking {
            k1: self.k1,
            b: self.b,
            weights: self.weights.unwrap_or(run.weights),
        }
    }

    /// The name of the run in TREC files.
    pub fn name(&self) -> String {
        match (self.run, self.weights) {
            (Some(run), _) => run.name().to_owned(),
            (None, Some(_)) => "weighted".to_owned(),
            (None, None) => Run::Tabiya.name().to_owned(),
        }
    }
}

fn parse_weights(text: &str) -> Result<ByFamily<f64>, String> {
    let mut weights = ByFamily::all(1.0);
    let mut seen = BTreeSet::new();
    for part in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        let (name, value) = part
            .split_once('=')
            .ok_or(format!("\"{part}\" has no \"=\"; write place=1"))?;
        let family: Family = name.trim().parse().map_err(|_| {
            format!(
                "\"{name}\" is not a family; the families are {}",
                Family::NAMES.join(", ")
            )
        })?;
        if !seen.insert(family) {
            return Err(format!("{family} is given twice"));
        }
        weights[family] = value
            .trim()
            .parse()
            .map_err(|_| format!("\"{value}\" is not a number"))?;
    }
    Ok(weights)
}

/// The symmetric positions to include.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SymmetryChoice {
    /// The position as it is
    None,
    /// Also the position with colors swapped
    #[default]
    Swap,
    /// Also the position mirrored left to right
    Mirror,
    /// Also the position swapped, mirrored, and both
    All,
}

impl SymmetryChoice {
    /// The symmetries.
    pub fn symmetries(self) -> Vec<Symmetry> {
        match self {
            SymmetryChoice::None => vec![Symmetry::None],
            SymmetryChoice::Swap => vec![Symmetry::None, Symmetry::Swap],
            SymmetryChoice::Mirror => vec![Symmetry::None, Symmetry::Mirror],
            SymmetryChoice::All => Symmetry::ALL.to_vec(),
        }
    }
}

/// What orders the best hits of the first ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Rerank {
    /// Nothing else: the order of the first ranking
    None,
    /// Squares, pawns, material, kings, threats and lines, weighed as learned from puzzles and games
    Likeness,
    /// Moves that can occur in both positions within two plies
    Continuations,
    /// The shapes of the two game trees
    Structural,
    /// The freedom of the side to move
    Freedom,
    /// Half appearance, half play
    Blend,
    /// The motifs in the best line of a short search
    Motif,
}

impl Rerank {
    /// The method of the library that reads the play, if it is one of these.
    pub const fn method(self) -> Option<Method> {
        match self {
            Rerank::None | Rerank::Likeness => None,
            Rerank::Continuations => Some(Method::Continuations),
            Rerank::Structural => Some(Method::Structural),
            Rerank::Freedom => Some(Method::Freedom),
            Rerank::Blend => Some(Method::Blend),
            Rerank::Motif => Some(Method::Motif),
        }
    }
}

/// Games after which fewer positions suffice: an opening has few, with thousands of games each.
const MANY_GAMES: usize = 1000;

/// How games with the same position are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grouping {
    /// One hit, with the game of the highest-rated players first
    Strongest,
    /// One hit, with the newest game first
    Newest,
    /// One hit a game
    None,
}

impl Grouping {
    /// What makes hits distinct, if at least this many positions are wanted.
    pub(crate) const fn distinct(self, few: usize) -> Distinct {
        match self {
            Grouping::None => Distinct::Games,
            _ => Distinct::Positions {
                games: MANY_GAMES,
                few,
            },
        }
    }

    /// Which games of a hit come first.
    pub(crate) const fn order(self) -> Order {
        match self {
            Grouping::Newest => Order::Newest,
            _ => Order::Strongest,
        }
    }
}

/// What counts more than usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Like {
    /// The pawn structure
    Pawns,
    /// The squares of the pieces
    Pieces,
    /// Threats and lines
    Threats,
    /// Pawns, material and kings
    Endgame,
}

impl Like {
    /// How often each group of likeness counts: squares, pawns, material, kings, threats, lines.
    pub(crate) const fn groups(self) -> [f64; GROUPS] {
        match self {
            Like::Pawns => [0.5, 4.0, 0.5, 0.5, 0.5, 0.5],
            Like::Pieces => [3.0, 0.5, 1.0, 1.0, 0.5, 0.5],
            Like::Threats => [0.5, 0.5, 0.5, 1.0, 4.0, 3.0],
            Like::Endgame => [1.0, 2.0, 3.0, 2.0, 0.5, 0.5],
        }
    }

    /// How often a family of terms counts in the first ranking.
    pub(crate) const fn family(self, family: Family) -> f64 {
        match (self, family) {
            (Like::Threats, Family::Attack | Family::Ray) => 2.5,
            (Like::Pieces, Family::Reach) => 2.0,
            _ => 1.0,
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
            ("center=1", "\"center\" is not a family"),
            ("place=x", "\"x\" is not a number"),
            ("ray=1,ray=2", "ray is given twice"),
        ] {
            assert!(parse_weights(text).unwrap_err().contains(reason));
        }
    }
}
