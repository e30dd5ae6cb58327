//! The structure of the pawns, file by file.

use shakmaty::{Bitboard, Board, Color, Role, Square};

use super::{Family, Words};
use crate::{
    likeness::{
        skeleton::Skeleton,
        word::{Kind, Place, Word},
    },
    motif::View,
};

pub(super) fn note(view: &View, board: &Board, words: &mut Words) {
    let skeleton = Skeleton::of(board);
    for color in [Color::White, Color::Black] {
        let ours = i32::from(color == view.us);
        let kinds = [
            (Kind::Passed, 'p', skeleton.passed(color)),
            (Kind::Isolated, 'i', skeleton.isolated(color)),
            (Kind::Backward, 'b', skeleton.backward(color)),
            (Kind::Doubled, 'd', skeleton.doubled(color)),
        ];
        let pawn = Role::Pawn.of(color);
        for (kind, letter, pawns) in kinds {
            for square in pawns {
                let file = square.file();
                words.note(Family::Skeleton, letter, &[ours, file as i32]);
                words.name(Word::new(kind, pawn, Place::File(file)));
            }
            let number = pawns.count() as i32;
            words.note(Family::Skeleton, 'n', &[ours, letter as i32 - 96, number]);
        }
        note_hanging(&skeleton, color, ours, words);
        note_advanced(view, board, &skeleton, color, words);
    }
}

/// Two pawns side by side on half-open files without others on the next files.
fn note_hanging(skeleton: &Skeleton, color: Color, ours: i32, words: &mut Words) {
    let (own, theirs) = (skeleton.files(color), skeleton.files(!color));
    for left in 1u32..6 {
        let around = own >> (left - 1) & 0b1111;
        if around == 0b0110 && theirs >> left & 0b11 == 0 {
            words.note(Family::Skeleton, 'h', &[ours, left as i32]);
            let pawn = Role::Pawn.of(color);
            words.name(Word::new(Kind::Hanging, pawn, Place::Anywhere));
        }
    }
}

/// Pawns from the fifth rank on, and whether the way is free.
fn note_advanced(view: &View, board: &Board, it: &Skeleton, color: Color, words: &mut Words) {
    let ours = i32::from(color == view.us);
    let passed = it.passed(color);
    for square in board.by_piece(Role::Pawn.of(color)) {
        let rank = color.fold_wb(square.rank() as i32, 7 - square.rank() as i32);
        if rank < 4 {
            continue;
        }
        let is_passed = i32::from(passed.contains(square));
        let is_stopped = i32::from(board.occupied().contains(front(square, color)));
        words.note(Family::Advance, 'r', &[ours, rank, is_passed]);
        words.note(Family::Advance, 's', &[ours, rank, is_passed, is_stopped]);
        words.note(Family::Advance, 'f', &[ours, rank, square.file() as i32]);
    }
}

fn front(square: Square, color: Color) -> Square {
    square.offset(color.fold_wb(8, -8)).unwrap_or(square)
}

/// Squares of a player's half from which no pawn can drive a piece away, protected by a pawn.
pub(super) fn outposts(board: &Board, color: Color) -> Bitboard {
    let skeleton = Skeleton::of(board);
    let field = color.fold_wb(
        Bitboard(0x00ff_ffff_0000_0000),
        Bitboard(0x0000_0000_ffff_ff00),
    );
    skeleton.attacks(color) & !skeleton.attack_span(!color) & field
}
