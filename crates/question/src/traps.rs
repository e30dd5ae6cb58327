//! Finds traps that a position resembles.

use clap::Args;
use serde::Serialize;
use shakmaty::{Chess, Move, Position};
use tabiya_chess::{
    Ply, Symmetry,
    trap::{Effort, Proof, library},
};
use tabiya_retrieval::{
    GameNumber,
    search::Cancel,
    trap::{self, Candidate, Origin, Pattern, Resemblance},
};
use utoipa::ToSchema;

use crate::{
    AskError, Cost, Question, Shards,
    parameter::PositionParameters,
    shape::{Fen, line, san},
};

/// A position to check for traps.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Traps {
    /// The position.
    #[command(flatten)]
    #[serde(flatten)]
    pub position: PositionParameters,

    /// Number of traps to return
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub top: usize,
}

/// The traps that a position resembles.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TrapsAnswer)]
pub struct Answer {
    /// The position.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// Whether search proved at least one of the traps.
    pub warning: bool,
    /// The number of known traps: from the library, and mined from the games.
    pub known: usize,
    /// The most similar traps.
    pub traps: Vec<NearTrap>,
}

/// A trap that a position resembles.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Trap)]
pub struct NearTrap {
    /// The name, for a trap from the library.
    pub trap: Option<String>,
    /// The game, for a mined trap.
    #[schema(value_type = Option<u64>)]
    pub game: Option<GameNumber>,
    /// The number of plies before the bait in that game.
    #[schema(value_type = Option<usize>)]
    pub ply: Option<Ply>,
    /// The symmetry that maps the trap onto the position.
    #[schema(value_type = String)]
    pub symmetry: Symmetry,
    /// The mean of `play` and `looks`.
    pub similarity: f64,
    /// The similarity of play.
    pub play: f64,
    /// The similarity of appearance.
    pub looks: f64,
    /// The bait in the trap.
    pub trap_bait: String,
    /// The corresponding move in the position.
    pub bait: Option<String>,
    /// Whether that move is the trap's own bait: the same piece goes to the same square.
    pub own_move: bool,
    /// Whether search proved that this move loses.
    pub verified: bool,
    /// The moves that refute it.
    pub refutation: Vec<String>,
    /// The number of moves to mate.
    pub mate_in: Option<usize>,
    /// The material that the refutation wins, in centipawns.
    pub gain: Option<i32>,
    /// A move that avoids the loss.
    pub better: Option<String>,
}

impl Question for Traps {
    const NAME: &'static str = "traps";
    const ABOUT: &'static str = "Find traps near a position";
    const LIMITS: &'static [(&'static str, f64, f64)] = &[("top", 0.0, 20.0)];

    /// The number of traps mined from the games, and the candidates among them.
    type Part = (usize, Vec<Candidate>);
    type Answer = Answer;

    fn position(&mut self) -> Option<&mut PositionParameters> {
        Some(&mut self.position)
    }

    fn cost(&self) -> Cost {
        Cost::Heavy
    }

    fn ask(&self, shards: &Shards<'_>, _: &Cancel) -> Result<Self::Part, AskError> {
        let mined = shards.traps()?;
        Ok((mined.len(), trap::look(self.position.position(), &mined)))
    }

    fn merge(&self, parts: Vec<Self::Part>, cancel: &Cancel) -> Result<Answer, AskError> {
        let position = self.position.position();
        let patterns: Vec<Pattern> = library().iter().map(Pattern::from).collect();
        let mut known = patterns.len();
        let mut candidates = trap::look(position, &patterns);
        for (mined, found) in parts {
            known += mined;
            candidates.extend(found);
        }
        let found = trap::judge(position, candidates, self.top, Effort::default(), cancel);
        Ok(Answer {
            fen: Fen(position.clone()),
            warning: found.iter().any(|it| it.proof.is_some()),
            known,
            traps: found.iter().map(|it| NearTrap::new(it, position)).collect(),
        })
    }
}

impl NearTrap {
    fn new(near: &Resemblance, position: &Chess) -> NearTrap {
        let (trap, game, ply) = match &near.origin {
            Origin::Library(name) => (Some(name.clone()), None, None),
            Origin::Game { number, ply } => (None, Some(*number), Some(*ply)),
        };
        let proof = near.proof.as_ref();
        let named = |mv: Move| san(position, mv);
        NearTrap {
            trap,
            game,
            ply,
            symmetry: near.symmetry,
            similarity: near.similarity(),
            play: near.play,
            looks: near.looks,
            trap_bait: near.trap_bait.clone(),
            bait: near.bait.map(named),
            own_move: near.is_own,
            verified: proof.is_some(),
            refutation: refutation(near, position),
            mate_in: proof.and_then(Proof::mate_in),
            gain: proof.filter(|it| it.mate_in().is_none()).map(|it| it.gain),
            better: proof.and_then(|it| it.saved_by).map(named),
        }
    }
}

/// The moves after the bait.
fn refutation(near: &Resemblance, position: &Chess) -> Vec<String> {
    match (near.bait, &near.proof) {
        (Some(bait), Some(proof)) => {
            let mut after = position.clone();
            after.play_unchecked(bait);
            line(&after, &proof.line)
        }
        _ => Vec::new(),
    }
}
