//! Prints the answer of `tabiya structures`.

use std::time::Duration;

use tabiya_question::structures::{Answer, Structures};
use tabiya_terminal::style::{FAINT, PLAIN, STRONG};

use crate::ask::{NoOptions, View};

impl View for Structures {
    const HELP: &'static str = "Examples:
  tabiya structures \"r1bq1rk1/pp2bppp/2n1pn2/8/3P4/P1NB1N2/1P3PPP/R1BQR1K1 b - - 0 12\"
  tabiya structures --moves \"1.e4 c5 2.Nf3 Nc6 3.d4 cxd4 4.Nxd4 g6 5.c4\"

tabiya find @NAME finds the games with a named pattern. docs/patterns.md says how to add your own.";

    type Options = NoOptions;

    fn print(&self, answer: &Answer, _: &NoOptions, _: Duration) {
        if answer.structures.is_empty() {
            say!("no named pattern");
        }
        for it in &answer.structures {
            say!("{STRONG}@{}{PLAIN}  {}", it.name, it.about);
            say!("    {FAINT}{}{PLAIN}", it.query);
        }
    }
}
