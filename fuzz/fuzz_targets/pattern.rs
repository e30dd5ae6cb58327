//! Any text is a pattern or an error with a place in the text. A pattern is written and read back as the same tree,
//! and it matches or does not match the positions of a game without a panic.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use tabiya_chess::{Game, pgn};
use tabiya_pattern::{Evaluator, Pattern, Played};

fn game() -> &'static Game {
    static GAME: OnceLock<Game> = OnceLock::new();
    let text = b"1. e4 d5 2. exd5 e5 3. dxe6 Nf6 4. exf7+ Kxf7 5. Nf3 Bd6 6. Be2 Re8 7. O-O Rxe2 8. Qxe2 Qe7 *";
    GAME.get_or_init(|| pgn::read(text).game.unwrap_or_default())
}

fuzz_target!(|text: &str| {
    let pattern: Pattern = match text.parse() {
        Ok(pattern) => pattern,
        Err(error) => {
            assert!(error.span().begin <= text.len() && error.column() >= 1, "{error}");
            return;
        }
    };
    let written = pattern.to_string();
    let again: Pattern = written.parse().expect("a pattern of ours is read again");
    assert_eq!(again.filter(), pattern.filter(), "{written}");
    let _ = Evaluator::new(pattern.program()).matches(&Played::new(game()));
});
