//! Exercises for lessons: PGN, EPD, an Anki deck, or printable diagrams.

use std::fmt::Write as _;

use clap::ValueEnum;
use shakmaty::Position;
use tabiya_chess::{Game, pgn};
use tabiya_retrieval::{motif::Exhibit, training::Exercise};

use crate::view::diagram::{escaped, svg};

/// What exercises are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Games that begin in the position, with the solution as their moves
    Pgn,
    /// A position a line, with the best move
    Epd,
    /// Text that Anki imports: diagram, solution and themes
    Anki,
    /// A page of diagrams to print, with the solutions at its end
    Html,
}

/// The exercises as a file.
pub(crate) fn text(chosen: &[Exercise], format: Format) -> String {
    match format {
        Format::Pgn => chosen.iter().map(to_pgn).collect(),
        Format::Epd => chosen.iter().map(to_epd).collect(),
        Format::Anki => anki(chosen),
        Format::Html => html(chosen),
    }
}

impl Format {
    /// The media type, and the end of a file's name.
    pub(crate) fn kind(self) -> (&'static str, &'static str) {
        match self {
            Format::Pgn => ("application/x-chess-pgn", "pgn"),
            Format::Epd => ("text/plain; charset=utf-8", "epd"),
            Format::Anki => ("text/plain; charset=utf-8", "txt"),
            Format::Html => ("text/html; charset=utf-8", "html"),
        }
    }
}

/// As the index takes it: the opponent's move leads to the exercise, then the solution begins.
fn to_pgn(exercise: &Exercise) -> String {
    let (start, first) = match &exercise.before {
        Some((before, last)) => (before, Some(*last)),
        None => (&exercise.position, None),
    };
    let moves = first.into_iter().chain(exercise.solution.iter().copied());
    let mut game = Game {
        setup: Some(Box::new(start.clone())),
        moves: moves.map(Into::into).collect(),
        ..Game::default()
    };
    game.tags.event = format!("Exercise {}", exercise.name);
    let tag = |name: &str, value: String| (name.to_owned(), value);
    let themes = exercise.motifs.iter().map(|it| it.replace(' ', "-"));
    let themes: Vec<String> = themes.collect();
    game.tags.others = vec![tag(Exhibit::NAME, exercise.name.clone())];
    game.tags
        .others
        .push(tag(Exhibit::THEMES, themes.join(" ")));
    let rating = exercise
        .rating
        .map(|it| tag(Exhibit::RATING, it.to_string()));
    game.tags.others.extend(rating);
    pgn::to_string(&game)
}

fn to_epd(exercise: &Exercise) -> String {
    let fen = exercise.fen();
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    let best = exercise.moves().into_iter().next().unwrap_or_default();
    let (name, motifs) = (&exercise.name, exercise.motifs.join(", "));
    format!(
        "{} bm {best}; id \"{name}\"; c0 \"{motifs}\";\n",
        fields.join(" ")
    )
}

/// Tabs and line breaks separate fields and cards.
fn anki(chosen: &[Exercise]) -> String {
    let mut text =
        "#separator:tab\n#html:true\n#columns:Position\tSolution\tTags\n#tags column:3\n"
            .to_owned();
    for it in chosen {
        let side = it.position.turn().fold_wb("White", "Black");
        let front = format!("{}<br>{side} to move", svg(&it.position));
        let moves = escaped(&it.moves().join(" "));
        // Writing to a string cannot fail.
        let tags: Vec<String> = it.motifs.iter().map(|it| it.replace(' ', "-")).collect();
        let _ = writeln!(text, "{front}\t{moves}\t{}", escaped(&tags.join(" ")));
    }
    text
}

const STYLE: &str = "body{font:15px sans-serif;max-width:60rem;margin:1rem auto}.sheet{display:grid;grid-template-columns:repeat(2,1fr);gap:1.5rem}
figure{margin:0;break-inside:avoid}.board{width:100%;height:auto;max-width:20rem}ol{break-before:page}";

fn html(chosen: &[Exercise]) -> String {
    let mut text = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Exercises</title><style>{STYLE}</style></head><body><h1>Exercises</h1><div class=\"sheet\">"
    );
    for (number, it) in (1..).zip(chosen) {
        let side = it.position.turn().fold_wb("White", "Black");
        let _ = write!(
            text,
            "<figure>{}<figcaption>{number}. {side} to move</figcaption></figure>",
            svg(&it.position)
        );
    }
    text.push_str("</div><h2>Solutions</h2><ol>");
    for it in chosen {
        let moves = escaped(&it.moves().join(" "));
        let _ = write!(
            text,
            "<li>{moves} ({})</li>",
            escaped(&it.motifs.join(", "))
        );
    }
    text + "</ol></body></html>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_retrieval::GameNumber;

    const EXERCISE: &str = "[SetUp \"1\"]\n[FEN \"6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1\"]\n[PuzzleId \"ab12c\"]\n[Themes \"mate backRankMate\"]\n[Rating \"812\"]\n\n1... h5 2. Rd8+ Kh7 *\n";

    fn exercises(text: &str) -> Vec<Exercise> {
        let game = pgn::read(text.as_bytes()).game.unwrap();
        Exercise::all(GameNumber(1), &game)
    }

    #[test]
    fn an_exported_exercise_is_the_same_exercise() {
        let chosen = exercises(EXERCISE);
        let again = exercises(&text(&chosen, Format::Pgn));
        let facts = |it: &Exercise| {
            (
                it.fen(),
                it.moves(),
                it.motifs.clone(),
                it.rating,
                it.name.clone(),
            )
        };
        assert_eq!(facts(&again[0]), facts(&chosen[0]));
        assert_eq!(again[0].name, "ab12c");
    }

    #[test]
    fn every_format_has_position_and_solution() {
        let chosen = exercises(EXERCISE);
        let epd = text(&chosen, Format::Epd);
        assert_eq!(
            epd,
            "6k1/5pp1/8/7p/8/8/5PPP/3R2K1 w - - bm Rd8+; id \"ab12c\"; c0 \"mate, backRankMate\";\n"
        );
        let anki = text(&chosen, Format::Anki);
        let card: Vec<&str> = anki.lines().last().unwrap().split('\t').collect();
        assert_eq!(
            (card.len(), card[1], card[2]),
            (3, "Rd8+ Kh7", "mate backRankMate")
        );
        let html = text(&chosen, Format::Html);
        let (diagrams, solutions) = html.split_once("<h2>Solutions").unwrap();
        assert!(diagrams.contains("White to move") && !diagrams.contains("Rd8"));
        assert!(solutions.contains("Rd8+ Kh7"));
    }
}
