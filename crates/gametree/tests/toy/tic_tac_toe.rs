//! Tic-tac-toe, the solved game on which the structural measure was first tried.

use crate::trap::Stakes;
use crate::{Board, Game, Label, Spelling};

/// The rules of tic-tac-toe. A label is the mover and the square: `XA1`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TicTacToe;

/// The marks on the board and whose turn it is. Squares are numbered row by row:
/// A1, B1, C1, A2 … C3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marks {
    /// The squares of X and of O, a bit each.
    squares: [u16; 2],
    o_to_move: bool,
}

const LINES: [u16; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000,
    0b001_001_001,
    0b010_010_010,
    0b100_100_100,
    0b100_010_001,
    0b001_010_100,
];

impl TicTacToe {
    /// The empty board, X to move.
    pub(crate) fn start() -> Marks {
        Marks {
            squares: [0, 0],
            o_to_move: false,
        }
    }

    /// The board with these marks, for example `TicTacToe::with(&["A1"], &["C1"], true)`;
    /// nothing if a square does not exist or is taken twice.
    pub(crate) fn with(x: &[&str], o: &[&str], o_to_move: bool) -> Option<Marks> {
        let mut marks = Marks {
            squares: [0, 0],
            o_to_move,
        };
        for (player, names) in [x, o].into_iter().enumerate() {
            for name in names {
                let bit = 1 << square(name)?;
                if (marks.squares[0] | marks.squares[1]) & bit != 0 {
                    return None;
                }
                marks.squares[player] |= bit;
            }
        }
        Some(marks)
    }

    /// The board after the player to move marks a free square, written as `B2`.
    pub(crate) fn after(marks: Marks, name: &str) -> Option<Marks> {
        let mut moves = Vec::new();
        TicTacToe.legal_moves(&marks, &mut moves);
        let mv = square(name).filter(|it| moves.contains(it))?;
        Some(TicTacToe.play(&marks, mv))
    }
}

impl Marks {
    fn has_line(&self, player: usize) -> bool {
        LINES
            .iter()
            .any(|line| self.squares[player] & line == *line)
    }
}

impl Game for TicTacToe {
    type Position = Marks;
    type Move = u8;

    fn legal_moves(&self, position: &Marks, moves: &mut Vec<u8>) {
        if position.has_line(0) || position.has_line(1) {
            return;
        }
        let taken = position.squares[0] | position.squares[1];
        moves.extend((0..9).filter(|square| taken & 1 << square == 0));
    }

    fn label_moves(&self, position: &Marks, moves: &[u8], labels: &mut Vec<Label>) {
        let mover = if position.o_to_move { b'O' } else { b'X' };
        labels.extend(moves.iter().map(|square| {
            let name = Spelling::default().push(mover);
            name.push(b'A' + square % 3).push(b'1' + square / 3).label()
        }));
    }

    fn play(&self, position: &Marks, square: u8) -> Marks {
        let mut next = *position;
        next.squares[usize::from(position.o_to_move)] |= 1 << square;
        next.o_to_move = !position.o_to_move;
        next
    }

    fn reward(&self, position: &Marks) -> f64 {
        match (position.has_line(0), position.has_line(1)) {
            (true, false) => 1.0,
            (false, true) => -1.0,
            _ => 0.0,
        }
    }

    fn is_lost(&self, position: &Marks) -> bool {
        position.has_line(usize::from(!position.o_to_move))
    }
}

impl Board for TicTacToe {
    /// Whether X and whether O marked the square.
    type Cell = (bool, bool);

    fn cells(&self, position: &Marks) -> Vec<(bool, bool)> {
        let [x, o] = position.squares;
        (0..9)
            .map(|it| (x & 1 << it != 0, o & 1 << it != 0))
            .collect()
    }
}

impl Stakes for TicTacToe {
    fn is_threatened(&self, _position: &Marks) -> bool {
        false
    }

    fn threats(&self, position: &Marks, moves: &mut Vec<u8>) {
        self.legal_moves(position, moves);
    }

    fn exchanges(&self, _position: &Marks, _moves: &mut Vec<u8>) {}

    fn balance(&self, _position: &Marks) -> i32 {
        0
    }

    fn promise(&self, _position: &Marks, _mv: u8) -> i32 {
        0
    }
}

fn square(name: &str) -> Option<u8> {
    let &[column @ b'A'..=b'C', row @ b'1'..=b'3'] = name.as_bytes() else {
        return None;
    };
    Some((row - b'1') * 3 + (column - b'A'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of the whole game: 255,168, of which X wins 131,184.
    #[test]
    fn the_whole_game_has_the_known_number_of_lines() {
        fn count(marks: &Marks, lines: &mut [usize; 3]) {
            let mut moves = Vec::new();
            TicTacToe.legal_moves(marks, &mut moves);
            if moves.is_empty() {
                lines[(TicTacToe.reward(marks) + 1.0) as usize] += 1;
            }
            for mv in moves {
                count(&TicTacToe.play(marks, mv), lines);
            }
        }
        let mut lines = [0; 3];
        count(&TicTacToe::start(), &mut lines);
        assert_eq!(lines, [77_904, 46_080, 131_184]);
    }

    #[test]
    fn an_impossible_mark_is_refused() {
        assert_eq!(TicTacToe::with(&["A1"], &["A1"], false), None);
        assert_eq!(TicTacToe::with(&["D1"], &[], false), None);
        let marks = TicTacToe::with(&["A1"], &[], true).unwrap();
        assert_eq!(TicTacToe::after(marks, "A1"), None);
    }
}
