//! Prints the answer of `tabiya compare`.

use std::time::Duration;

use clap::Args;
use shakmaty::Position;
use tabiya_question::compare::{Answer, Compare};
use tabiya_retrieval::comparison::Comparison;
use tabiya_terminal::{
    board::{self, Figures},
    screen,
    style::{DIFFERENT, FAINT, PLAIN, SHARED, STRONG},
};

use crate::ask::View;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Style of the pieces
    #[arg(long, value_enum, default_value_t)]
    figures: Figures,
}

impl View for Compare {
    const HELP: &'static str =
        "Example: the Légal trap, the Budapest trap and their corresponding moves
  tabiya compare \"r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5\" \\
                 \"rnbqk2r/pppp1ppp/8/2bPp1B1/2P1n3/8/PP2PPPP/RN1QKBNR w KQkq - 3 5\"

Measures range from 0 to 1 (identical); docs/measures.md defines them. If different sides are
to move, the second position is also compared with colors swapped.";

    type Options = Options;

    fn print(&self, answer: &Answer, options: &Options, _: Duration) {
        let (first, second) = (self.pair.fen.board(), self.pair.other.board());
        let boards =
            board::side_by_side(("first", first), ("second", second), &[], options.figures);
        say!("{boards}\n");
        print_measures(self.depth, &answer.plain, answer.swapped.as_ref());
        let judged = answer.judged();
        print_moves(judged);
        print_matches(judged, self.matches);
        say!("{STRONG}{}{PLAIN}", judged.verdict().words());
    }
}

fn print_measures(depth: u8, plain: &Comparison, swapped: Option<&Comparison>) {
    let views: Vec<&Comparison> = std::iter::once(plain).chain(swapped).collect();
    if swapped.is_some() {
        say!("{FAINT}{:34}{:>8}  {:>8}{PLAIN}", "", "as it is", "swapped");
    }
    let row = |name: &str, value: &dyn Fn(&Comparison) -> Option<f64>| {
        let values: Vec<String> = views
            .iter()
            .map(|it| value(it).map_or("-".to_owned(), |it| format!("{it:.4}")))
            .map(|it| format!("{it:>8}"))
            .collect();
        say!("  {name:32}{}", values.join("  "));
    };
    say!("{STRONG}Appearance{PLAIN}");
    row("encoding", &|it| Some(it.encoding));
    row("correlation", &|it| Some(it.correlation));
    say!("{STRONG}Play{PLAIN}");
    row("continuations, 1 ply", &|it| Some(it.continuations_1));
    if depth > 1 {
        row(&format!("continuations, {depth} plies"), &|it| {
            Some(it.continuations)
        });
    }
    row(&format!("sequences, {depth} plies"), &|it| {
        Some(it.sequences)
    });
    row(&format!("tree edit, {depth} plies, ordered"), &|it| {
        it.tree_edit_ordered
    });
    row(&format!("tree edit, {depth} plies, unordered"), &|it| {
        it.tree_edit_unordered
    });
    row("structural", &|it| Some(it.structural));
    row("freedom", &|it| Some(it.freedom));
}

fn print_moves(found: &Comparison) {
    let list = |moves: &[String]| match moves {
        [] => "none".to_owned(),
        moves => moves.join(" "),
    };
    say!("{STRONG}Moves{PLAIN}");
    for (title, tone, moves) in [
        ("in both", SHARED, &found.shared),
        ("first only", DIFFERENT, &found.only_a),
        ("second only", DIFFERENT, &found.only_b),
    ] {
        let lines = screen::wrap(&list(moves), screen::width() - 15);
        for (at, line) in lines.iter().enumerate() {
            let title = if at == 0 { title } else { "" };
            say!("  {title:<13}{tone}{line}{PLAIN}");
        }
    }
}

fn print_matches(found: &Comparison, count: usize) {
    if found.matches.is_empty() {
        return;
    }
    say!("{STRONG}Corresponding moves and how often they were paired{PLAIN}");
    for it in found.matches.iter().take(count) {
        let effects = format!("{}, {}", it.effects.0, it.effects.1);
        say!(
            "  {:<8} {:<8}{:>5}  {FAINT}{effects}{PLAIN}",
            it.a,
            it.b,
            it.count
        );
    }
}
