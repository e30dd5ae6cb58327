//! Why two positions are alike.

use serde::Deserialize;
use shakmaty::Position;
use tabiya_retrieval::Statistics;
use utoipa::IntoParams;

use super::{PairParameters, RequestError, read};
use crate::{
    answer, json,
    query::{RankingArguments, SymmetryChoice},
};

/// What is told.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct Reasons {
    /// How many shared terms to tell
    #[param(minimum = 0, maximum = 1000)]
    pub reasons: usize,

    /// Which twins of the first position are tried as well; the best is told
    #[param(inline)]
    pub symmetry: SymmetryChoice,
}

impl Default for Reasons {
    fn default() -> Reasons {
        Reasons {
            reasons: 12,
            symmetry: SymmetryChoice::default(),
        }
    }
}

/// Two positions to explain.
#[derive(Debug)]
pub struct Explain {
    /// The positions.
    pub pair: PairParameters,
    /// What is told.
    pub reasons: Reasons,
    /// How positions are scored.
    pub ranking: RankingArguments,
}

impl Explain {
    /// Reads the request from parameters.
    ///
    /// # Errors
    ///
    /// When a parameter is missing or makes no sense.
    pub fn read(parameters: &str) -> Result<Explain, RequestError> {
        Ok(Explain {
            pair: read(parameters)?,
            reasons: read(parameters)?,
            ranking: read(parameters)?,
        })
    }

    /// The answer, by the statistics of a collection.
    ///
    /// # Errors
    ///
    /// When the parameters do not go together.
    pub fn answer(&self, statistics: &Statistics) -> Result<json::Explained, RequestError> {
        let PairParameters { fen, other } = &self.pair;
        let ranking = self.ranking.checked(fen.turn());
        let ranking = ranking.map_err(|error| RequestError::new(error.to_string()))?;
        let symmetries = self.reasons.symmetry.symmetries();
        let told = answer::explain([fen, other], &symmetries, &ranking, statistics);
        let (symmetry, why) = told.ok_or_else(|| RequestError::new("no symmetry to try"))?;
        Ok(json::Explained::new(&why, symmetry, self.reasons.reasons))
    }
}
