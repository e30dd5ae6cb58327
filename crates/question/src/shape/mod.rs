//! Values that several answers share.

mod fen;
mod game;
mod likeness;
mod reason;
mod structure;

pub use fen::Fen;
pub use game::GameHeader;
pub use likeness::{Contributions, SharedWord};
pub use reason::{Families, Reason, piece_names, reasons};
pub use structure::structure_names;
pub(crate) use structure::{parse_structure, structure_pattern};

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Move, san::SanPlus, uci::UciMove};
use tabiya_chess::Line;
use utoipa::ToSchema;

use crate::Shards;

/// The size of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Counts {
    /// The number of games.
    pub games: u64,
    /// The number of indexed positions.
    pub positions: u64,
}

impl Counts {
    /// The size of some shards.
    pub fn of(shards: &Shards<'_>) -> Counts {
        Counts {
            games: shards.games(),
            positions: shards.positions(),
        }
    }
}

impl std::iter::Sum for Counts {
    fn sum<I: Iterator<Item = Counts>>(counts: I) -> Counts {
        counts.fold(Counts::default(), |sum, it| Counts {
            games: sum.games + it.games,
            positions: sum.positions + it.positions,
        })
    }
}

/// A move in SAN.
pub fn san(position: &Chess, mv: Move) -> String {
    SanPlus::from_move(position.clone(), mv).to_string()
}

/// A move in UCI notation.
pub fn uci(mv: Move) -> String {
    UciMove::from_standard(mv).to_string()
}

/// Moves from a position in SAN.
pub fn line(start: &Chess, moves: &[Move]) -> Vec<String> {
    let mut line = Line::new(start.clone());
    // A principal variation that ends in an illegal move is shown up to it.
    let _ = moves.iter().try_for_each(|&mv| line.push(mv));
    line.to_san()
}
