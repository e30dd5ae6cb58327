//! `tabiya encode`: the terms of a position.

use clap::Args;
use serde::Serialize;
use shakmaty::Position;
use tabiya_chess::position;
use tabiya_retrieval::term::{Encoding, Family, Weight};

use crate::{query::PositionArguments, view::json};

/// Print the terms of a position in the paper's notation.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya encode \"8/8/4k3/8/8/4K3/8/8 w - - 0 1\"

A line for each family: place (Ke3), reach (Ke4|0.89), attack (b>Nc3), defence (Q<Nc3), ray (r=Qf3).")]
pub(crate) struct Options {
    #[command(flatten)]
    position: PositionArguments,

    /// As a query: without reach
    #[arg(long)]
    query: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Encoded {
    fen: String,
    length: usize,
    terms: Vec<EncodedTerm>,
}

#[derive(Serialize)]
struct EncodedTerm {
    term: String,
    family: &'static str,
    weight: f64,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let position = options.position.position()?;
    let board = position.board();
    let encoding = if options.query {
        Encoding::of_query(board)
    } else {
        Encoding::of_document(board)
    };
    if options.json {
        let terms = encoding.iter().map(|(term, weight)| EncodedTerm {
            term: term.to_string(),
            family: weight.family(term).name(),
            weight: weight.value(),
        });
        let terms = terms.collect();
        return json::print(&Encoded {
            fen: position::to_fen(&position),
            length: encoding.len(),
            terms,
        });
    }
    for family in Family::ALL {
        let words: Vec<String> = encoding
            .iter()
            .filter(|&(term, weight)| weight.family(term) == family)
            .map(|(term, weight)| match weight {
                Weight::FULL => term.to_string(),
                _ => format!("{term}|{:.2}", weight.value()),
            })
            .collect();
        if !words.is_empty() {
            say!("{}", words.join(" "));
        }
    }
    Ok(())
}
