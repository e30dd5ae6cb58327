//! Pieces without enough protection: loose ones, and protectors with too much to do.

use shakmaty::{Bitboard, Board, Color, Role, Square};

use super::{Family, Words};
use crate::{
    likeness::word::{Kind, Place, Word},
    motif::View,
};

pub(super) fn note(view: &View, board: &Board, words: &mut Words) {
    for color in [Color::White, Color::Black] {
        let ours = i32::from(color == view.us);
        // Pieces that the last of several protectors guards against an attacker.
        let mut charges = [0u8; 64];
        for square in board.by_color(color) & !board.kings() {
            let Some(piece) = board.piece_at(square) else {
                continue;
            };
            let guards = board.attacks_to(square, color, board.occupied());
            let attackers = board.attacks_to(square, !color, board.occupied());
            let state = State::of(guards, attackers);
            let role = piece.role as i32;
            if piece.role != Role::Pawn || attackers.any() {
                words.note(Family::Loose, 's', &[ours, role, state as i32]);
            }
            if state == State::Loose || state == State::Attacked {
                let (file, rank) = view.beside_king(square);
                words.note(Family::Loose, 'k', &[ours, role, file, rank]);
                if piece.role != Role::Pawn {
                    words.name(Word::new(Kind::Loose, piece, Place::Square(square)));
                }
            }
            if let (true, Some(guard)) = (attackers.any(), guards.single_square()) {
                charges[guard as usize] += 1;
            }
        }
        note_overloaded(board, ours, &charges, words);
    }
}

/// Protectors on whom two attacked pieces depend.
fn note_overloaded(board: &Board, ours: i32, charges: &[u8; 64], words: &mut Words) {
    for guard in Square::ALL
        .into_iter()
        .filter(|&it| charges[it as usize] >= 2)
    {
        let Some(piece) = board.piece_at(guard) else {
            continue;
        };
        words.note(Family::Loose, 'o', &[ours, piece.role as i32]);
        if piece.role != Role::Pawn && piece.role != Role::King {
            words.name(Word::new(Kind::Overloaded, piece, Place::Square(guard)));
        }
    }
}

/// How well a piece is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Protected and not attacked.
    Safe,
    /// Neither protected nor attacked.
    Loose,
    /// Attacked and not protected.
    Attacked,
    /// Attacked more often than protected.
    Pressed,
    /// Attacked, and protected as often.
    Held,
}

impl State {
    fn of(guards: Bitboard, attackers: Bitboard) -> State {
        match (guards.count(), attackers.count()) {
            (0, 0) => State::Loose,
            (0, _) => State::Attacked,
            (_, 0) => State::Safe,
            (guards, attackers) if attackers > guards => State::Pressed,
            _ => State::Held,
        }
    }
}
