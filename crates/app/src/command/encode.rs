//! `tabiya encode`: the terms of a position.

use clap::Args;
use tabiya_answer::encoding::{Encoded, encode};
use tabiya_retrieval::term::{Family, Weight};

use tabiya_terminal::{json, position::PositionArguments};

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

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let position = options.position.position()?;
    let encoding = encode(&position, options.query);
    if options.json {
        return json::print(&Encoded::new(&position, &encoding));
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
