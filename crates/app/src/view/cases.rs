//! Prints the answer of `tabiya cases`.

use std::time::Duration;

use shakmaty::Position;
use tabiya_question::cases::{Answer, Cases, ListedCase, Reply};
use tabiya_terminal::{
    game,
    progress::grouped,
    screen,
    style::{FAINT, PLAIN, STRONG},
};

use crate::ask::{NoOptions, View};

impl View for Cases {
    const HELP: &'static str = "Examples:
  tabiya cases \"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\" --last-move e7e5
  tabiya cases --moves \"1.d4 Nf6 2.c4 e6 3.Nc3 Bb4\" --threshold 0.6 --db my-games

Cases pass two filters. The last move must match: the same piece to the same square, a capture or
not. Then --threshold applies to the weighted Jaccard index of the positions' terms (tabiya encode).";

    type Options = NoOptions;

    fn print(&self, answer: &Answer, _: &NoOptions, took: Duration) {
        say!(
            "{STRONG}{} cases{PLAIN} of {} at least {:.0} % alike  {FAINT}{:.1} ms{PLAIN}",
            grouped(answer.count as u64),
            answer.actions.join(" or "),
            100.0 * answer.threshold,
            took.as_secs_f64() * 1000.0
        );
        if answer.count == 0 {
            say!(
                "no case is similar enough; lower --threshold, or choose a larger collection with --db"
            );
            return;
        }
        if answer.reactions.is_empty() {
            say!("none of the replies is legal in this position");
        } else {
            print_replies(&answer.reactions);
        }
        answer.cases.iter().for_each(print_case);
    }
}

fn print_replies(replies: &[Reply]) {
    let total: f64 = replies.iter().map(|it| it.weight).sum();
    say!(
        "{FAINT}  {:<8}{:>7}{:>7}{:>7}{:>7}{:>9}{:>7}{PLAIN}",
        "reply",
        "cases",
        "won",
        "drawn",
        "lost",
        "nearest",
        "share"
    );
    for it in replies {
        say!(
            "  {STRONG}{:<8}{PLAIN}{:>7}{:>7}{:>7}{:>7}{:>7.0} %{:>5.0} %",
            it.san,
            it.cases,
            it.won,
            it.drawn,
            it.lost,
            100.0 * it.similarity,
            100.0 * it.weight / total.max(f64::MIN_POSITIVE)
        );
    }
}

fn print_case(case: &ListedCase) {
    let here = &case.fen.0;
    let dots = here.turn().fold_wb(".", "...");
    let place = format!(
        "{}{dots}{}, {}, game {}",
        here.fullmoves(),
        case.reaction,
        game::year(case.game.year),
        case.game.id
    );
    let room = screen::width().saturating_sub(12 + place.chars().count());
    let players = screen::cut(&game::players(&case.game), room);
    say!(
        "{:>6.1} %  {players}  {FAINT}{place}{PLAIN}",
        100.0 * case.similarity
    );
}
