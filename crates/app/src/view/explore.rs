//! Prints the answer of `tabiya explore`.

use std::time::Duration;

use clap::Args;
use tabiya_question::explore::{Answer, Comment, Explore, Game, Move, Suggestion};
use tabiya_terminal::{
    game,
    progress::counted,
    screen,
    style::{FAINT, PLAIN, STRONG},
};

use crate::ask::View;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Number of moves to show
    #[arg(long, value_name = "N", default_value_t = 12)]
    top: usize,
}

impl View for Explore {
    const HELP: &'static str = "Examples:
  tabiya explore --moves \"1.e4 e5 2.Nf3 Nc6 3.Bb5\" --db my-games
  tabiya explore \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\" --player Tal --date 1957-1960
  tabiya explore --moves 1.d4 --json

The JSON matches that of the Lichess opening explorer.";

    type Options = Options;

    fn print(&self, answer: &Answer, options: &Options, took: Duration) {
        if games(answer) == 0 {
            let admitted = answer.admitted.unwrap_or_default();
            screen::print("", &absence(admitted, self.games.is_empty()));
        } else {
            if let Some(opening) = &answer.opening {
                say!("{STRONG}{} {}{PLAIN}", opening.eco, opening.name);
            }
            say!("{}", results(answer));
            print_moves(&answer.moves, options.top);
            print_games("best rated", &answer.top_games);
            print_games("newest", &answer.recent_games);
        }
        print_suggestions(&answer.variations);
        print_comments(&answer.comments);
        let took = took.as_secs_f64() * 1000.0;
        say!("{FAINT}{took:.2} ms{PLAIN}");
    }
}

/// Why no game was found: the filters leave none, or none of the rest has the position.
fn absence(admitted: u64, all: bool) -> String {
    let remedy = "tabiya search finds similar positions, tabiya twins its mirror images";
    match admitted {
        _ if all => format!("no game in the collection has this position; {remedy}"),
        0 => "the filters leave no game; try wider ones".to_owned(),
        some => format!(
            "the filters leave {}, none with this position; {remedy}",
            counted(some, "game")
        ),
    }
}

/// The moves that variations continue with.
fn print_suggestions(moves: &[Suggestion]) {
    if moves.is_empty() {
        return;
    }
    let moves = moves
        .iter()
        .map(|it| format!("{} ({})", it.san, it.variations));
    let moves: Vec<String> = moves.collect();
    say!("{STRONG}in variations{PLAIN}");
    for line in screen::wrap(&moves.join(", "), screen::width() - 2) {
        say!("  {line}");
    }
}

/// What annotators say of the position.
fn print_comments(comments: &[Comment]) {
    if comments.is_empty() {
        return;
    }
    say!("{STRONG}annotators{PLAIN}");
    for it in comments {
        for line in screen::wrap(&format!("“{}”", it.text), screen::width() - 2) {
            say!("  {line}");
        }
        let place = it.variation.map_or("", |_| ", in a variation");
        let source = format!("{}, game {}{place}", game::players(&it.game), it.game.id);
        say!(
            "  {FAINT}{}{PLAIN}",
            screen::cut(&source, screen::width() - 2)
        );
    }
}

fn games(answer: &Answer) -> u32 {
    answer.white + answer.draws + answer.black + answer.unknown
}

/// The number of games and their results.
pub(super) fn results(answer: &Answer) -> String {
    let known = f64::from((answer.white + answer.draws + answer.black).max(1));
    let share = |count: u32| format!("{:.0} %", 100.0 * f64::from(count) / known);
    let games = counted(games(answer).into(), "game");
    format!(
        "{games}: White {}, draw {}, Black {}",
        share(answer.white),
        share(answer.draws),
        share(answer.black)
    )
}

pub(super) fn print_moves(moves: &[Move], rows: usize) {
    if moves.is_empty() {
        return;
    }
    say!(
        "{FAINT}  {:<8}{:>9}{:>9}{:>9}{:>9}{:>7}{:>7}{PLAIN}",
        "move",
        "games",
        "White",
        "draw",
        "Black",
        "Elo",
        "last"
    );
    let known = |it: Option<String>| it.unwrap_or_else(|| "-".to_owned());
    for it in moves.iter().take(rows) {
        let rating = known(it.average_rating.map(|it| it.to_string()));
        let year = known(it.last_year.map(|it| it.to_string()));
        say!(
            "  {STRONG}{:<8}{PLAIN}{:>9}{:>9}{:>9}{:>9}{rating:>7}{year:>7}",
            it.san,
            it.white + it.draws + it.black + it.unknown,
            it.white,
            it.draws,
            it.black
        );
    }
    if moves.len() > rows {
        say!("  and {} more", moves.len() - rows);
    }
}

fn print_games(title: &str, games: &[Game]) {
    if games.is_empty() {
        return;
    }
    say!("{STRONG}{title}{PLAIN}");
    for it in games {
        let players = format!(
            "{} – {}  {}",
            game::player(&it.white.name, it.white.rating),
            game::player(&it.black.name, it.black.rating),
            it.result
        );
        let occasion = format!("{}, {}, game {}", it.event, game::year(it.year), it.id);
        let players = screen::cut(&players, screen::width() - 20);
        let room = screen::width().saturating_sub(4 + players.chars().count());
        say!(
            "  {players}  {FAINT}{}{PLAIN}",
            screen::cut(&occasion, room)
        );
    }
}
