//! Traps near a position, as JSON.

use serde::Serialize;
use shakmaty::{Chess, Move, san::SanPlus};
use tabiya_chess::{position, rules::ChessRules, trap::Proof};
use tabiya_gametree::Game;
use tabiya_retrieval::trap::{Near, Origin};
use utoipa::ToSchema;

/// The traps near a position.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Traps {
    fen: String,
    warning: bool,
    traps: Vec<Trap>,
}

/// A trap that a position resembles.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Trap {
    trap: Option<String>,
    game: Option<u64>,
    ply: Option<usize>,
    symmetry: &'static str,
    similarity: f64,
    play: f64,
    looks: f64,
    pub(crate) trap_bait: String,
    pub(crate) bait: Option<String>,
    pub(crate) verified: bool,
    pub(crate) refutation: Vec<String>,
    pub(crate) mate_in: Option<usize>,
    pub(crate) gain: Option<i32>,
    pub(crate) better: Option<String>,
}

impl Traps {
    pub(crate) fn new(found: &[Near], position: &Chess) -> Traps {
        Traps {
            fen: position::to_fen(position),
            warning: found.iter().any(|it| it.proof.is_some()),
            traps: found.iter().map(|it| Trap::new(it, position)).collect(),
        }
    }
}

impl Trap {
    pub(crate) fn new(near: &Near, position: &Chess) -> Trap {
        let (trap, game, ply) = match &near.origin {
            Origin::Library(name) => (Some(name.clone()), None, None),
            Origin::Game { number, ply } => (None, Some(*number), Some(*ply)),
        };
        let san = |mv: Move| SanPlus::from_move(position.clone(), mv).to_string();
        let proof = near.proof.as_ref();
        Trap {
            trap,
            game,
            ply,
            symmetry: near.symmetry.name(),
            similarity: near.similarity(),
            play: near.play,
            looks: near.looks,
            trap_bait: near.trap_bait.clone(),
            bait: near.bait.map(san),
            verified: proof.is_some(),
            refutation: refutation(near, position),
            mate_in: proof.and_then(Proof::mate_in),
            gain: proof.filter(|it| it.mate_in().is_none()).map(|it| it.gain),
            better: proof.and_then(|it| it.saved_by).map(san),
        }
    }
}

/// The moves after the bait, in SAN.
fn refutation(near: &Near, position: &Chess) -> Vec<String> {
    match (near.bait, &near.proof) {
        (Some(bait), Some(proof)) => line(&play(position, bait), &proof.line),
        _ => Vec::new(),
    }
}

pub(crate) fn line(start: &Chess, moves: &[Move]) -> Vec<String> {
    let mut position = start.clone();
    let mut line = Vec::new();
    for &mv in moves {
        line.push(SanPlus::from_move(position.clone(), mv).to_string());
        position = play(&position, mv);
    }
    line
}

pub(crate) fn play(position: &Chess, mv: Move) -> Chess {
    ChessRules::default().play(position, mv)
}
