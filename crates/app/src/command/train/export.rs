//! Exercises for lessons: PGN, EPD, an Anki deck, or printable diagrams.

use std::{
    fmt::Write as _,
    fs,
    io::{self, Write},
    path::Path,
};

use anyhow::Context;
use clap::ValueEnum;
use shakmaty::Position;
use tabiya_chess::{Game, pgn};

use super::Exercise;
use crate::view::diagram::{escaped, svg};

/// What exercises are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Games that begin in the position, with the solution as their moves
    Pgn,
    /// A position a line, with the best move
    Epd,
    /// Text that Anki imports: diagram, solution and themes
    Anki,
    /// A page of diagrams to print, with the solutions at its end
    Html,
}

pub(super) fn write(
    chosen: &[Exercise],
    format: Format,
    path: Option<&Path>,
) -> anyhow::Result<()> {
    let text = match format {
        Format::Pgn => chosen.iter().map(to_pgn).collect(),
        Format::Epd => chosen.iter().map(to_epd).collect(),
        Format::Anki => anki(chosen),
        Format::Html => html(chosen),
    };
    match path {
        Some(path) => fs::write(path, text).with_context(|| path.display().to_string()),
        None => Ok(io::stdout().write_all(text.as_bytes())?),
    }
}

fn to_pgn(exercise: &Exercise) -> String {
    let mut game = Game {
        setup: Some(Box::new(exercise.position.clone())),
        moves: exercise.solution.iter().map(|&it| it.into()).collect(),
        ..Game::default()
    };
    game.tags.event = format!("Exercise {}", exercise.name);
    let mut others = vec![("Themes".to_owned(), exercise.themes.join(" "))];
    others.extend(
        exercise
            .rating
            .map(|it| ("Rating".to_owned(), it.to_string())),
    );
    game.tags.others = others;
    pgn::to_string(&game)
}

fn to_epd(exercise: &Exercise) -> String {
    let fen = exercise.fen();
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    let best = exercise.moves().into_iter().next().unwrap_or_default();
    let (name, themes) = (&exercise.name, exercise.themes.join(" "));
    format!(
        "{} bm {best}; id \"{name}\"; c0 \"{themes}\";\n",
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
        let _ = writeln!(text, "{front}\t{moves}\t{}", it.themes.join(" "));
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
            escaped(&it.themes.join(", "))
        );
    }
    text + "</ol></body></html>\n"
}
