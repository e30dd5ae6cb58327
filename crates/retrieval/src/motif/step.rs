//! A move of a line, with what is known before and after it.

use shakmaty::{Board, Chess, Color, Move, Position, Role, Square};
use tabiya_chess::rules::piece_value;

/// A move of the line.
pub(super) struct Step<'a> {
    pub(super) before: &'a Chess,
    pub(super) after: &'a Chess,
    pub(super) mv: Move,
    pub(super) from: Square,
    pub(super) to: Square,
    /// Whether the opponent could take the piece, and whether it is guarded.
    pub(super) is_attacked: bool,
    pub(super) is_defended: bool,
    /// Whether there was no other move.
    pub(super) is_forced: bool,
    /// Whether it takes the piece that moved last, and what that was.
    pub(super) retakes: bool,
    pub(super) previous_role: i32,
    /// What the player of the line has won so far, in pawns.
    pub(super) balance: i32,
    ply: usize,
    kinds: &'a [u8],
}

/// Walks along a line.
pub(super) struct Walk {
    start: Chess,
    before: Chess,
    after: Chess,
    ply: usize,
    /// The kinds of our moves so far.
    kinds: Vec<u8>,
    last: Option<Move>,
}

impl Walk {
    pub(super) fn new(position: &Chess) -> Walk {
        Walk {
            start: position.clone(),
            before: position.clone(),
            after: position.clone(),
            ply: 0,
            kinds: Vec::new(),
            last: None,
        }
    }

    /// Makes the next move, if it is legal.
    pub(super) fn next(&mut self, mv: Move) -> Option<Step<'_>> {
        if !self.after.is_legal(mv) {
            return None;
        }
        self.before = self.after.clone();
        self.after.play_unchecked(mv);
        let (mover, board) = (self.before.turn(), self.before.board());
        let to = mv.to();
        let from = mv.from().unwrap_or(to);
        let empty = board.occupied().without(from);
        let guards = board.attacks_to(to, mover, empty).without(from);
        let us = self.start.turn();
        let ply = self.ply;
        let is_attacked = board.attacks_to(to, !mover, empty).any();
        if mover == us {
            self.kinds.push(kind(mv, &self.after, is_attacked));
        }
        self.ply += 1;
        let last = self.last.replace(mv);
        Some(Step {
            mv,
            from,
            to,
            is_attacked,
            is_defended: guards.any(),
            is_forced: self.before.legal_moves().len() == 1,
            retakes: mv.is_capture() && last.is_some_and(|it| it.to() == to),
            previous_role: last.map_or(0, |it| it.role() as i32),
            balance: balance(self.after.board(), us) - balance(self.start.board(), us),
            ply,
            before: &self.before,
            after: &self.after,
            kinds: &self.kinds,
        })
    }
}

impl Step<'_> {
    /// Whether the player of the line moves.
    pub(super) fn is_ours(&self) -> bool {
        self.ply.is_multiple_of(2)
    }

    pub(super) fn is_first(&self) -> bool {
        self.ply == 0
    }

    /// The number of the move, counted from 0 for each player.
    pub(super) fn number(&self) -> i32 {
        (self.ply / 2) as i32
    }

    pub(super) fn role(&self) -> i32 {
        self.mv.role() as i32
    }

    /// How far the piece goes.
    pub(super) fn length(&self) -> i32 {
        self.from.distance(self.to) as i32
    }

    /// The kind of this move, if it is ours.
    pub(super) fn kind(&self) -> u8 {
        self.kinds.last().copied().unwrap_or_default()
    }

    /// The kinds of our moves so far.
    pub(super) fn our_kinds(&self) -> &[u8] {
        &self.kinds[..self.kinds.len().min(7)]
    }
}

/// A move without its squares: the piece, capture, check, mate, promotion, and
/// whether it can be taken.
fn kind(mv: Move, after: &Chess, is_attacked: bool) -> u8 {
    let is_check = after.is_check();
    let is_mate = is_check && after.legal_moves().is_empty();
    let flags = [
        mv.is_capture(),
        is_check,
        is_mate,
        mv.is_promotion(),
        is_attacked,
    ];
    flags
        .into_iter()
        .fold(mv.role() as u8, |kind, flag| kind << 1 | u8::from(flag))
}

/// What a player has more than the other, in pawns.
fn balance(board: &Board, color: Color) -> i32 {
    let of = |color: Color| -> i32 {
        let roles = Role::ALL.iter().filter(|it| **it != Role::King);
        roles
            .map(|&it| value(it) * board.by_piece(it.of(color)).count() as i32)
            .sum()
    };
    of(color) - of(!color)
}

/// The usual value of a piece in pawns; the king's is above all.
pub(super) fn value(role: Role) -> i32 {
    match role {
        Role::King => 100,
        other => piece_value(other) / 100,
    }
}
