//! What each kind of piece controls on a board: the common ground of the
//! term families.

use shakmaty::{Bitboard, Board, Piece, Square, attacks};

use super::{ATTACK, DEFENSE, RAY, SLIDERS, kind, piece_of, slider_of};

/// For each kind of piece, where its pieces stand and which squares they bear
/// upon.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub(super) pieces: [Bitboard; 12],
    /// The squares that a kind attacks directly, for all twelve kinds; then,
    /// for the six kinds of sliders, those on their lines that some piece of
    /// the kind does not attack directly.
    pub(super) lines: [Bitboard; 18],
    pub(super) occupied: Bitboard,
}

/// A plane of relations as a pair: what acts, and upon whom. A square has the
/// plane's term if it is on the lines of the one and has a piece of the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    line: u8,
    target: u8,
}

impl Pair {
    /// The pair of a plane of relations.
    pub(super) const fn of(plane: usize) -> Pair {
        let (line, target_is_black, role) = match plane {
            ..DEFENSE => (
                (plane - ATTACK) / 6,
                (plane - ATTACK) / 6 < 6,
                (plane - ATTACK) % 6,
            ),
            DEFENSE..RAY => (
                (plane - DEFENSE) / 6,
                (plane - DEFENSE) / 6 >= 6,
                (plane - DEFENSE) % 6,
            ),
            _ => (
                12 + (plane - RAY) / 6,
                (plane - RAY) / 6 < 3,
                (plane - RAY) % 6,
            ),
        };
        Pair {
            line: line as u8,
            target: (6 * target_is_black as usize + role) as u8,
        }
    }
}

impl Pair {
    /// The kind of piece that is acted upon.
    pub(super) const fn target_kind(self) -> usize {
        self.target as usize
    }

    /// Whether it acts through other pieces.
    pub(super) const fn is_ray(self) -> bool {
        self.line >= 12
    }
}

impl Control {
    pub(crate) fn of(board: &Board) -> Control {
        let mut control = Control::direct(board);
        control.add_rays();
        control
    }

    /// Without the lines behind pieces, until [`Control::add_rays`].
    pub(super) fn direct(board: &Board) -> Control {
        let pieces = Control::pieces_on(board);
        let occupied = pieces.into_iter().fold(Bitboard::EMPTY, |all, it| all | it);
        let mut lines = [Bitboard::EMPTY; 18];
        for (it, line) in lines[..12].iter_mut().enumerate() {
            *line = attacks_of(pieces[it], piece_of(it), occupied);
        }
        Control {
            pieces,
            lines,
            occupied,
        }
    }

    /// The pieces of each kind.
    pub(crate) fn pieces_on(board: &Board) -> [Bitboard; 12] {
        std::array::from_fn(|it| board.by_piece(piece_of(it)))
    }

    pub(super) fn add_rays(&mut self) {
        for (it, line) in self.lines[12..].iter_mut().enumerate() {
            let slider = slider_of(it);
            *line = behind_of(self.pieces[kind(slider)], slider, self.occupied);
        }
    }

    pub(crate) fn pieces(&self, kind: usize) -> Bitboard {
        self.pieces[kind]
    }

    /// The squares that have the terms of a plane of relations.
    pub(super) fn relation(&self, pair: Pair) -> Bitboard {
        self.lines[usize::from(pair.line)] & self.pieces[usize::from(pair.target)]
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
