//! The numbers of the pieces, by which Scid names a move.
//!
//! Each side has a list of up to sixteen squares, the king's first. A move is
//! a byte: the piece's number in the upper half, its way in the lower. Only
//! diagonal moves of the queen need a second byte. When a piece is captured,
//! the last of its list takes its number.

use shakmaty::{
    CastlingSide, Chess, Color, File, Move, Piece, Position, Rank, Role, Square, uci::UciMove,
};

/// The squares of both sides' pieces, in the order of their numbers.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    squares: [[Square; 16]; 2],
    counts: [usize; 2],
}

/// The differences of the squares in a king's and in a knight's move, in the
/// order of their codes from one.
const KING: [i32; 10] = [-9, -8, -7, -1, 1, 7, 8, 9, -2, 2];
const KNIGHT: [i32; 8] = [-17, -15, -10, -6, 6, 10, 15, 17];

/// The pieces of a promotion, in the order of their codes from one.
const PROMOTION: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

fn side(color: Color) -> usize {
    usize::from(color == Color::Black)
}

impl Pieces {
    /// The numbers in a set-up position; none if a side has too many pieces.
    pub(super) fn of(position: &Chess) -> Option<Pieces> {
        let mut pieces = Pieces {
            squares: [[Square::A1; 16]; 2],
            counts: [0; 2],
        };
        for (rank, file) in Rank::ALL
            .into_iter()
            .rev()
            .flat_map(|rank| File::ALL.map(|file| (rank, file)))
        {
            let square = Square::from_coords(file, rank);
            if let Some(piece) = position.board().piece_at(square) {
                pieces.add(piece, square)?;
            }
        }
        Some(pieces)
    }

    /// The numbers in the initial position.
    pub(super) fn initial() -> Pieces {
        let list = |first: Rank, second: Rank| {
            let files = [4, 0, 1, 2, 3, 5, 6, 7].map(File::new);
            let mut list = [Square::A1; 16];
            for (index, square) in list.iter_mut().enumerate() {
                *square = match index {
                    0..8 => Square::from_coords(files[index], first),
                    _ => Square::from_coords(File::ALL[index - 8], second),
                };
            }
            list
        };
        Pieces {
            squares: [
                list(Rank::First, Rank::Second),
                list(Rank::Eighth, Rank::Seventh),
            ],
            counts: [16; 2],
        }
    }

    fn add(&mut self, piece: Piece, square: Square) -> Option<()> {
        let side = side(piece.color);
        let (list, count) = (&mut self.squares[side], &mut self.counts[side]);
        *list.get_mut(*count)? = square;
        if piece.role == Role::King {
            list.swap(0, *count);
        }
        *count += 1;
        Some(())
    }

    /// The move of a byte, or of two for a queen, and whether it took two;
    /// none if it is not legal. An inner `None` is a null move.
    pub(super) fn decode(
        &self,
        position: &Chess,
        byte: u8,
        next: Option<u8>,
    ) -> Option<(Option<Move>, bool)> {
        if byte == 0 {
            return Some((None, false));
        }
        let turn = position.turn();
        let side = side(turn);
        let (number, code) = (usize::from(byte >> 4), byte & 15);
        let from = *self.squares[side][..self.counts[side]].get(number)?;
        let role = position.board().role_at(from)?;
        let step = |by: i32| Square::try_from(i32::from(from) + by).ok();
        let along = |code: u8| match code {
            0..8 => Square::from_coords(File::new(code.into()), from.rank()),
            _ => Square::from_coords(from.file(), Rank::new(u32::from(code - 8))),
        };
        let (mut promotion, mut is_long) = (None, false);
        let to = match role {
            Role::King => match code {
                9 => return castling(position, CastlingSide::QueenSide),
                10 => return castling(position, CastlingSide::KingSide),
                _ => step(*KING.get(usize::from(code).checked_sub(1)?)?)?,
            },
            Role::Knight => step(*KNIGHT.get(usize::from(code).checked_sub(1)?)?)?,
            Role::Rook => along(code),
            Role::Bishop => {
                let by = i32::from(code & 7) - i32::from(from.file());
                let rank = if code < 8 { by } else { -by };
                step(8 * rank + by)?
            }
            Role::Queen if u32::from(code) == u32::from(from.file()) => {
                is_long = true;
                Square::try_from(u32::from(next?.checked_sub(64)?)).ok()?
            }
            Role::Queen => along(code),
            Role::Pawn => {
                let by = match code {
                    15 => 16,
                    _ => [7, 8, 9][usize::from(code % 3)],
                };
                if code < 15 {
                    let promoted = usize::from(code / 3).checked_sub(1);
                    promotion = promoted.map(|it| PROMOTION[it]);
                }
                step(turn.fold_wb(by, -by))?
            }
        };
        let uci = UciMove::Normal {
            from,
            to,
            promotion,
        };
        let mv = uci.to_move(position).ok().filter(|it| !it.is_castle())?;
        Some((Some(mv), is_long))
    }

