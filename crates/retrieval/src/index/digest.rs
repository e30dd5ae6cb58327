//! The digest of a game: equal if and only if players, moves and annotations are.

use std::{fmt, num::ParseIntError, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use tabiya_chess::{Game, position};
use xxhash_rust::xxh3::Xxh3;

/// A 128-bit hash of the players, the start, the moves and the annotations of a game: what
/// one annotator says is not lost because another has the same game. At this length two different games never share one by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameDigest(u128);

impl GameDigest {
    /// The digest of a game.
    pub fn of(game: &Game) -> GameDigest {
        let mut hash = Xxh3::new();
        for name in [&game.tags.white, &game.tags.black] {
            hash.update(name.as_bytes());
            hash.update(b"\n");
        }
        if let Some(setup) = &game.setup {
            hash.update(position::to_fen(setup).as_bytes());
        }
        hash.update(b"\n");
        for mv in &game.moves {
            hash.update(&mv.to_bits().to_le_bytes());
        }
        if !game.annotations.is_empty() {
            hash.update(b"\n");
            hash.update(&game.annotations.to_bytes());
        }
        GameDigest(hash.digest128())
    }

    pub(crate) fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    pub(super) fn from_bytes(bytes: [u8; 16]) -> GameDigest {
        GameDigest(u128::from_le_bytes(bytes))
    }
}

/// Hexadecimal digits.
impl fmt::Display for GameDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl Serialize for GameDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GameDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<GameDigest, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl FromStr for GameDigest {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<GameDigest, ParseIntError> {
        u128::from_str_radix(text, 16).map(GameDigest)
    }
}
