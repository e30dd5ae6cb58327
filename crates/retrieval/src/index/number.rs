//! The ways to count: games through a collection and within a segment, variations within a
//! game.

use std::{fmt, num::ParseIntError, str::FromStr};

use serde::{Deserialize, Serialize};
use tabiya_chess::{Game, Variation};

/// A game's number in its collection, counted from one.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct GameNumber(pub u64);

impl fmt::Display for GameNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for GameNumber {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<GameNumber, ParseIntError> {
        text.parse().map(GameNumber)
    }
}

/// A game's index in its segment, counted from zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameIndex(pub u32);

impl From<GameIndex> for usize {
    fn from(index: GameIndex) -> usize {
        index.0 as usize
    }
}

/// A variation's number in its game, counted from one, each before those that it holds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct VariationNumber(pub u32);

impl VariationNumber {
    /// The variation of a game; `None` if it has no such one.
    pub fn of(self, game: &Game) -> Option<Variation<'_>> {
        let before = (self.0 as usize).checked_sub(1)?;
        game.annotations.variations(&game.moves).nth(before)
    }
}
