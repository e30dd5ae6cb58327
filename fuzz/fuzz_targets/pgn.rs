//! Any bytes are cut into games without losing one; what is read of a game can
//! be played through, and comes back the same when it is written and read
//! again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tabiya_chess::{
    Annotations,
    pgn::{self, Splitter},
};

fuzz_target!(|data: &[u8]| {
    let mut splitter = Splitter::new(data);
    let mut text = Vec::new();
    while let Ok(Some(_)) = splitter.next_into(&mut text) {
        check(&text);
        text.clear();
    }
    check(data);
    // Any bytes are annotations or none.
    Annotations::from_bytes(data);
});

fn check(text: &[u8]) {
    let Some(game) = pgn::read(text).game else {
        return;
    };
    assert_eq!(game.positions().count(), game.moves.len() + 1);
    let mut written = String::new();
    pgn::write(&game, &mut written).expect("a string takes everything");
    let again = pgn::read(written.as_bytes());
    assert_eq!(again.fault, None, "{written}");
    let again = again.game.expect("a game of ours is read again");
    assert_eq!(again.moves, game.moves, "{written}");
    assert_eq!(again.setup, game.setup, "{written}");
    assert_eq!(again.annotations, game.annotations, "{written}");
    let bytes = game.annotations.to_bytes();
    assert_eq!(Annotations::from_bytes(&bytes), Some(game.annotations));
}
