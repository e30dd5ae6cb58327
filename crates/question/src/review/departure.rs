//! The move that leaves what the collection knows.

use serde::{Deserialize, Serialize};
use shakmaty::Position;
use tabiya_chess::Game;
use tabiya_retrieval::{Filter, explorer::explore, index::FormatError};
use utoipa::ToSchema;

use super::numbered;
use crate::{
    Shards,
    shape::{san, uci},
};

/// The number of plies among which the move is looked for.
const PLIES: usize = 40;

/// A move with fewer games leaves what is known.
const FEW: u32 = 5;

/// A move that fewer than one game in this many plays leaves it too.
const RARE: u64 = 100;

/// The first move that few of the collection's games with its position play: fewer than five, or
/// fewer than one in a hundred.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Departure {
    /// The number of plies played before the move.
    pub ply: u16,
    /// The move with its number, such as `9.h4`.
    pub played: String,
    /// The side that moves: white or black.
    pub side: String,
    /// The number of games with the position.
    pub games: u32,
    /// Games that played the same move; the reviewed game may be one of them.
    pub same: u32,
    /// All this in a sentence.
    pub words: String,
}

/// How many games of some shards pass a position, and how many play the same move there.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Passage {
    games: u32,
    same: u32,
}

impl Passage {
    /// The passages of a game's first positions.
    pub(super) fn all(game: &Game, shards: &Shards<'_>) -> Result<Vec<Passage>, FormatError> {
        let places = game.positions().zip(&game.moves).take(PLIES);
        let passage = |(position, compact): (_, &tabiya_chess::CompactMove)| {
            let explored = explore(shards.shards(), &position, &Filter::default())?;
            let played = compact.to_move(position.board()).map(uci);
            let same = explored
                .moves
                .iter()
                .find(|it| Some(&it.uci) == played.as_ref());
            Ok(Passage {
                games: explored.moves.iter().map(|it| it.count.games()).sum(),
                same: same.map_or(0, |it| it.count.games()),
            })
        };
        places.map(passage).collect()
    }

    /// Adds the passages of other shards.
    pub(super) fn merge(all: &mut [Passage], others: &[Passage]) {
        for (one, other) in all.iter_mut().zip(others) {
            one.games += other.games;
            one.same += other.same;
        }
    }

    fn is_left(&self) -> bool {
        self.same < FEW || u64::from(self.same) * RARE < self.games.into()
    }
}

impl Departure {
    /// Where a game leaves what its passages know; `None` if they know nothing, or all of them.
    pub(super) fn of(game: &Game, passages: &[Passage]) -> Option<Departure> {
        let ply = passages.iter().position(Passage::is_left)?;
        let Passage { games, same } = passages[ply];
        let position = game.position(ply).filter(|_| games >= FEW)?;
        let mv = game.moves[ply].to_move(position.board())?;
        let played = numbered(&position, &san(&position, mv));
        Some(Departure {
            ply: ply as u16,
            words: format!(
                "{played} leaves what is known: of {games} games with the position, {same} continued so."
            ),
            played,
            side: position.turn().fold_wb("white", "black").to_owned(),
            games,
            same,
        })
    }
}
