//! Any text is a position or an error; a position gives its FEN back, and its
//! twins are positions as well.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_chess::{pgn, position};

fuzz_target!(|text: &str| {
    let _ = pgn::read_start(text);
    let Ok(found) = position::parse(text) else {
        return;
    };
    let fen = position::to_fen(&found);
    let again = position::parse(&fen).expect("a FEN of ours is read again");
    assert_eq!(position::to_fen(&again), fen);
    let _ = position::pass(&found);
});
