//! What the tests share.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tabiya_base::{Base, Record};
use tabiya_chess::{
    Game, Layout,
    pgn::{self, Splitter},
};

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The games that the base of Scid was made of, as texts.
pub(crate) fn original_texts() -> Vec<String> {
    ["historical.pgn", "annotated.pgn"]
        .iter()
        .flat_map(|it| split(&fs::read(fixtures().join(it)).unwrap()))
        .collect()
}

fn split(text: &[u8]) -> Vec<String> {
    let mut splitter = Splitter::new(text);
    let mut texts = Vec::new();
    let mut text = Vec::new();
    while splitter.next_into(&mut text).unwrap().is_some() {
        texts.push(String::from_utf8(std::mem::take(&mut text)).unwrap());
    }
    texts
}

/// Everything that a base gives: a text for each game, with its fault.
pub(crate) fn read_all(path: &Path) -> Vec<(Record, String)> {
    let mut base = Base::open(path).unwrap_or_else(|error| panic!("{error}"));
    let mut all = Vec::new();
    let mut text = Vec::new();
    while let Some(record) = base.next_into(&mut text).unwrap() {
        let text = String::from_utf8(std::mem::take(&mut text)).unwrap();
        all.push((record, text));
    }
    assert_eq!(base.number(), base.records());
    all
}

/// The texts of a base without a fault.
pub(crate) fn sound_texts(path: &Path) -> Vec<String> {
    let all = read_all(path).into_iter();
    let games = all.filter(|it| it.0 != Record::Deleted);
    games
        .map(|(record, text)| {
            assert_eq!(record, Record::Game { fault: None }, "{text}");
            text
        })
        .collect()
}

pub(crate) fn game(text: &str) -> Game {
    let reading = pgn::read(text.as_bytes());
    assert_eq!(reading.fault, None, "{text}");
    let mut game = reading.game.unwrap();
    // A base has no order of tags.
    game.tags.others.sort();
    game.tags.layout = Layout::default();
    game
}

/// The movetext in its smallest form: moves without numbers and marks of
/// check, glyphs, comments and brackets.
pub(crate) fn movetext(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|it| !it.starts_with('['));
    let text = lines.collect::<Vec<_>>().join(" ");
    let mut words = Vec::new();
    let mut rest = text.as_str();
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else {
            return words;
        };
        let end = match first {
            '{' => rest.find('}').unwrap() + 1,
            '(' | ')' => 1,
            _ => rest.find([' ', '(', ')', '{']).unwrap_or(rest.len()),
        };
        let word = rest[..end].trim_end_matches(['+', '#']);
        if !word.ends_with('.') {
            words.push(word.replace("{ ", "{").replace(" }", "}"));
        }
        rest = &rest[end..];
    }
}
