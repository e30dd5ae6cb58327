//! The explorer's answer as a table.

use tabiya_retrieval::explorer::{Continuation, Count, Explored, Shown};

use tabiya_terminal::progress::grouped;
use tabiya_terminal::{game, style};

/// Prints the counts, the moves and some games.
pub(crate) fn print(explored: &Explored, moves: usize, games: usize) {
    if let Some(opening) = explored.opening {
        say!("{}{opening}{}", style::STRONG, style::PLAIN);
    }
    say!("{}", in_words(&explored.total));
    print_moves(&explored.moves, moves);
    for (title, shown) in [("best rated", &explored.best), ("newest", &explored.newest)] {
        if games > 0 && !shown.is_empty() {
            say!("{}{title}{}", style::STRONG, style::PLAIN);
        }
        for it in shown.iter().take(games) {
            say!("  {}", one_line(it));
        }
    }
}

/// How many games, and how they ended.
pub(crate) fn in_words(total: &Count) -> String {
    let known = f64::from((total.white + total.draws + total.black).max(1));
    let share = |count: u32| format!("{:.0} %", 100.0 * f64::from(count) / known);
    let games = match total.games() {
        1 => "1 game".to_owned(),
        many => format!("{} games", grouped(many.into())),
    };
    format!(
        "{games}: White {}, draw {}, Black {}",
        share(total.white),
        share(total.draws),
        share(total.black)
    )
}

pub(crate) fn print_moves(moves: &[Continuation], rows: usize) {
    if moves.is_empty() {
        return;
    }
    say!(
        "{}  {:<8}{:>9}{:>9}{:>9}{:>9}{:>7}{:>7}{}",
        style::FAINT,
        "move",
        "games",
        "White",
        "draw",
        "Black",
        "Elo",
        "last",
        style::PLAIN
    );
    for it in moves.iter().take(rows) {
        let count = &it.count;
        let rating = count
            .mean_rating()
            .map_or("-".to_owned(), |it| it.to_string());
        let year = match count.last_year {
            0 => "-".to_owned(),
            year => year.to_string(),
        };
        say!(
            "  {}{:<8}{}{:>9}{:>9}{:>9}{:>9}{rating:>7}{year:>7}",
            style::STRONG,
            it.san,
            style::PLAIN,
            count.games(),
            count.white,
            count.draws,
            count.black
        );
    }
    if moves.len() > rows {
        say!("  and {} more", moves.len() - rows);
    }
}

fn one_line(shown: &Shown) -> String {
    let tags = &shown.tags;
    format!(
        "{}  {}{}, {}, game {}{}",
        game::players(tags),
        style::FAINT,
        tags.event,
        game::year(tags),
        shown.game,
        style::PLAIN
    )
}
