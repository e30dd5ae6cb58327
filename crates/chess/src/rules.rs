//! The rules of chess as the game-tree measures see them.
//!
//! [`ChessRules`] gives the rules to shakmaty's [`Chess`], with a choice of how
//! moves are named. It adds no chess of its own: legality is shakmaty's.

mod name;
mod stakes;

pub use stakes::piece_value;

use shakmaty::{Chess, Color, Move, Piece, Position, Square};
use tabiya_gametree::{Board, Game, Label};

/// How a move is named. Every name begins with the mover, `w` or `b`, so that the
/// same move by the other side is another label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// Standard algebraic notation with `x`, `=`, `+` and `#`: `wBxf7+`.
    #[default]
    San,
    /// The squares, as engines write them: `wc4f7`.
    Uci,
    /// The piece and its target: `wBf7`, `wPe8=Q`, `wKg1` for castling short.
    Piece,
}

/// The rules of chess, with moves named in the given way.
///
/// ```
/// use shakmaty::Chess;
/// use tabiya_chess::rules::ChessRules;
/// use tabiya_gametree::Game;
///
/// let names: Vec<String> = ChessRules::default()
///     .labeled_moves(&Chess::default())
///     .iter()
///     .map(|(_, label)| label.to_string())
///     .collect();
/// assert_eq!(names.len(), 20);
/// assert!(names.contains(&"wNf3".to_owned()));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChessRules {
    /// How moves are named.
    pub naming: Naming,
}

impl ChessRules {
    /// The rules with moves named in this way.
    pub fn named(naming: Naming) -> ChessRules {
        ChessRules { naming }
    }
}

impl Game for ChessRules {
    type Position = Chess;
    type Move = Move;

    fn legal_moves(&self, position: &Chess, moves: &mut Vec<Move>) {
        moves.extend(position.legal_moves());
    }

    fn label_moves(&self, position: &Chess, moves: &[Move], labels: &mut Vec<Label>) {
        match self.naming {
            Naming::San => name::append_san(position, moves, labels),
            Naming::Uci => labels.extend(moves.iter().map(|&mv| name::uci(position.turn(), mv))),
            Naming::Piece => {
                labels.extend(moves.iter().map(|&mv| name::piece(position.turn(), mv)))
            }
        }
    }

    fn play(&self, position: &Chess, mv: Move) -> Chess {
        let mut next = position.clone();
        next.play_unchecked(mv);
        next
    }

    /// 1 if White has won, −1 if Black has, 0 for stalemate.
    fn reward(&self, position: &Chess) -> f64 {
        match (position.is_check(), position.turn()) {
            (false, _) => 0.0,
            (true, Color::White) => -1.0,
            (true, Color::Black) => 1.0,
        }
    }

    fn is_lost(&self, position: &Chess) -> bool {
        position.is_check()
    }

    fn mobility(&self, position: &Chess) -> usize {
        position.legal_moves().len()
    }
}

impl Board for ChessRules {
    type Cell = Option<Piece>;

    fn cells(&self, position: &Chess) -> Vec<Option<Piece>> {
        Square::ALL
            .iter()
            .map(|&square| position.board().piece_at(square))
            .collect()
    }
}
