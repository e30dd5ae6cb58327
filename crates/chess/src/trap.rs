//! Traps: positions in which a natural move loses at once.
//!
//! A trap is a position with a bait and a refutation of it. The library holds
//! well-known ones; [`Trap::verify`] proves a trap by search, and [`Proof`] says
//! what taking the bait costs. Whether another position is *like* a trap is
//! asked elsewhere.

mod library;
mod proof;

pub use library::{ParseTrapError, library, parse_library};
pub use proof::{Effort, Proof, refute};

use shakmaty::{Chess, Move};

/// A position with a bait that loses.
#[derive(Clone, Debug)]
pub struct Trap {
    /// What the trap is called.
    pub name: String,
    /// The position in which the bait is offered to the side to move.
    pub position: Chess,
    /// The losing move.
    pub bait: Move,
    /// The moves after the bait, the trapper's first.
    pub refutation: Vec<Move>,
    /// What the trapper gets.
    pub prize: Prize,
}

/// What a trapper gets, and how far a search must look to see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prize {
    /// Mate within this many of the trapper's moves.
    Mate {
        /// The number of moves.
        moves: usize,
    },
    /// Material.
    Gain {
        /// At least this many hundredths of a pawn more than before the bait.
        centipawns: i32,
        /// Seen by a search of this many plies after the bait.
        plies: usize,
    },
}

impl Trap {
    /// Proves that the bait loses what the prize says, or finds nothing.
    pub fn verify(&self) -> Option<Proof> {
        let proof = refute(&self.position, self.bait, Effort::for_prize(self.prize))?;
        let holds = match self.prize {
            Prize::Mate { moves } => proof.mate_in().is_some_and(|it| it <= moves),
            Prize::Gain { centipawns, .. } => proof.gain >= centipawns,
        };
        holds.then_some(proof)
    }
}
