//! The board before anything happens: the enemy's king, what is around him, and the
//! pieces there are.

use shakmaty::{Board, Role, attacks};

use super::{Family, Words, view::View};

pub(super) fn note(view: &View, board: &Board, words: &mut Words) {
    note_neighborhood(view, board, words);
    note_flights(view, board, words);
    note_force(view, board, words);
}

/// Pieces within three steps of the king, and which of ours reach the squares next
/// to him.
fn note_neighborhood(view: &View, board: &Board, words: &mut Words) {
    let king = view.king();
    for (square, piece) in board.iter().filter(|it| it.0 != king) {
        let ours = piece.color == view.us;
        let role = piece.role as i32;
        if square.distance(king) <= 3 {
            let (file, rank) = view.beside_king(square);
            words.note(Family::King, 'p', &[i32::from(ours), role, file, rank]);
        }
        if ours {
            let reached = attacks::attacks(square, piece, board.occupied());
            for next in reached & attacks::king_attacks(king) {
                let (file, rank) = view.beside_king(next);
                words.note(Family::King, 'a', &[role, file, rank]);
                words.note(Family::King, 'r', &[role]);
            }
        }
    }
}

/// The squares next to the king: attacked by us, taken by his own.
fn note_flights(view: &View, board: &Board, words: &mut Words) {
    for square in attacks::king_attacks(view.king()) {
        let (file, rank) = view.beside_king(square);
        let is_attacked = board.attacks_to(square, view.us, board.occupied()).any();
        let is_taken = board.by_color(!view.us).contains(square);
        let state = [file, rank, i32::from(is_attacked), i32::from(is_taken)];
        words.note(Family::King, 'f', &state);
    }
}

fn note_force(view: &View, board: &Board, words: &mut Words) {
    words.note(Family::Force, 'k', &[view.region(view.king())]);
    if let Some(own) = board.king_of(view.us) {
        words.note(Family::Force, 'o', &[view.region(own)]);
    }
    words.note(Family::Force, 'n', &[board.occupied().count() as i32 / 4]);
    for color in [view.us, !view.us] {
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let count = board.by_piece(role.of(color)).count() as i32;
            let ours = i32::from(color == view.us);
            words.note(Family::Force, 'p', &[ours, role as i32, count]);
        }
    }
}
