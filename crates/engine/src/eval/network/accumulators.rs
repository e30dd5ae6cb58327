//! The sums of the first layer, kept along the line of a search.
//!
//! A move changes few inputs, so the sums of one position are those of another with some rows
//! added and some taken away. The difference of the two boards says which: castling, en passant,
//! promotions and passes need no rules of their own, and the sums are right whatever the other
//! board is. Each ply keeps the sums of its last board; they, or those of the ply before if that
//! board differs less, become the sums of the next.

use shakmaty::{Board, Chess, Color, Position, Role};

use super::weights::{Cells, Weights, weights};
use super::{View, judge, output};

/// The sums of one board.
#[derive(Clone)]
struct Sums {
    board: Board,
    /// White's and Black's.
    sides: [Side; 2],
}

#[derive(Clone)]
struct Side {
    view: View,
    cells: Cells,
}

impl Side {
    /// The sums of the empty board.
    fn empty(weights: &Weights, view: View) -> Side {
        let cells = weights.first_bias;
        Side { view, cells }
    }

    fn turn(&mut self, weights: &Weights, from: &Board, to: &Board) {
        for color in Color::ALL {
            for role in Role::ALL {
                let piece = role.of(color);
                let (gone, come) = (from.by_piece(piece), to.by_piece(piece));
                let row = |square| &weights.first[self.view.input(color, role, square)];
                for square in gone & !come {
                    self.cells.subtract(row(square));
                }
                for square in come & !gone {
                    self.cells.add(row(square));
                }
            }
        }
    }
}

impl Sums {
    fn empty(weights: &Weights) -> Sums {
        let board = Board::empty();
        let side = |color| Side::empty(weights, View::of(&board, color));
        Sums {
            sides: Color::ALL.map(side),
            board,
        }
    }

    fn turn(&mut self, weights: &Weights, board: &Board) {
        let far = distance(&self.board, board) > board.occupied().count();
        for (color, side) in Color::ALL.into_iter().zip(&mut self.sides) {
            let view = View::of(board, color);
            if far || side.view != view {
                *side = Side::empty(weights, view);
                side.turn(weights, &Board::empty(), board);
            } else {
                side.turn(weights, &self.board, board);
            }
        }
        self.board = board.clone();
    }

    fn of(&self, color: Color) -> &Cells {
        let [white, black] = &self.sides;
        &color.fold_wb(white, black).cells
    }
}

/// By how many pieces two boards differ, a moved piece counted twice.
fn distance(one: &Board, other: &Board) -> usize {
    let roles = Role::ALL.map(|it| one.by_role(it) ^ other.by_role(it));
    // A capture by a piece of the same role leaves the square to that role.
    let colors = one.white() ^ other.white();
    roles.into_iter().fold(colors, |sum, it| sum | it).count()
}

/// The sums along the line of a search, ply by ply.
pub(crate) struct Accumulators(Vec<Sums>);

impl Accumulators {
    /// For plies from 0 to the greatest.
    pub(crate) fn new(greatest: usize) -> Accumulators {
        Accumulators(vec![Sums::empty(weights()); greatest + 1])
    }

    /// The worth of a position to the side to move, in centipawns.
    pub(crate) fn evaluate(&mut self, position: &Chess, ply: usize) -> i32 {
        let (weights, board) = (weights(), position.board());
        let ply = ply.min(self.0.len() - 1);
        let (before, here) = self.0.split_at_mut(ply);
        let here = &mut here[0];
        if let Some(before) = before.last()
            && distance(&before.board, board) < distance(&here.board, board)
        {
            here.clone_from(before);
        }
        here.turn(weights, board);
        let turn = position.turn();
        judge(weights, output(board), here.of(turn), here.of(!turn))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::defined;
    use super::*;
    use crate::eval::tests::{POSITIONS, position};
    use shakmaty::{CastlingMode, Move, fen::Fen};
    use tabiya_gametree::Dice;

    /// Castling of both kinds, en passant, promotions, and castling of Chess960.
    const STARTS: [&str; 3] = [
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "1rk1r3/ppp2ppp/8/8/8/8/PPP2PPP/1RK1R3 w EBeb - 0 1",
    ];

    fn starts() -> impl Iterator<Item = Chess> {
        let chess960 = |fen: &str| {
            let fen: Fen = fen.parse().unwrap();
            fen.into_position::<Chess>(CastlingMode::Chess960).unwrap()
        };
        POSITIONS
            .map(position)
            .into_iter()
            .chain(STARTS.map(chess960))
    }

    /// Walks forward by random moves and passes and back again, as a search does.
    #[test]
    fn sums_along_a_line_are_those_of_the_position() {
        let mut accumulators = Accumulators::new(40);
        let mut dice = Dice::new(1);
        let mut kinds = [0; 4];
        for start in starts() {
            let mut line = vec![start];
            for _ in 0..300 {
                let here = &line[line.len() - 1];
                let moves = here.legal_moves();
                if line.len() > 40 || moves.is_empty() || dice.below(4) == 0 {
                    let kept = 1 + dice.below(line.len());
                    line.truncate(kept);
                    continue;
                }
                let next = if dice.below(10) == 0 {
                    here.clone().swap_turn().ok()
                } else {
                    let rare =
                        |it: &Move| it.is_castle() || it.is_en_passant() || it.is_promotion();
                    let rare = moves.iter().copied().filter(rare).collect::<Vec<_>>();
                    let from = if rare.is_empty() {
                        &moves[..]
                    } else {
                        &rare[..]
                    };
                    let mv = from[dice.below(from.len())];
                    kinds[0] += usize::from(mv.is_castle());
                    kinds[1] += usize::from(mv.is_en_passant());
                    kinds[2] += usize::from(mv.is_promotion());
                    kinds[3] += usize::from(mv.is_capture());
                    here.clone().play(mv).ok()
                };
                line.extend(next);
                // Not every position of a search is judged.
                if dice.below(3) > 0 {
                    let (ply, last) = (line.len() - 1, &line[line.len() - 1]);
                    assert_eq!(accumulators.evaluate(last, ply), defined(last), "{last:?}");
                }
            }
        }
        assert!(kinds.iter().all(|&it| it > 0), "{kinds:?}");
    }
}
