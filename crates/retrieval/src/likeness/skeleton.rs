//! The pawns alone.

use shakmaty::{Bitboard, Board, Color, Role};

/// The pawns of both players.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skeleton {
    white: Bitboard,
    black: Bitboard,
}

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

impl Skeleton {
    pub(super) fn of(board: &Board) -> Skeleton {
        Skeleton {
            white: board.by_piece(Role::Pawn.of(Color::White)),
            black: board.by_piece(Role::Pawn.of(Color::Black)),
        }
    }

    pub(super) fn pawns(&self, color: Color) -> Bitboard {
        color.fold_wb(self.white, self.black)
    }

    /// The files on which a player has pawns, one bit each.
    pub(super) fn files(&self, color: Color) -> u32 {
        files(self.pawns(color))
    }

    /// The squares that a player's pawns attack.
    pub(super) fn attacks(&self, color: Color) -> Bitboard {
        let pawns = ahead(self.pawns(color), color);
        sideways(pawns)
    }

    /// The squares that a player's pawns attack now or after advancing.
    pub(super) fn attack_span(&self, color: Color) -> Bitboard {
        sideways(span(self.pawns(color), color))
    }

    /// Pawns that no enemy pawn can stop.
    pub(super) fn passed(&self, color: Color) -> Bitboard {
        let theirs = span(self.pawns(!color), !color);
        let own = self.pawns(color);
        // Of two on a file, the front one is the passed one.
        own & !(theirs | sideways(theirs)) & !span(own, !color)
    }

    /// Pawns without own pawns on the next files.
    pub(super) fn isolated(&self, color: Color) -> Bitboard {
        let own = self.pawns(color);
        let files = u64::from(files(own));
        let beside = (files << 1 | files >> 1) & 0xff;
        own & !Bitboard(FILE_A.wrapping_mul(beside))
    }

    /// Pawns with another of the same player behind them.
    pub(super) fn doubled(&self, color: Color) -> Bitboard {
        let own = self.pawns(color);
        own & span(own, color)
    }

    /// Pawns that can no longer be protected by pawns and may not advance, on files without
    /// enemy pawns in front.
    pub(super) fn backward(&self, color: Color) -> Bitboard {
        let (own, theirs) = (self.pawns(color), self.pawns(!color));
        let stops = ahead(own, color) & !self.attack_span(color) & self.attacks(!color);
        let behind = span(theirs, !color);
        ahead(stops, !color) & own & !behind & !self.isolated(color)
    }
}

fn files(pawns: Bitboard) -> u32 {
    let mut all = pawns.0;
    all |= all >> 32;
    all |= all >> 16;
    all |= all >> 8;
    (all & 0xff) as u32
}

fn ahead(squares: Bitboard, color: Color) -> Bitboard {
    Bitboard(color.fold_wb(squares.0 << 8, squares.0 >> 8))
}

fn sideways(squares: Bitboard) -> Bitboard {
    Bitboard((squares.0 & !FILE_A) >> 1 | (squares.0 & !FILE_H) << 1)
}

/// All squares in front of some squares.
fn span(squares: Bitboard, color: Color) -> Bitboard {
    let mut all = ahead(squares, color).0;
    for shift in [8, 16, 32] {
        all |= color.fold_wb(all << shift, all >> shift);
    }
    Bitboard(all)
}
