//! A position's terms, as JSON.

use serde::Serialize;
use shakmaty::{Chess, Position};
use tabiya_chess::position;
use tabiya_retrieval::term::Encoding;

/// A position and its terms.
#[derive(Debug, Serialize)]
pub struct Encoded {
    fen: String,
    length: usize,
    terms: Vec<EncodedTerm>,
}

#[derive(Debug, Serialize)]
struct EncodedTerm {
    term: String,
    family: &'static str,
    weight: f64,
}

impl Encoded {
    /// The position with its encoding.
    pub fn new(position: &Chess, encoding: &Encoding) -> Encoded {
        let terms = encoding.iter().map(|(term, weight)| EncodedTerm {
            term: term.to_string(),
            family: weight.family(term).name(),
            weight: weight.value(),
        });
        Encoded {
            fen: position::to_fen(position),
            length: encoding.len(),
            terms: terms.collect(),
        }
    }
}

/// The terms of a position: of one that is asked about, or of one in an archive.
pub fn encode(position: &Chess, is_query: bool) -> Encoding {
    let board = position.board();
    if is_query {
        Encoding::of_query(board)
    } else {
        Encoding::of_document(board)
    }
}
