//! A move in two bytes: from, to and what kind of move it is.
//!
//! This is the stored form. The kind is spelled out, so that a game can be
//! replayed on a bare [`Board`] without any knowledge of whose turn it is,
//! which castling rights remain or which moves are legal; and it never refers
//! to the order of any move generator.

use serde::{Deserialize, Serialize};
use shakmaty::{Board, Chess, Color, File, Move, Piece, Position, Role, Square};

use crate::position;

/// A move in sixteen bits: six for the origin, six for the target, four for
/// the kind. Castling is stored as king takes rook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CompactMove(u16);

const ORDINARY: u16 = 0;
const CASTLE: u16 = 5;
const EN_PASSANT: u16 = 6;
const PASS: u16 = 7;
/// Kinds 1 to 4, in this order.
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

impl CompactMove {
    /// The null move (`--` in PGN): the side to move passes.
    pub const NULL: CompactMove = CompactMove::new(Square::A1, Square::A1, PASS);

    const fn new(from: Square, to: Square, kind: u16) -> CompactMove {
        CompactMove(from as u16 | (to as u16) << 6 | kind << 12)
    }

    /// The stored bits.
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The move with these bits, whatever they say; [`CompactMove::to_move`]
    /// checks it against a board.
    pub const fn from_bits(bits: u16) -> CompactMove {
        CompactMove(bits)
    }

    /// The square the piece comes from.
    pub fn origin(self) -> Square {
        Square::new(u32::from(self.0 & 63))
    }

    /// The square the piece goes to; for castling, the rook's square.
    pub fn target(self) -> Square {
        Square::new(u32::from(self.0 >> 6 & 63))
    }

    const fn kind(self) -> u16 {
        self.0 >> 12
    }

    /// Whether this is a pass.
    pub const fn is_null(self) -> bool {
        self.kind() == PASS
    }

    /// Whether one piece goes from one square to another, and nothing else happens but a
    /// capture there.
    pub const fn is_ordinary(self) -> bool {
        self.kind() == ORDINARY
    }

    /// Whether this is castling.
    pub const fn is_castle(self) -> bool {
        self.kind() == CASTLE
    }

    /// Whether this is a capture en passant.
    pub const fn is_en_passant(self) -> bool {
        self.kind() == EN_PASSANT
    }

    /// The piece that a pawn becomes.
    pub fn promotion(self) -> Option<Role> {
        let index = usize::from(self.kind()).checked_sub(1)?;
        PROMOTIONS.get(index).copied()
    }

    /// The move in full, as it reads on this board. `None` if it cannot be
    /// made there by any rule (no piece on the origin, no rook to castle
    /// with), and for a pass.
    pub fn to_move(self, board: &Board) -> Option<Move> {
        let (from, to) = (self.origin(), self.target());
        let role = board.role_at(from)?;
        match self.kind() {
            CASTLE => (role == Role::King && board.role_at(to) == Some(Role::Rook)).then_some(
                Move::Castle {
                    king: from,
                    rook: to,
                },
            ),
            EN_PASSANT => (role == Role::Pawn).then_some(Move::EnPassant { from, to }),
            ORDINARY..CASTLE => Some(Move::Normal {
                role,
                from,
                capture: board.role_at(to),
                to,
                promotion: self.promotion(),
            }),
            _ => None,
        }
    }

    /// Makes the move on a bare board, trusting it to fit.
    ///
    /// A move that does not fit leaves some other board behind, but never
    /// panics: stored games have checksums, not proofs.
    pub fn play_on(self, board: &mut Board) {
        let (from, to) = (self.origin(), self.target());
        match self.kind() {
            PASS => {}
            CASTLE => castle(board, from, to),
            _ => {
                let Some(piece) = board.remove_piece_at(from) else {
                    return;
                };
                if self.kind() == EN_PASSANT {
                    board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
                }
                let role = self.promotion().unwrap_or(piece.role);
                board.set_piece_at(to, Piece { role, ..piece });
            }
        }
    }

    /// The position after this move, or `None` if it is not legal there.
    pub fn play(self, position: Chess) -> Option<Chess> {
        if self.is_null() {
            return position::pass(&position);
        }
        let mv = self.to_move(position.board())?;
        position.play(mv).ok()
    }
}

impl From<Move> for CompactMove {
    fn from(mv: Move) -> CompactMove {
        match mv {
            Move::Normal {
                from,
                to,
                promotion,
                ..
            } => {
                let kind = promotion
                    .and_then(|role| PROMOTIONS.iter().position(|&it| it == role))
                    .map_or(ORDINARY, |index| index as u16 + 1);
                CompactMove::new(from, to, kind)
            }
            Move::EnPassant { from, to } => CompactMove::new(from, to, EN_PASSANT),
            Move::Castle { king, rook } => CompactMove::new(king, rook, CASTLE),
            // Drops belong to variants, which never reach a collection.
            Move::Put { .. } => CompactMove::NULL,
        }
    }
}

fn castle(board: &mut Board, king: Square, rook: Square) {
    let color = board.color_at(king).unwrap_or(Color::White);
    let (king_file, rook_file) = if king < rook {
        (File::G, File::F)
    } else {
        (File::C, File::D)
    };
    board.discard_piece_at(king);
    board.discard_piece_at(rook);
    board.set_piece_at(
        Square::from_coords(king_file, king.rank()),
        Role::King.of(color),
    );
    board.set_piece_at(
        Square::from_coords(rook_file, king.rank()),
        Role::Rook.of(color),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_line;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_line_replays_alike_on_board_and_position(seed: u64) {
            let (mut position, mut board) = (Chess::default(), Board::new());
            for mv in random_line(seed, 120) {
                let compact = CompactMove::from(mv);
                prop_assert_eq!(CompactMove::from_bits(compact.to_bits()), compact);
                prop_assert_eq!(compact.to_move(&board), Some(mv));
                compact.play_on(&mut board);
                position.play_unchecked(mv);
                prop_assert_eq!(&board, position.board());
            }
        }

        #[test]
        fn no_bits_panic(bits: u16, seed: u64) {
            let mut position = Chess::default();
            for mv in random_line(seed, 30) {
                position.play_unchecked(mv);
            }
            let compact = CompactMove::from_bits(bits);
            compact.play_on(&mut position.board().clone());
            if let Some(mv) = compact.to_move(position.board()) {
                let legal = position.is_legal(mv);
                prop_assert_eq!(compact.play(position).is_some(), legal);
            }
        }
    }

    #[test]
    fn special_moves_are_made_whole() {
        #[track_caller]
        fn check(fen: &str, uci: &str, board_after: &str) {
            let position = position::parse(fen).unwrap();
            let uci: shakmaty::uci::UciMove = uci.parse().unwrap();
            let compact = CompactMove::from(uci.to_move(&position).unwrap());
            let mut board = position.board().clone();
            compact.play_on(&mut board);
            assert_eq!(board.board_fen().to_string(), board_after);
            assert_eq!(compact.play(position).unwrap().board(), &board);
        }
        check(
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "e1g1",
            "r3k2r/8/8/8/8/8/8/R4RK1",
        );
        check(
            "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
            "e8c8",
            "2kr3r/8/8/8/8/8/8/R3K2R",
        );
        check(
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "e5d6",
            "4k3/8/3P4/8/8/8/8/4K3",
        );
        check(
            "4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
            "a7a8n",
            "N3k3/8/8/8/8/8/8/4K3",
        );
    }
}
