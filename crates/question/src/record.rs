//! Converts between positions and compact records.

use clap::Args;
use serde::Serialize;
use shakmaty::{Board, Position};
use tabiya_chess::{chi_square::ChiSquare, record};
use tabiya_retrieval::search::Cancel;
use utoipa::ToSchema;

use crate::{AskError, Invalid, Question, Scope, Shards, parameter::PositionParameters};

/// A position, or a record to decode.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Record {
    /// The position.
    #[command(flatten)]
    #[serde(flatten)]
    pub position: PositionParameters,

    /// Record to decode: key and value in hex
    #[arg(long, value_name = "HEX", conflicts_with_all = ["fen", "moves"])]
    pub decode: Option<String>,
}

/// The parts of a record.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecordAnswer)]
pub struct Answer {
    /// The χ² statistic stored in the record.
    pub chi2: f64,
    /// The χ² statistic of the board.
    pub board_chi2: f64,
    /// The key: statistic and occupied squares.
    pub key: String,
    /// The value: a half-byte for each piece.
    pub value: String,
    /// The number of bytes of key and value.
    pub bytes: usize,
    /// The board as the first field of a FEN.
    pub board: String,
    #[serde(skip)]
    #[schema(ignore)]
    /// The board.
    pub pieces: Board,
}

impl Question for Record {
    const NAME: &'static str = "record";
    const ABOUT: &'static str = "Convert a position to a compact record, or a record to a board";

    type Part = ();
    type Answer = Answer;

    fn position(&mut self) -> Option<&mut PositionParameters> {
        Some(&mut self.position)
    }

    fn settle(&mut self) -> Result<(), Invalid> {
        match self.decode.is_some() {
            true => Ok(()),
            false => self.position.settle(),
        }
    }

    fn scope(&self) -> Scope {
        Scope::Anyone
    }

    fn ask(&self, _: &Shards<'_>, _: &Cancel) -> Result<(), AskError> {
        Ok(())
    }

    fn merge(&self, _: Vec<()>, _: &Cancel) -> Result<Answer, AskError> {
        let record = match &self.decode {
            Some(hex) => hex.parse().map_err(|error| Invalid::new("decode", error))?,
            None => record::Record::of(self.position.position().board())
                .map_err(|error| Invalid::new("fen", error))?,
        };
        Ok(Answer::new(&record))
    }
}

impl Answer {
    fn new(record: &record::Record) -> Answer {
        let pieces = record.board();
        Answer {
            chi2: record.key().statistic().to_f64(),
            board_chi2: ChiSquare::of(&pieces).to_f64(),
            key: hex(&record.key().to_bytes()),
            value: hex(record.value()),
            bytes: record.to_bytes().len(),
            board: pieces.to_string(),
            pieces,
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
