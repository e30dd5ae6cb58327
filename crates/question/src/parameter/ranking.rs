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
    rank::Ranking,
    rerank::Method,
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

    /// Name of a ranking from the paper, or Tabiya [default: CombAll]
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
        self.run.unwrap_or(Run::CombAll)
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

/// The method of re-ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Rerank {
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
    /// The method of the library.
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
            ("center=1", "\"center\" is not a family"),
            ("place=x", "\"x\" is not a number"),
            ("ray=1,ray=2", "ray is given twice"),
        ] {
            assert!(parse_weights(text).unwrap_err().contains(reason));
        }
    }
}
