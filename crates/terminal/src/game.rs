//! A game in a line: who played, and when.

use tabiya_chess::Tags;

/// The players with their ratings, and the result.
pub fn players(tags: &Tags) -> String {
    format!(
        "{} – {}  {}",
        rated(&tags.white, tags.white_elo),
        rated(&tags.black, tags.black_elo),
        tags.result.as_str()
    )
}

/// The year, as far as it is known.
pub fn year(tags: &Tags) -> String {
    match tags.date.year {
        0 => "?".to_owned(),
        year => year.to_string(),
    }
}

/// A player with the rating, unless the name has it already, as engines' do.
fn rated(name: &str, elo: Option<u16>) -> String {
    match elo.map(|it| format!("({it})")) {
        Some(elo) if !name.contains(&elo) => format!("{name} {elo}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_told_once() {
        assert_eq!(rated("Anna", Some(2500)), "Anna (2500)");
        assert_eq!(rated("Engine 1.0 (2500)", Some(2500)), "Engine 1.0 (2500)");
        assert_eq!(rated("Anna", None), "Anna");
    }
}
