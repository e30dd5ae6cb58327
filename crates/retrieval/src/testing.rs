//! Random material for the tests of this crate.

use shakmaty::{Board, Chess, Position};
use tabiya_chess::{CompactMove, Game};

/// A small generator: the same numbers for the same seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// A game of random legal moves of at most this many plies.
pub(crate) fn random_game(dice: &mut Dice, plies: usize) -> Game {
    let mut position = Chess::default();
    let mut moves = Vec::new();
    for _ in 0..plies {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[dice.below(legal.len())];
        moves.push(CompactMove::from(mv));
        position.play_unchecked(mv);
    }
    Game {
        moves,
        ..Game::default()
    }
}

/// The board at the end of a random game.
pub(crate) fn random_board(seed: u64) -> Board {
    let mut dice = Dice::new(seed);
    let plies = dice.below(150);
    random_game(&mut dice, plies)
        .boards()
        .last()
        .unwrap_or_default()
}
