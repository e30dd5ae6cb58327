//! The rules of a game, as the measures see them: moves, names, results.
//!
//! Nothing here judges who stands better; that is the business of
//! [`Stakes`](crate::trap::Stakes), which only the search for forced wins asks for.

use crate::Label;

/// The rules of a two-player game of perfect information.
///
/// Rules are a value apart from positions. A game with options (how moves are
/// named, for example) keeps them in `Self`, and a crate can give rules to a
/// position type it does not own.
pub trait Game {
    /// A state of the game, including whose turn it is.
    type Position: Clone;
    /// A move, in the game's own representation.
    type Move: Copy + Eq;

    /// Appends every legal move, in an order that depends on `position` alone.
    ///
    /// A position without legal moves is terminal.
    fn legal_moves(&self, position: &Self::Position, moves: &mut Vec<Self::Move>);

    /// Appends the label of each of `moves`, which are all legal moves of
    /// `position`, in the order of [`legal_moves`](Game::legal_moves).
    ///
    /// All at once, since a move's name may depend on the other moves (chess
    /// writes `Nbd2` only if another knight can go to d2). The label names the
    /// mover too, so that the same move by the other side is another label.
    fn label_moves(&self, position: &Self::Position, moves: &[Self::Move], labels: &mut Vec<Label>);

    /// The position after `mv`, which must be legal.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// What the first player gets in a terminal position, within
    /// [`reward_range`](Game::reward_range).
    fn reward(&self, position: &Self::Position) -> f64;

    /// Whether the player to move, having no legal move, has lost.
    fn is_lost(&self, position: &Self::Position) -> bool;

    /// The least and the greatest reward.
    fn reward_range(&self) -> (f64, f64) {
        (-1.0, 1.0)
    }

    /// Every legal move with its label, in the order of
    /// [`legal_moves`](Game::legal_moves).
    fn labeled_moves(&self, position: &Self::Position) -> Vec<(Self::Move, Label)> {
        let mut moves = Vec::new();
        self.legal_moves(position, &mut moves);
        let mut labels = Vec::with_capacity(moves.len());
        self.label_moves(position, &moves, &mut labels);
        moves.into_iter().zip(labels).collect()
    }

    /// The number of legal moves.
    fn mobility(&self, position: &Self::Position) -> usize {
        let mut moves = Vec::new();
        self.legal_moves(position, &mut moves);
        moves.len()
    }

    /// Whether no move is left.
    fn is_terminal(&self, position: &Self::Position) -> bool {
        self.mobility(position) == 0
    }
}

/// A game played on a board whose cells can be compared one by one.
pub trait Board: Game {
    /// What a cell holds.
    type Cell: Eq;

    /// The cells' contents, always in the same order and number.
    fn cells(&self, position: &Self::Position) -> Vec<Self::Cell>;
}
