//! What is at stake in chess: the king and material, for the search for traps.

use shakmaty::{Chess, Color, Move, Position, Role};
use tabiya_gametree::trap::Stakes;

use super::ChessRules;
use super::name::Checks;

/// What a piece is worth in hundredths of a pawn: 1, 3, 3, 5, 9; the king nothing, since kings are never exchanged.
pub const fn piece_value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight | Role::Bishop => 300,
        Role::Rook => 500,
        Role::Queen => 900,
        Role::King => 0,
    }
}

impl Stakes for ChessRules {
    fn is_threatened(&self, position: &Chess) -> bool {
        position.is_check()
    }

    /// The checks.
    fn threats(&self, position: &Chess, moves: &mut Vec<Move>) {
        let checks = Checks::of(position);
        let legal = position.legal_moves();
        moves.extend(
            legal
                .into_iter()
                .filter(|&mv| checks.is_check(position, mv)),
        );
    }

    /// Captures and promotions to a queen.
    fn exchanges(&self, position: &Chess, moves: &mut Vec<Move>) {
        let counts = |mv: &Move| mv.is_capture() || mv.promotion() == Some(Role::Queen);
        moves.extend(position.legal_moves().into_iter().filter(counts));
    }

    fn balance(&self, position: &Chess) -> i32 {
        let side = |color: Color| -> i32 {
            let material = position.board().material_side(color);
            Role::ALL
                .iter()
                .map(|&role| piece_value(role) * i32::from(material[role]))
                .sum()
        };
        side(position.turn()) - side(!position.turn())
    }

    /// Captures of much by little first, then promotions, then checks.
    fn promise(&self, position: &Chess, mv: Move) -> i32 {
        let captured = mv
            .capture()
            .map_or(0, |it| 10 * piece_value(it) - piece_value(mv.role()));
        let promoted = mv.promotion().map_or(0, piece_value);
        let mut next = position.clone();
        next.play_unchecked(mv);
        captured + promoted + if next.is_check() { 1_000 } else { 0 }
    }
}

impl ChessRules {
    /// The legal move with this UCI or SAN text.
    pub fn find_move(&self, position: &Chess, text: &str) -> Option<Move> {
        let san = text.parse::<shakmaty::san::SanPlus>().ok();
        let uci = text.parse::<shakmaty::uci::UciMove>().ok();
        san.and_then(|it| it.san.to_move(position).ok())
            .or_else(|| uci.and_then(|it| it.to_move(position).ok()))
    }
}