    /// Appends the bytes of a legal move.
    pub(super) fn encode(&self, turn: Color, mv: Move, into: &mut Vec<u8>) -> Option<()> {
        let side = side(turn);
        let (from, to) = (mv.from()?, mv.to());
        let list = &self.squares[side][..self.counts[side]];
        let number = list.iter().position(|&it| it == from)? as u8;
        let by = i32::from(to) - i32::from(from);
        let ranks = i32::from(to.rank()) - i32::from(from.rank());
        let files = i32::from(to.file()) - i32::from(from.file());
        let mut second = None;
        let along = if ranks == 0 {
            u32::from(to.file()) as u8
        } else {
            8 + u32::from(to.rank()) as u8
        };
        let code = match mv.role() {
            Role::King => match mv.castling_side() {
                Some(CastlingSide::QueenSide) => 9,
                Some(CastlingSide::KingSide) => 10,
                None => KING.iter().position(|&it| it == by)? as u8 + 1,
            },
            Role::Knight => KNIGHT.iter().position(|&it| it == by)? as u8 + 1,
            Role::Rook => along,
            Role::Bishop => u32::from(to.file()) as u8 + if ranks * files < 0 { 8 } else { 0 },
            Role::Queen if ranks == 0 || files == 0 => along,
            Role::Queen => {
                second = Some(u32::from(to) as u8 + 64);
                u32::from(from.file()) as u8
            }
            Role::Pawn if by.abs() == 16 => 15,
            Role::Pawn => {
                let promoted = mv
                    .promotion()
                    .and_then(|role| PROMOTION.iter().position(|&it| it == role));
                (by.abs() - 7) as u8 + 3 * promoted.map_or(0, |it| it as u8 + 1)
            }
        };
        into.push(number << 4 | code);
        into.extend(second);
        Some(())
    }

    /// Moves the pieces of a legal move.
    pub(super) fn play(&mut self, turn: Color, mv: Move) {
        let captured = match mv {
            Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
            Move::Normal { capture, to, .. } => capture.map(|_| to),
            _ => None,
        };
        if let Some(square) = captured {
            let enemy = side(!turn);
            let count = &mut self.counts[enemy];
            let list = &mut self.squares[enemy];
            if let Some(number) = list[..*count].iter().position(|&it| it == square) {
                *count -= 1;
                list[number] = list[*count];
            }
        }
        let own = &mut self.squares[side(turn)][..self.counts[side(turn)]];
        let mut relocate = |from: Square, to: Square| {
            if let Some(square) = own.iter_mut().find(|it| **it == from) {
                *square = to;
            }
        };
        match mv {
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                relocate(king, side.king_to(turn));
                relocate(rook, side.rook_to(turn));
            }
            _ => {
                if let Some(from) = mv.from() {
                    relocate(from, mv.to());
                }
            }
        }
    }
}

fn castling(position: &Chess, side: CastlingSide) -> Option<(Option<Move>, bool)> {
    let turn = position.turn();
    let king = position.board().king_of(turn)?;
    let rook = position.castles().rook(turn, side)?;
    let mv = Move::Castle { king, rook };
    position.is_legal(mv).then_some((Some(mv), false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_king_is_always_first() {
        let fen = "4k3/P7/8/8/8/8/8/Q3K2R w - - 0 1";
        let position = tabiya_chess::pgn::read_start(fen).unwrap();
        let pieces = Pieces::of(&position).unwrap();
        use Square::{A1, A7, E1, H1};
        assert_eq!(pieces.squares[0][..4], [E1, A1, A7, H1]);
        assert_eq!((pieces.counts, pieces.squares[1][0]), ([4, 1], Square::E8));
    }

    proptest! {
        #[test]
        fn every_move_has_its_bytes(choices in proptest::collection::vec(any::<u16>(), 0..200)) {
            let mut position = Chess::default();
            let mut pieces = Pieces::initial();
            for choice in choices {
                let moves = position.legal_moves();
                for &mv in &moves {
                    let mut bytes = Vec::new();
                    pieces.encode(position.turn(), mv, &mut bytes).unwrap();
                    let next = bytes.get(1).copied();
                    let decoded = pieces.decode(&position, bytes[0], next);
                    prop_assert_eq!(decoded, Some((Some(mv), bytes.len() == 2)));
                }
                let Some(&mv) = moves.get(usize::from(choice) % moves.len().max(1)) else { break };
                pieces.play(position.turn(), mv);
                position.play_unchecked(mv);
            }
        }
    }
}
