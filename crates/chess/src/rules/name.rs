//! Names of moves, written into labels without making strings.
//!
//! The longest names, `wexd8=Q#` and `wQa1xb2#`, have exactly the eight bytes a
//! label holds. Marks of check are found from the squares that attack the king
//! instead of by playing every move: naming is what the measures spend their time
//! on.

use shakmaty::attacks::{
    aligned, between, bishop_attacks, knight_attacks, pawn_attacks, rook_attacks,
};
use shakmaty::{Bitboard, ByRole, CastlingSide, Chess, Color, File, Move, Position, Role, Square};
use tabiya_gametree::{Label, Spelling};

/// Appends the mover and the SAN of each of `moves`, which are all legal moves of
/// `position`.
pub(super) fn append_san(position: &Chess, moves: &[Move], labels: &mut Vec<Label>) {
    let shared = shared_targets(moves);
    let checks = Checks::of(position);
    labels.extend(moves.iter().map(|&mv| {
        let name = san_body(position.turn(), mv, moves, &shared);
        let marked = match checks.mark(position, mv) {
            Some(mark) => name.push(mark),
            None => name,
        };
        marked.label()
    }));
}

/// The mover and the move in UCI form, castling as the king's move.
pub(super) fn uci(mover: Color, mv: Move) -> Label {
    let from = mv
        .from()
        .expect("a move in standard chess comes from a square");
    let name = push_square(
        push_square(Spelling::default().push(mover_letter(mover)), from),
        target(mv),
    );
    match mv.promotion() {
        Some(role) => name.push(role.char() as u8).label(),
        None => name.label(),
    }
}

/// The mover, the piece and its target square.
pub(super) fn piece(mover: Color, mv: Move) -> Label {
    let name = Spelling::default()
        .push(mover_letter(mover))
        .push(mv.role().upper_char() as u8);
    push_promotion(push_square(name, target(mv)), mv).label()
}

/// Which moves give check, found once for all moves of a position.
pub(super) struct Checks {
    king: Square,
    /// From where a piece of each role attacks the king.
    direct: ByRole<Bitboard>,
    /// Pieces of the mover that alone stand between the king and one of his own
    /// sliders.
    screens: Bitboard,
}

impl Checks {
    pub(super) fn of(position: &Chess) -> Checks {
        let (mover, board) = (position.turn(), position.board());
        let king = board
            .king_of(!mover)
            .expect("both sides have a king in standard chess");
        let occupied = board.occupied();
        let (bishop, rook) = (bishop_attacks(king, occupied), rook_attacks(king, occupied));
        let direct = ByRole {
            pawn: pawn_attacks(!mover, king),
            knight: knight_attacks(king),
            bishop,
            rook,
            queen: bishop | rook,
            king: Bitboard::EMPTY,
        };
        let sliders = rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens()
            | bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
        let screens = (sliders & board.by_color(mover))
            .into_iter()
            .map(|slider| between(king, slider) & occupied)
            .filter(|it| !it.more_than_one())
            .fold(Bitboard::EMPTY, |all, it| all | it);
        Checks {
            king,
            direct,
            screens: screens & board.by_color(mover),
        }
    }

    pub(super) fn is_check(&self, position: &Chess, mv: Move) -> bool {
        match mv {
            Move::Normal {
                role,
                from,
                to,
                promotion: None,
                ..
            } => {
                self.direct[role].contains(to)
                    || self.screens.contains(from) && !aligned(from, to, self.king)
            }
            // Promotions, en passant and castling move more than one thing.
            special => after(position, special).is_check(),
        }
    }

    fn mark(&self, position: &Chess, mv: Move) -> Option<u8> {
        if !self.is_check(position, mv) {
            return None;
        }
        let mated = after(position, mv).legal_moves().is_empty();
        Some(if mated { b'#' } else { b'+' })
    }
}

fn after(position: &Chess, mv: Move) -> Chess {
    let mut next = position.clone();
    next.play_unchecked(mv);
    next
}

/// The squares that more than one piece of a role can go to.
fn shared_targets(moves: &[Move]) -> ByRole<Bitboard> {
    let (mut once, mut again) = (ByRole::<Bitboard>::default(), ByRole::<Bitboard>::default());
    for mv in moves {
        let (role, to) = (mv.role(), Bitboard::from_square(mv.to()));
        again[role] |= once[role] & to;
        once[role] |= to;
    }
    again
}

fn san_body(mover: Color, mv: Move, moves: &[Move], shared: &ByRole<Bitboard>) -> Spelling {
    let name = Spelling::default().push(mover_letter(mover));
    match mv {
        Move::Castle { king, rook } => match CastlingSide::from_king_side(king < rook) {
            CastlingSide::KingSide => name.push(b'O').push(b'-').push(b'O'),
            CastlingSide::QueenSide => name.push(b'O').push(b'-').push(b'O').push(b'-').push(b'O'),
        },
        Move::EnPassant { from, to } => {
            push_square(name.push(file_letter(from.file())).push(b'x'), to)
        }
        Move::Normal {
            role: Role::Pawn,
            from,
            to,
            capture,
            ..
        } => {
            let name = match capture {
                Some(_) => name.push(file_letter(from.file())).push(b'x'),
                None => name,
            };
            push_promotion(push_square(name, to), mv)
        }
        Move::Normal {
            role,
            from,
            to,
            capture,
            ..
        } => {
            let mut name = name.push(role.upper_char() as u8);
            if shared[role].contains(to) {
                name = push_origin(name, role, from, to, moves);
            }
            if capture.is_some() {
                name = name.push(b'x');
            }
            push_square(name, to)
        }
        Move::Put { .. } => unreachable!("standard chess has no drops"),
    }
}

/// Adds file, rank or both, as far as needed to distinguish the piece from others that
/// can go to the same square.
fn push_origin(name: Spelling, role: Role, from: Square, to: Square, moves: &[Move]) -> Spelling {
    let rivals = moves.iter().filter(|it| it.role() == role && it.to() == to);
    let others = rivals.filter_map(|it| it.from()).filter(|&it| it != from);
    let others: Bitboard = others.collect();
    if others.is_empty() {
        name
    } else if (others & Bitboard::from_file(from.file())).is_empty() {
        name.push(file_letter(from.file()))
    } else if (others & Bitboard::from_rank(from.rank())).is_empty() {
        name.push(from.rank().char() as u8)
    } else {
        push_square(name, from)
    }
}

fn push_promotion(name: Spelling, mv: Move) -> Spelling {
    match mv.promotion() {
        Some(role) => name.push(b'=').push(role.upper_char() as u8),
        None => name,
    }
}

fn push_square(name: Spelling, square: Square) -> Spelling {
    name.push(file_letter(square.file()))
        .push(square.rank().char() as u8)
}

/// Where the piece arrives; when castling, the king.
fn target(mv: Move) -> Square {
    match (mv, mv.castling_side()) {
        (Move::Castle { king, .. }, Some(side)) => {
            Square::from_coords(side.king_to_file(), king.rank())
        }
        _ => mv.to(),
    }
}

fn mover_letter(mover: Color) -> u8 {
    mover.fold_wb(b'w', b'b')
}

fn file_letter(file: File) -> u8 {
    file.char() as u8
}

#[cfg(test)]
mod tests;
