//! The digest of a game: equal if and only if players and moves are.

use tabiya_chess::{Game, position};
use xxhash_rust::xxh3::Xxh3;

/// A 128-bit hash of the players, the start and the moves of a game. At this
/// length two different games never share one by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest(u128);

impl Digest {
    /// The digest of a game.
    pub fn of(game: &Game) -> Digest {
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
        Digest(hash.digest128())
    }

    pub(crate) fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    pub(super) fn from_bytes(bytes: [u8; 16]) -> Digest {
        Digest(u128::from_le_bytes(bytes))
    }
}
