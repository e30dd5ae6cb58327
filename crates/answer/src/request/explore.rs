//! What was played in exactly this position.

use serde::Deserialize;
use tabiya_retrieval::{explorer, index::FormatError};
use utoipa::IntoParams;

use super::{PositionParameters, RequestError, read};
use crate::{Archive, explorer::Explorer, filter::GameArguments};

/// What is told.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct ShowGames {
    /// How many of the best-rated and of the newest games to show, at most 8
    #[param(minimum = 0, maximum = 8)]
    pub show_games: usize,
}

impl Default for ShowGames {
    fn default() -> ShowGames {
        ShowGames { show_games: 4 }
    }
}

/// A position to explore.
#[derive(Debug)]
pub struct Explore {
    /// The position.
    pub position: PositionParameters,
    /// What is told.
    pub show: ShowGames,
    /// Which games may answer.
    pub games: GameArguments,
}

impl Explore {
    /// Reads the request from parameters.
    ///
    /// # Errors
    ///
    /// When a parameter is missing or makes no sense.
    pub fn read(parameters: &str) -> Result<Explore, RequestError> {
        let asked = Explore {
            position: read(parameters)?,
            show: read(parameters)?,
            games: read(parameters)?,
        };
        asked.check()?;
        Ok(asked)
    }

    /// Whether so many games are kept for a position.
    ///
    /// # Errors
    ///
    /// When they are not.
    pub fn check(&self) -> Result<(), RequestError> {
        if self.show.show_games > 8 {
            return Err(RequestError::new("at most 8 games can be shown"));
        }
        Ok(())
    }

    /// The answer from an archive.
    ///
    /// # Errors
    ///
    /// When a shard is damaged.
    pub fn answer(&self, archive: &Archive<'_>) -> Result<Explorer, FormatError> {
        let position = &self.position.fen;
        let mut explored = explorer::explore(archive.shards(), position, &self.games.filter())?;
        explored.best.truncate(self.show.show_games);
        explored.newest.truncate(self.show.show_games);
        Ok(Explorer::new(&explored, position))
    }
}
