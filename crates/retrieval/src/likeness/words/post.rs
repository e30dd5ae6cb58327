//! Pieces on good squares.

use shakmaty::{Bitboard, Board, Color, File, Role, Square};

use super::{Family, Words, pawn::outposts};
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
        note_files(board, &skeleton, color, ours, words);
        note_seventh(board, color, ours, words);
        for square in outposts(board, color) & (board.knights() | board.bishops()) {
            if let Some(piece) = board.piece_at(square).filter(|it| it.color == color) {
                words.note(Family::Post, 'o', &[ours, piece.role as i32]);
                words.note(
                    Family::Post,
                    'q',
                    &[ours, piece.role as i32, view.rank(square)],
                );
                words.name(Word::new(Kind::Outpost, piece, Place::Square(square)));
            }
        }
        note_bishops(board, color, ours, words);
    }
    note_colors(board, words);
}

fn note_files(board: &Board, skeleton: &Skeleton, color: Color, ours: i32, words: &mut Words) {
    let heavy = board.by_color(color) & board.rooks_and_queens();
    for square in heavy {
        let (file, Some(piece)) = (square.file(), board.piece_at(square)) else {
            continue;
        };
        let at = file as u32;
        if skeleton.files(color) >> at & 1 == 1 {
            continue;
        }
        let is_open = skeleton.files(!color) >> at & 1 == 0;
        let kind = if is_open {
            Kind::OpenFile
        } else {
            Kind::HalfOpenFile
        };
        let role = piece.role as i32;
        words.note(Family::Post, 'f', &[ours, role, i32::from(is_open)]);
        words.note(
            Family::Post,
            'g',
            &[ours, role, i32::from(is_open), file as i32],
        );
        words.name(Word::new(kind, piece, Place::File(file)));
    }
}

fn note_seventh(board: &Board, color: Color, ours: i32, words: &mut Words) {
    let seventh = color.fold_wb(shakmaty::Rank::Seventh, shakmaty::Rank::Second);
    for square in board.by_color(color) & board.rooks_and_queens() & Bitboard::from(seventh) {
        if let Some(piece) = board.piece_at(square) {
            words.note(Family::Post, 's', &[ours, piece.role as i32]);
            words.name(Word::new(Kind::Seventh, piece, Place::Anywhere));
        }
    }
}

/// Fianchettos and the pair of bishops.
fn note_bishops(board: &Board, color: Color, ours: i32, words: &mut Words) {
    let bishops = board.by_piece(Role::Bishop.of(color));
    let behind = |file: File| {
        let rank = color.fold_wb(shakmaty::Rank::Second, shakmaty::Rank::Seventh);
        Square::from_coords(file, rank)
    };
    for square in [behind(File::B), behind(File::G)] {
        if bishops.contains(square) {
            words.note(Family::Post, 'n', &[ours, square.file() as i32]);
            let bishop = Role::Bishop.of(color);
            words.name(Word::new(Kind::Fianchetto, bishop, Place::Square(square)));
        }
    }
    let both =
        (bishops & Bitboard::LIGHT_SQUARES).any() && (bishops & Bitboard::DARK_SQUARES).any();
    let others = board.by_piece(Role::Bishop.of(!color));
    if both && others.count() < 2 {
        words.note(Family::Post, 'p', &[ours]);
        words.name(Word::new(
            Kind::BishopPair,
            Role::Bishop.of(color),
            Place::Anywhere,
        ));
    }
}

/// One bishop each, on squares of different colors.
fn note_colors(board: &Board, words: &mut Words) {
    let of = |it: Color| board.by_piece(Role::Bishop.of(it)).single_square();
    if let (Some(white), Some(black)) = (of(Color::White), of(Color::Black))
        && white.is_light() != black.is_light()
    {
        words.note(Family::Post, 'c', &[]);
        let bishop = Role::Bishop.of(Color::White);
        words.name(Word::new(Kind::OppositeBishops, bishop, Place::Anywhere));
    }
}
