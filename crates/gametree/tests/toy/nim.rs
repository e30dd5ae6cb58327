//! Nim: take any number from one heap; the player that takes the last one wins.

use crate::trap::Stakes;
use crate::{Game, Label, Spelling};

/// The rules of normal-play Nim with up to nine heaps of up to nine.
///
/// A label is the mover, the heap and what is left of it: `1b0` empties heap b.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nim;

/// Heaps and whose turn it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heaps {
    heaps: Vec<u8>,
    second_to_move: bool,
}

impl Heaps {
    /// Heaps of the given sizes, the first player to move; sizes above nine and
    /// heaps beyond the ninth are cut off.
    pub(crate) fn new(sizes: &[u8]) -> Heaps {
        let heaps = sizes.iter().take(9).map(|&it| it.min(9)).collect();
        Heaps {
            heaps,
            second_to_move: false,
        }
    }
}

impl Game for Nim {
    type Position = Heaps;
    /// A heap and what is left of it.
    type Move = (u8, u8);

    fn legal_moves(&self, position: &Heaps, moves: &mut Vec<(u8, u8)>) {
        for (heap, &size) in (0u8..).zip(&position.heaps) {
            moves.extend((0..size).map(|left| (heap, left)));
        }
    }

    fn label_moves(&self, position: &Heaps, moves: &[(u8, u8)], labels: &mut Vec<Label>) {
        let mover = if position.second_to_move { b'2' } else { b'1' };
        labels.extend(moves.iter().map(|&(heap, left)| {
            Spelling::default()
                .push(mover)
                .push(b'a' + heap)
                .push(b'0' + left)
                .label()
        }));
    }

    fn play(&self, position: &Heaps, (heap, left): (u8, u8)) -> Heaps {
        let mut next = position.clone();
        next.heaps[usize::from(heap)] = left;
        next.second_to_move = !position.second_to_move;
        next
    }

    /// The player to move has lost.
    fn reward(&self, position: &Heaps) -> f64 {
        if position.second_to_move { 1.0 } else { -1.0 }
    }

    fn is_lost(&self, _position: &Heaps) -> bool {
        true
    }
}

impl Stakes for Nim {
    fn is_threatened(&self, _position: &Heaps) -> bool {
        false
    }

    fn threats(&self, position: &Heaps, moves: &mut Vec<(u8, u8)>) {
        self.legal_moves(position, moves);
    }

    fn exchanges(&self, _position: &Heaps, _moves: &mut Vec<(u8, u8)>) {}

    fn balance(&self, _position: &Heaps) -> i32 {
        0
    }

    fn promise(&self, _position: &Heaps, _mv: (u8, u8)) -> i32 {
        0
    }
}
