//! Prints the answer of `tabiya encode`.

use std::time::Duration;

use tabiya_question::encode::{Answer, Encode, Term};
use tabiya_retrieval::term::Family;
use tabiya_terminal::screen;

use crate::ask::{NoOptions, View};

impl View for Encode {
    const HELP: &'static str = "Example:
  tabiya encode \"8/8/4k3/8/8/4K3/8/8 w - - 0 1\"

The terms by family: place (Ke3), reach (Ke4|0.89), attack (b>Nc3), defence (Q<Nc3), ray (r=Qf3).";

    type Options = NoOptions;

    fn print(&self, answer: &Answer, _: &NoOptions, _: Duration) {
        for family in Family::ALL {
            let terms = answer.terms.iter().filter(|it| it.family == family.name());
            let words: Vec<String> = terms.map(word).collect();
            if !words.is_empty() {
                screen::wrap(&words.join(" "), screen::width())
                    .iter()
                    .for_each(|it| say!("{it}"));
            }
        }
    }
}

fn word(term: &Term) -> String {
    match term.weight {
        1.0 => term.term.clone(),
        weight => format!("{}|{weight:.2}", term.term),
    }
}
