//! A file with every kind of annotation is read and written again without a
//! loss. `tests/annotations.py` compares the two files with other eyes.
//!
//! `UPDATE=1 cargo test -p tabiya-chess --test annotated` rewrites the
//! expected file.

use std::{fs, path::Path};

use tabiya_chess::{
    Annotations, Game,
    pgn::{self, Splitter},
};

fn read(text: &str) -> Vec<Game> {
    let mut splitter = Splitter::new(text.as_bytes());
    let (mut games, mut source) = (Vec::new(), Vec::new());
    while splitter.next_into(&mut source).unwrap().is_some() {
        let reading = pgn::read(&source);
        assert_eq!((reading.fault, reading.lost), (None, 0));
        let game = reading.game.unwrap();
        assert_eq!(game.variations().count(), reading.variations as usize);
        games.push(game);
        source.clear();
    }
    games
}

#[test]
fn every_annotation_is_read_and_written() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let games = read(&fs::read_to_string(fixtures.join("annotated.pgn")).unwrap());
    let mut text = String::new();
    for game in &games {
        pgn::write(game, &mut text).unwrap();
        let bytes = game.annotations.to_bytes();
        assert_eq!(
            Annotations::from_bytes(&bytes).as_ref(),
            Some(&game.annotations)
        );
    }
    assert_eq!(read(&text), games);
    let path = fixtures.join("annotated-export.pgn");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(path).unwrap());
}
