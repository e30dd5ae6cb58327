//! Prints the answer of `tabiya explain`.

use std::time::Duration;

use clap::Args;
use shakmaty::Position;
use tabiya_chess::Symmetry;
use tabiya_question::explain::{Answer, Explain};
use tabiya_terminal::{
    board::{self, Figures},
    style::{DIFFERENT, FAINT, PLAIN, STRONG},
};

use crate::ask::View;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Style of the pieces
    #[arg(long, value_enum, default_value_t)]
    figures: Figures,
}

impl View for Explain {
    const HELP: &'static str = "Example:
  tabiya explain \"r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9\" \\
                 \"r1bq1rk1/pp3ppp/2nbpn2/3p4/3P4/P1NBPN2/1P3PPP/R1BQ1RK1 b - - 0 10\"

The weight of a term depends on its frequency in the collection (without --db, the built-in
sample).";

    type Options = Options;

    fn print(&self, answer: &Answer, options: &Options, _: Duration) {
        let title = match answer.symmetry {
            Symmetry::None => "second".to_owned(),
            turned => format!("second ({})", turned.name()),
        };
        let boards = board::side_by_side(
            ("first", self.pair.fen.board()),
            (&title, answer.turned_fen.0.board()),
            &summary(answer),
            options.figures,
        );
        say!("{boards}\n");
        for word in &answer.both {
            say!("  both: {}", word.words);
        }
        for reason in &answer.shared {
            let share = 100.0 * reason.share;
            say!("  {FAINT}{share:>4.1} %{PLAIN}  {}", reason.words);
        }
        for line in differences(&answer.only_query, &answer.only_other) {
            say!("  {line}");
        }
    }
}

/// Similarity and shares, shown beside the boards.
fn summary(answer: &Answer) -> Vec<String> {
    let similarity = 100.0 * answer.similarity;
    let mut lines = vec![
        format!("{STRONG}{similarity:.1} % alike{PLAIN}"),
        String::new(),
    ];
    if let Some(contributions) = &answer.contributions {
        lines.extend(
            contributions
                .greatest_first()
                .into_iter()
                .map(|(group, part)| format!("{group:<9}{part:>+5.1}")),
        );
        return lines;
    }
    for (family, share) in answer.families.iter().filter(|it| it.1 > 0.0) {
        lines.push(format!("{family:<8}{:>4.0} %", 100.0 * share));
    }
    lines
}

/// The pieces whose squares differ between the positions.
pub(super) fn differences(only_query: &[String], only_other: &[String]) -> Vec<String> {
    let named = |title: &str, names: &[String]| {
        let names = names.join(" ");
        (!names.is_empty()).then(|| format!("{title} {DIFFERENT}{names}{PLAIN}"))
    };
    let lines = [
        named("only here:", only_query),
        named("only there:", only_other),
    ];
    lines.into_iter().flatten().collect()
}
