//! How a ranking is given, on the command line and in a request.

use std::collections::BTreeSet;

use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use serde::{Deserialize, Deserializer};
use shakmaty::{Chess, Color, Position};
use tabiya_chess::{Symmetry, position};
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
///
/// # Errors
///
/// Why it is no position, in words.
pub fn parse_fen(text: &str) -> Result<Chess, String> {
    position::parse(text).map_err(|error| error.to_string())
}

/// How positions are scored.
#[derive(Clone, Debug, Args, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct RankingArguments {
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
pub fn run_parser() -> impl TypedValueParser<Value = Run> {
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
    /// The ranking for a position in which this player is to move.
    ///
    /// # Errors
    ///
    /// When its parameters make no sense.
    pub fn checked(&self, turn: Color) -> Result<Ranking, RankingError> {
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
    ///
    /// # Errors
    ///
    /// When the ranking's parameters make no sense.
    pub fn query(
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
    pub fn name(&self) -> String {
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
pub enum SymmetryChoice {
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
    /// The ways in which the position is turned.
    pub fn symmetries(self) -> Vec<Symmetry> {
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
pub enum Rerank {
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
    /// The method by its name in the library.
    pub const fn method(self) -> Method {
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
