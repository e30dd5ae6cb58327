//! A game in one line: players, result and year.

use tabiya_question::shape::GameHeader;

/// The players with their ratings, and the result.
pub fn players(game: &GameHeader) -> String {
    format!(
        "{} – {}  {}",
        player(&game.white, game.white_elo),
        player(&game.black, game.black_elo),
        game.result
    )
}

/// The year, or a question mark.
pub fn year(year: Option<u16>) -> String {
    year.map_or("?".to_owned(), |it| it.to_string())
}

/// A player with the rating, unless the name contains it, as names of engines do.
pub fn player(name: &str, elo: Option<u16>) -> String {
    match elo.map(|it| format!("({it})")) {
        Some(elo) if !name.contains(&elo) => format!("{name} {elo}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_shown_once() {
        assert_eq!(player("Anna", Some(2500)), "Anna (2500)");
        assert_eq!(player("Engine 1.0 (2500)", Some(2500)), "Engine 1.0 (2500)");
        assert_eq!(player("Anna", None), "Anna");
    }
}
