//! Positions whose χ² statistic is close to that of a given one.

use clap::Args;
use serde::{Deserialize, Serialize};
use shakmaty::Position;
use tabiya_chess::{Ply, chi_square::ChiSquare};
use tabiya_retrieval::{
    GameNumber,
    explorer::{self, Neighbor},
    search::Cancel,
};
use utoipa::ToSchema;

use crate::{AskError, Question, Shards, parameter::PositionParameters, shape::Fen};

/// A position and a distance.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Near {
    /// The position.
    #[command(flatten)]
    #[serde(flatten)]
    pub position: PositionParameters,

    /// Greatest difference of the χ² statistics
    #[arg(long, value_name = "DISTANCE", default_value = "0.5")]
    #[serde(serialize_with = "number")]
    pub chi2: ChiSquare,

    /// Number of positions to return
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
}

fn number<S: serde::Serializer>(distance: &ChiSquare, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(distance.to_f64())
}

/// The closest positions.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NearAnswer)]
pub struct Answer {
    /// The position asked about.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// Its χ² statistic.
    pub chi2: f64,
    /// The greatest difference.
    pub distance: f64,
    /// The number of positions within the distance, counted once per segment.
    pub positions: u64,
    /// The closest positions; of equally close ones, the most frequent.
    pub hits: Vec<Hit>,
}

/// A position whose χ² statistic is close to the query's.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NearHit)]
pub struct Hit {
    /// Its χ² statistic.
    pub chi2: f64,
    /// The position.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// The number of occurrences.
    pub occurrences: u64,
    /// The first game with the position.
    #[schema(value_type = u64)]
    pub game: GameNumber,
    /// The number of plies played before it in that game.
    #[schema(value_type = u16)]
    pub ply: Ply,
}

/// The contribution of a group of shards.
#[derive(Debug, Serialize, Deserialize)]
pub struct Part {
    positions: u64,
    found: Vec<Neighbor>,
}

impl Question for Near {
    const NAME: &'static str = "near";
    const ABOUT: &'static str = "List positions whose χ² statistic is close to that of a given one";
    const LIMITS: &'static [(&'static str, f64, f64)] = &[("top", 0.0, 1000.0), ("chi2", 0.0, 5.0)];

    type Part = Part;
    type Answer = Answer;

    fn position(&mut self) -> Option<&mut PositionParameters> {
        Some(&mut self.position)
    }

    fn ask(&self, shards: &Shards<'_>, _: &Cancel) -> Result<Part, AskError> {
        let (shards, board) = (shards.shards(), self.position.position().board());
        let center = ChiSquare::of(board);
        let range = center.saturating_sub(self.chi2)..=center.saturating_add(self.chi2);
        Ok(Part {
            positions: explorer::count(shards, range)?,
            found: explorer::rings(shards, board, self.chi2, self.top)?,
        })
    }

    fn merge(&self, parts: Vec<Part>, _: &Cancel) -> Result<Answer, AskError> {
        let query = self.position.position();
        let positions = parts.iter().map(|it| it.positions).sum();
        let found = parts.into_iter().map(|it| it.found);
        let nearest = explorer::nearest(found, query.board(), self.top);
        Ok(Answer {
            fen: Fen(query.clone()),
            chi2: ChiSquare::of(query.board()).to_f64(),
            distance: self.chi2.to_f64(),
            positions,
            hits: nearest.into_iter().map(Hit::from).collect(),
        })
    }
}

impl From<Neighbor> for Hit {
    fn from(found: Neighbor) -> Hit {
        Hit {
            chi2: found.statistic().to_f64(),
            fen: Fen(found.position),
            occurrences: found.occurrences,
            game: found.game,
            ply: found.ply,
        }
    }
}
