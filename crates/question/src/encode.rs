//! The terms of a position.

use clap::Args;
use serde::Serialize;
use shakmaty::Position;
use tabiya_retrieval::{
    search::Cancel,
    term::{Encoding, Term as Encoded, Weight},
};
use utoipa::ToSchema;

use crate::{AskError, Question, Scope, Shards, parameter::PositionParameters, shape::Fen};

/// A position to encode.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Encode {
    /// The position.
    #[command(flatten)]
    #[serde(flatten)]
    pub position: PositionParameters,

    /// Encode as a query, without reach terms
    #[arg(long)]
    pub query: bool,
}

/// A position and its terms.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EncodeAnswer)]
pub struct Answer {
    /// The position.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// The number of terms.
    pub length: usize,
    /// The terms.
    pub terms: Vec<Term>,
}

/// A term of a position.
#[derive(Debug, Serialize, ToSchema)]
pub struct Term {
    /// The term in the paper's notation.
    pub term: String,
    /// Its family: place, reach, attack, defence or ray.
    pub family: &'static str,
    /// Its weight.
    pub weight: f64,
}

impl Question for Encode {
    const NAME: &'static str = "encode";
    const ABOUT: &'static str = "Print the terms of a position in the paper's notation";

    type Part = ();
    type Answer = Answer;

    fn position(&mut self) -> Option<&mut PositionParameters> {
        Some(&mut self.position)
    }

    fn scope(&self) -> Scope {
        Scope::Anyone
    }

    fn ask(&self, _: &Shards<'_>, _: &Cancel) -> Result<(), AskError> {
        Ok(())
    }

    fn merge(&self, _: Vec<()>, _: &Cancel) -> Result<Answer, AskError> {
        let position = self.position.position();
        let encoding = match self.query {
            true => Encoding::of_query(position.board()),
            false => Encoding::of_document(position.board()),
        };
        let term = |(term, weight): (Encoded, Weight)| Term {
            term: term.to_string(),
            family: weight.family(term).name(),
            weight: weight.value(),
        };
        Ok(Answer {
            fen: Fen(position.clone()),
            length: encoding.len(),
            terms: encoding.iter().map(term).collect(),
        })
    }
}
