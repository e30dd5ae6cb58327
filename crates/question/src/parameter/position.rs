//! The position of a question.

use clap::Args;
use serde::{Serialize, Serializer};
use shakmaty::Chess;
use tabiya_chess::{Line, position};

use crate::Invalid;

/// Reads a FEN.
///
/// # Errors
///
/// The reason why it is not a position.
pub fn parse_fen(text: &str) -> Result<Chess, String> {
    position::parse(text).map_err(|error| error.to_string())
}

/// A position: a FEN, moves, or a FEN and the moves played from it.
#[derive(Clone, Debug, Default, Args, Serialize)]
pub struct PositionParameters {
    /// The position as a FEN of four or six fields
    #[arg(value_name = "FEN", num_args = 1..=6)]
    #[serde(serialize_with = "joined")]
    fen: Vec<String>,

    /// Moves from that position, or from the start position, such as "1.e4 c5 2.Nf3"
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,

    #[arg(skip)]
    #[serde(skip)]
    line: Line,
}

fn joined<S: Serializer>(fields: &[String], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&fields.join(" "))
}

impl PositionParameters {
    /// Whether a position is given.
    pub fn is_given(&self) -> bool {
        !self.fen.is_empty() || self.moves.is_some()
    }

    /// Replaces the position and moves by a line.
    pub fn set(&mut self, line: Line) {
        let moves: Vec<String> = line.to_uci();
        self.fen = vec![position::to_fen(line.start())];
        self.moves = (!moves.is_empty()).then(|| moves.join(" "));
        self.line = line;
    }

    /// Reads the position and the moves.
    ///
    /// # Errors
    ///
    /// When the position is missing or invalid.
    pub fn settle(&mut self) -> Result<(), Invalid> {
        if !self.is_given() {
            let remedy = "give a position as a FEN, or the moves that lead to it";
            return Err(Invalid::new("fen", remedy));
        }
        let start = match self.fen.is_empty() {
            true => Chess::default(),
            false => parse_fen(&self.fen.join(" ")).map_err(|error| Invalid::new("fen", error))?,
        };
        let moves = self.moves.as_deref().unwrap_or_default();
        let line = Line::read(start, moves).map_err(|error| Invalid::new("moves", error))?;
        self.set(line);
        Ok(())
    }

    /// Like [`settle`](Self::settle), with the start position as the default.
    ///
    /// # Errors
    ///
    /// When the position is invalid.
    pub fn settle_or_start(&mut self) -> Result<(), Invalid> {
        if !self.is_given() {
            self.set(Line::default());
            return Ok(());
        }
        self.settle()
    }

    /// The moves that led to the position, if known.
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// The position.
    pub fn position(&self) -> &Chess {
        self.line.position()
    }
}

/// Two positions.
#[derive(Clone, Debug, Args, Serialize)]
pub struct PairParameters {
    /// The first position, as a quoted FEN
    #[arg(value_name = "FEN", value_parser = parse_fen)]
    #[serde(serialize_with = "fen")]
    pub fen: Chess,

    /// The second position, as a quoted FEN
    #[arg(value_name = "FEN", value_parser = parse_fen)]
    #[serde(serialize_with = "fen")]
    pub other: Chess,
}

fn fen<S: Serializer>(position: &Chess, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&position::to_fen(position))
}
