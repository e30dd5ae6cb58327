//! What can be played in two positions.

use serde::Deserialize;
use tabiya_retrieval::comparison::{Comparison, Settings};
use utoipa::IntoParams;

use super::{PairParameters, RequestError, read};
use crate::comparison::{Compared, Detail};

/// How deep, and how much is told.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct Depth {
    /// How many plies of play to compare
    #[param(minimum = 1, maximum = 2)]
    pub depth: u8,

    /// How many matched pairs of moves to tell
    #[param(minimum = 0, maximum = 100)]
    pub matches: usize,
}

impl Default for Depth {
    fn default() -> Depth {
        Depth {
            depth: 2,
            matches: 10,
        }
    }
}

impl Depth {
    /// Whether a server goes so deep.
    ///
    /// # Errors
    ///
    /// When it does not.
    pub fn check(&self) -> Result<(), RequestError> {
        if !(1..=2).contains(&self.depth) || self.matches > 100 {
            return Err(RequestError::new(
                "compare 1 or 2 plies, and tell at most 100 matches; \
                 tabiya compare goes deeper on the command line",
            ));
        }
        Ok(())
    }
}

/// Two positions to compare.
#[derive(Debug)]
pub struct Compare {
    /// The positions.
    pub pair: PairParameters,
    /// How deep, and how much is told.
    pub depth: Depth,
}

impl Compare {
    /// Reads the request from parameters.
    ///
    /// # Errors
    ///
    /// When a parameter is missing or makes no sense.
    pub fn read(parameters: &str) -> Result<Compare, RequestError> {
        let asked = Compare {
            pair: read(parameters)?,
            depth: read(parameters)?,
        };
        if !(1..=3).contains(&asked.depth.depth) {
            return Err(RequestError::new("depth: compare 1, 2 or 3 plies"));
        }
        Ok(asked)
    }

    /// The answer, with all that can be told.
    ///
    /// # Errors
    ///
    /// When it has no form as JSON, which no position is known to cause.
    pub fn answer(&self) -> serde_json::Result<Compared> {
        let PairParameters { fen, other } = &self.pair;
        let settings = Settings {
            depth: self.depth.depth.into(),
            ..Settings::default()
        };
        let plain = Comparison::new(fen, other, settings);
        let swapped = Comparison::swapped(fen, other, settings);
        let detail = Detail {
            depth: self.depth.depth,
            matches: self.depth.matches,
            more: true,
        };
        Compared::new(&plain, swapped.as_ref(), detail)
    }
}
