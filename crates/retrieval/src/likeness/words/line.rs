//! Pieces on one line: pins, skewers, batteries, and attacks that a move could uncover.

use shakmaty::{Bitboard, Board, Piece, Role, Square, attacks};
use tabiya_chess::exchange::exchange_value;

use super::{Family, Words};
use crate::{
    likeness::word::{Kind, Place, Word},
    motif::View,
};

pub(super) fn note(view: &View, board: &Board, words: &mut Words) {
    for slider in board.sliders() {
        let Some(piece) = board.piece_at(slider) else {
            continue;
        };
        let direct = attacks::attacks(slider, piece, board.occupied());
        for first in direct & board.occupied() {
            let through = attacks::attacks(slider, piece, board.occupied().without(first));
            let behind = through & !direct & board.occupied() & attacks::ray(slider, first);
            for second in behind {
                note_row(view, board, [slider, first, second], words);
            }
        }
    }
}

/// A slider and the first two pieces on one of its lines.
fn note_row(view: &View, board: &Board, row: [Square; 3], words: &mut Words) {
    let [Some(slider), Some(first), Some(second)] = row.map(|it| board.piece_at(it)) else {
        return;
    };
    let ours = i32::from(slider.color == view.us);
    let roles = [slider, first, second].map(|it| it.role as i32);
    if second.color == slider.color {
        return;
    }
    if first.color == slider.color {
        note_battery((slider, first, second), row, ours, words);
        if second.role == Role::Pawn {
            return;
        }
        words.note(Family::Line, 'u', &[ours, roles[0], roles[1], roles[2]]);
        words.note(Family::Line, 'v', &[ours, roles[0], roles[2]]);
        return;
    }
    if second.role == Role::Pawn {
        return;
    }
    let kind = match (worth(first.role), worth(second.role)) {
        (one, two) if two > one => Kind::Pinned,
        (one, two) if one > two && one > worth(slider.role) => Kind::Skewered,
        _ => return,
    };
    if kind == Kind::Pinned && first.role == Role::Pawn && second.role != Role::King {
        return;
    }
    let is_skewer = i32::from(kind == Kind::Skewered);
    words.note(Family::Line, 'k', &[ours, is_skewer]);
    words.note(Family::Line, 'l', &[ours, is_skewer, roles[1], roles[2]]);
    words.note(
        Family::Line,
        'm',
        &[ours, is_skewer, roles[0], roles[1], roles[2]],
    );
    let (file, rank) = view.beside_king(row[1]);
    words.note(Family::Line, 'p', &[ours, is_skewer, roles[1], file, rank]);
    words.name(Word::new(kind, first, Place::Square(row[1])));
}

/// Two pieces of one player that act along the line, and a move of the first that would
/// uncover an attack on something worth it.
fn note_battery(row: (Piece, Piece, Piece), at: [Square; 3], ours: i32, words: &mut Words) {
    let (slider, first, second) = row;
    let line = attacks::ray(at[0], at[1]);
    let along = attacks::attacks(at[1], first, Bitboard::EMPTY) & line;
    let is_battery = along.any() && first.role != Role::King && first.role != Role::Pawn;
    if is_battery && worth(first.role) <= worth(slider.role) {
        words.note(
            Family::Line,
            'b',
            &[ours, slider.role as i32, first.role as i32],
        );
        words.name(Word::new(Kind::Battery, slider, Place::Anywhere));
    }
    if !is_battery && worth(second.role) > worth(slider.role) && first.role != Role::Pawn {
        words.name(Word::new(Kind::Discovery, first, Place::Square(at[1])));
    }
}

fn worth(role: Role) -> i32 {
    match role {
        Role::King => 10_000,
        // Knights and bishops are worth the same here.
        Role::Bishop => exchange_value(Role::Knight),
        other => exchange_value(other),
    }
}
