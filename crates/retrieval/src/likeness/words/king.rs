//! The kings and what is around them.

use shakmaty::{Board, Color, File, Role, Square, attacks};

use super::{Family, Words};
use crate::{
    likeness::word::{Kind, Place, Word},
    motif::View,
};

pub(super) fn note(view: &View, board: &Board, words: &mut Words) {
    let kings = [view.us, !view.us].map(|it| (it, board.king_of(it)));
    for (color, king) in kings {
        let Some(king) = king else { continue };
        let family = if color == view.us {
            Family::Shelter
        } else {
            Family::Siege
        };
        note_around(view, board, (king, color), family, words);
        if is_central(board, king) {
            let piece = Role::King.of(color);
            words.name(Word::new(Kind::CentralKing, piece, Place::Anywhere));
        }
    }
    if let [(_, Some(ours)), (_, Some(theirs))] = kings
        && wing(ours) * wing(theirs) < 0
        && board.queens().any()
    {
        let king = Role::King.of(Color::White);
        words.name(Word::new(Kind::OppositeKings, king, Place::Anywhere));
    }
}

/// The region of a king, pieces within three steps, and the state of the squares next to him.
fn note_around(view: &View, board: &Board, king: (Square, Color), to: Family, words: &mut Words) {
    let ((king, color), occupied) = (king, board.occupied());
    words.note(to, 'g', &[view.region(king)]);
    for (square, piece) in board.iter().filter(|it| it.0 != king) {
        let role = piece.role as i32;
        let own = i32::from(piece.color == color);
        if square.distance(king) <= 3 {
            let (file, rank) = view.offset(square, king);
            words.note(to, 'p', &[own, role, file, rank]);
        }
    }
    for square in attacks::king_attacks(king) {
        let (file, rank) = view.offset(square, king);
        let attackers = board.attacks_to(square, !color, occupied);
        let is_taken = board.by_color(color).contains(square);
        let state = [file, rank, i32::from(attackers.any()), i32::from(is_taken)];
        words.note(to, 'f', &state);
        for attacker in attackers {
            let role = board.role_at(attacker).map_or(0, |it| it as i32);
            words.note(to, 'a', &[role, file, rank]);
            words.note(to, 'r', &[role]);
        }
    }
}

/// Whether a king is in the middle of his first two ranks while there are queens and many pieces.
fn is_central(board: &Board, king: Square) -> bool {
    let is_home = matches!(king.rank() as u32, 0 | 1 | 6 | 7);
    let is_middle = matches!(king.file(), File::D | File::E);
    board.queens().any() && board.occupied().count() > 16 && is_home && is_middle
}

/// −1 for the queenside, 1 for the kingside, 0 for the middle.
fn wing(king: Square) -> i32 {
    match king.file() as u32 {
        0..=2 => -1,
        6.. => 1,
        _ => 0,
    }
}
