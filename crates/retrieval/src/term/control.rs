//! What each kind of piece controls on a board: the common ground of the
//! term families.

use shakmaty::{Bitboard, Board, Piece, Square, attacks};

use super::{ATTACK, DEFENCE, RAY, SLIDERS, kind, piece_of, slider_of};

/// For each kind of piece, where its pieces stand and which squares they
/// attack directly; for sliders also what lies behind other pieces.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub(super) pieces: [Bitboard; 12],
    pub(super) attacks: [Bitboard; 12],
    /// Squares on the lines of a slider kind that some piece of the kind does
    /// not attack directly, by slider number.
    pub(super) behind: [Bitboard; 6],
    pub(super) occupied: Bitboard,
}

impl Control {
    pub(crate) fn of(board: &Board) -> Control {
        let occupied = board.occupied();
        let pieces = std::array::from_fn(|it| board.by_piece(piece_of(it)));
        let attacks = std::array::from_fn(|it| attacks_of(pieces[it], piece_of(it), occupied));
        let behind = std::array::from_fn(|it| {
            let slider = slider_of(it);
            behind_of(pieces[kind(slider)], slider, occupied)
        });
        Control {
            pieces,
            attacks,
            behind,
            occupied,
        }
    }

    pub(crate) fn pieces(&self, kind: usize) -> Bitboard {
        self.pieces[kind]
    }

    /// The terms of a plane of relations.
    pub(crate) fn relation(&self, plane: usize) -> Bitboard {
        let (acts, color_of_target, role) = match plane {
            ..DEFENCE => {
                let at = plane - ATTACK;
                (self.attacks[at / 6], usize::from(at / 6 < 6), at % 6)
            }
            DEFENCE..RAY => {
                let at = plane - DEFENCE;
                (self.attacks[at / 6], usize::from(at / 6 >= 6), at % 6)
            }
            _ => {
                let at = plane - RAY;
                (self.behind[at / 6], usize::from(at / 6 < 3), at % 6)
            }
        };
        acts & self.pieces[6 * color_of_target + role]
    }

    pub(super) fn pieces_of(&self, piece: Piece) -> Bitboard {
        self.pieces[kind(piece)]
    }
}

fn attacks_of(pieces: Bitboard, piece: Piece, occupied: Bitboard) -> Bitboard {
    let one = |square: Square| attacks::attacks(square, piece, occupied);
    pieces
        .into_iter()
        .map(one)
        .fold(Bitboard::EMPTY, |all, it| all | it)
}

fn behind_of(pieces: Bitboard, piece: Piece, occupied: Bitboard) -> Bitboard {
    debug_assert!(SLIDERS.contains(&piece.role));
    let one = |square: Square| {
        attacks::attacks(square, piece, Bitboard::EMPTY)
            & !attacks::attacks(square, piece, occupied)
    };
    pieces
        .into_iter()
        .map(one)
        .fold(Bitboard::EMPTY, |all, it| all | it)
}
