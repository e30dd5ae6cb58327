//! Reach: a piece could move to an empty square in one move, alone, by the
//! rules of its movement (checks, castling and en passant left aside).

use shakmaty::{Bitboard, Color, Piece, Rank, Role, Square, attacks};

use super::{Control, TermSet, Weight, kind, piece_of};

/// Adds the reach terms of a board, which share their planes with place.
pub(super) fn add(control: &Control, terms: &mut TermSet) {
    for plane in 0..12 {
        terms.0[plane] |= squares(control, piece_of(plane)).0;
    }
}

/// The empty squares that pieces of a kind could move to.
pub(super) fn squares(control: &Control, piece: Piece) -> Bitboard {
    let empty = !control.occupied;
    if piece.role == Role::Pawn {
        let (single, double) = pawn_steps(control, piece.color);
        return single | double;
    }
    control.lines[kind(piece)] & empty
}

/// Where a side's pawns can step, and where they can step twice.
pub(super) fn pawn_steps(control: &Control, color: Color) -> (Bitboard, Bitboard) {
    let empty = !control.occupied;
    let single = push(control.pieces_of(Role::Pawn.of(color)), color) & empty;
    (single, push(single & third_rank(color), color) & empty)
}

/// The weight with which pieces of a kind reach an empty square; the nearest
/// one counts. `None` if none of them can go there.
pub(super) fn weight(
    piece: Piece,
    pieces: Bitboard,
    occupied: Bitboard,
    square: Square,
) -> Option<Weight> {
    if occupied.contains(square) {
        return None;
    }
    let distance = match piece.role {
        Role::Pawn => pawn_distance(pieces, occupied, piece.color, square)?,
        _ => {
            // Pieces other than pawns reach a square from where it reaches them.
            let from = attacks::attacks(square, piece, occupied) & pieces;
            from.into_iter().map(|it| it.distance(square)).min()?
        }
    };
    Some(Weight::at_distance(distance))
}

fn pawn_distance(pawns: Bitboard, occupied: Bitboard, color: Color, square: Square) -> Option<u32> {
    let one_back = push(Bitboard::from_square(square), !color);
    if (one_back & pawns).any() {
        return Some(1);
    }
    let is_double =
        (one_back & third_rank(color) & !occupied).any() && (push(one_back, !color) & pawns).any();
    is_double.then_some(2)
}

fn push(pawns: Bitboard, color: Color) -> Bitboard {
    pawns.shift(color.fold_wb(8, -8))
}

/// Where a pawn's first single step ends.
fn third_rank(color: Color) -> Bitboard {
    Bitboard::from_rank(color.fold_wb(Rank::Third, Rank::Sixth))
}
