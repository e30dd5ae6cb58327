//! Static exchange evaluation: what a capture wins if both sides go on
//! taking on that square, cheapest piece first, as long as it pays.

use shakmaty::attacks::{bishop_attacks, rook_attacks};
use shakmaty::{Bitboard, Board, Chess, Color, Move, Position, Role};

use crate::eval::exchange_value;

/// Does the move win at least `threshold` centipawns in exchanges on its target?
///
/// Pins are not seen; a king does not take a defended piece.
pub fn wins_at_least(position: &Chess, mv: Move, threshold: i32) -> bool {
    let Some(from) = mv.from() else { return true };
    if mv.is_castle() {
        return threshold <= 0;
    }
    let board = position.board();
    let to = mv.to();
    let moved = mv.promotion().unwrap_or(mv.role());
    let gained = mv.capture().map_or(0, exchange_value)
        + mv.promotion()
            .map_or(0, |it| exchange_value(it) - exchange_value(Role::Pawn));

    // Even losing nothing back, or even losing the piece: no need to look.
    let mut balance = gained - threshold;
    if balance < 0 {
        return false;
    }
    balance -= exchange_value(moved);
    if balance >= 0 && moved != Role::King {
        return true;
    }

    let mut occupied = board.occupied().without(from).with(to);
    if mv.is_en_passant() {
        occupied.discard(shakmaty::Square::from_coords(to.file(), from.rank()));
    }
    let mut attackers = (board.attacks_to(to, Color::White, occupied)
        | board.attacks_to(to, Color::Black, occupied))
        & occupied;
    let mut turn = !position.turn();
    loop {
        attackers &= occupied;
        let own = attackers & board.by_color(turn);
        let Some((role, square)) = cheapest(board, own) else {
            break;
        };
        if role == Role::King && (attackers & board.by_color(!turn)).any() {
            break;
        }
        turn = !turn;
        // The side that just took stops if it is ahead even when retaken.
        balance = -balance - 1 - exchange_value(role);
        if balance >= 0 {
            break;
        }
        occupied.discard(square);
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= bishop_attacks(to, occupied) & board.bishops_and_queens();
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= rook_attacks(to, occupied) & board.rooks_and_queens();
        }
    }
    turn != position.turn()
}

fn cheapest(board: &Board, attackers: Bitboard) -> Option<(Role, shakmaty::Square)> {
    Role::ALL.into_iter().find_map(|role| {
        (attackers & board.by_role(role))
            .first()
            .map(|square| (role, square))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tests::{POSITIONS, position};

    /// The exchange by plain recursion on the board.
    fn won(position: &Chess, mv: Move) -> i32 {
        let gained = mv.capture().map_or(0, exchange_value)
            + mv.promotion()
                .map_or(0, |it| exchange_value(it) - exchange_value(Role::Pawn));
        let mut board = position.board().clone();
        let from = mv.from().unwrap();
        let moved = mv.promotion().unwrap_or(mv.role());
        board.discard_piece_at(from);
        if mv.is_en_passant() {
            board.discard_piece_at(shakmaty::Square::from_coords(mv.to().file(), from.rank()));
        }
        board.set_piece_at(mv.to(), moved.of(position.turn()));
        gained - retake(&board, mv.to(), !position.turn())
    }

    fn retake(board: &Board, to: shakmaty::Square, turn: Color) -> i32 {
        let own = board.attacks_to(to, turn, board.occupied());
        let Some((role, square)) = cheapest(board, own) else {
            return 0;
        };
        let there = board.role_at(to).unwrap();
        if role == Role::King
            && board
                .attacks_to(to, !turn, board.occupied().without(square))
                .any()
        {
            return 0;
        }
        let mut after = board.clone();
        after.discard_piece_at(square);
        after.set_piece_at(to, role.of(turn));
        (exchange_value(there) - retake(&after, to, !turn)).max(0)
    }

    #[test]
    fn thresholds_agree_with_plain_recursion() {
        for fen in POSITIONS {
            let position = position(fen);
            for mv in position.legal_moves() {
                if mv.is_castle() || mv.role() == Role::King {
                    continue;
                }
                let value = won(&position, mv);
                for threshold in [-950, -500, -330, -100, -1, 0, 1, 100, 320, 500, 951] {
                    assert_eq!(
                        wins_at_least(&position, mv, threshold),
                        value >= threshold,
                        "{fen} {mv} wins {value}, threshold {threshold}"
                    );
                }
            }
        }
    }
}
