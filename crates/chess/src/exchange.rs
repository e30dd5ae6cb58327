//! Static exchange evaluation: what a capture wins if both sides go on
//! taking on that square, cheapest piece first, as long as it pays.

use shakmaty::attacks::{bishop_attacks, rook_attacks};
use shakmaty::{Bitboard, Board, Chess, Color, Move, Position, Role};

/// What a piece is worth in an exchange, in centipawns.
pub const fn exchange_value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 320,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 950,
        Role::King => 0,
    }
}

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
    use crate::position;

    const POSITIONS: [&str; 6] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 b - - 0 10",
    ];

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
            let position = position::parse(fen).unwrap();
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
