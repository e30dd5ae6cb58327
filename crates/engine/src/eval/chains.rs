//! Power by net chains of defenders and attackers.
//!
//! The evaluation of Hesham, Abu-Elnasr and Elmougy, "A new action-based
//! reasoning approach for playing chess" (2021), algorithms 2 and 3: a piece is
//! worth its material and place, plus its defenders', less its attackers',
//! where the lists go on through the defenders' and attackers' own defenders
//! and attackers. A piece met again is not expanded again; its frequency in
//! that list rises by one.
//!
//! # Why it can be fast
//! Every piece that a chain reaches is expanded exactly once, in whatever
//! order, and adds one to the frequency of each of its defenders and attackers. So
//! the chain of P is a sum over the set of pieces that P reaches:
//!
//! ```text
//! Pow(P) = worth(P) + Σ over Q reached from P, P itself among them, of support(Q)
//! support(Q) = Σ worth of Q's defenders − Σ worth of Q's attackers
//! ```
//!
//! The tests keep the lists with their frequencies, as printed, as the twin.
//!
//! Three choices are ours. A king's material is 0. Whose list a piece joins is
//! decided by what it does to the piece being expanded, not by its color:
//! the paper's traced table has one row against either reading. The evaluation
//! of a position is White's power less Black's.

use shakmaty::{Bitboard, Board, Color};

use super::{Phase, standard};

/// Power divided by this is about as large as the standard evaluation, which
/// margins of the search are made for: over 1,800 positions of test suites the
/// ratio of their root mean squares is 189.
pub const CENTIPAWN: i32 = 190;

/// White's power less Black's, as the paper computes it.
pub fn balance(board: &Board) -> i32 {
    Net::new(board).balance()
}

/// The most pieces that a board can hold.
const MOST: usize = 64;

/// The pieces of a board, numbered, and which ones support or attack which.
struct Net {
    count: usize,
    white: u64,
    worth: [i32; MOST],
    support: [i32; MOST],
    /// Bit `i` of `neighbors[q]`: piece `i` defends or attacks `q`.
    neighbors: [u64; MOST],
}

impl Net {
    fn new(board: &Board) -> Net {
        let phase = Phase::of(board);
        let occupied = board.occupied();
        let mut number = [0_u8; 64];
        let mut net = Net {
            count: 0,
            white: 0,
            worth: [0; MOST],
            support: [0; MOST],
            neighbors: [0; MOST],
        };
        for (square, piece) in board {
            number[square.to_usize()] = net.count as u8;
            net.worth[net.count] =
                standard::worth(piece.role, piece.color, square).at(phase, super::FULL_SCALE);
            net.white |= u64::from(piece.color == Color::White) << net.count;
            net.count += 1;
        }
        for (from, (square, piece)) in board.iter().enumerate() {
            let friends = board.by_color(piece.color);
            let touched = shakmaty::attacks::attacks(square, piece, occupied) & occupied;
            touched.for_each(|to| {
                let target = usize::from(number[to.to_usize()]);
                let sign = if friends.contains(to) { 1 } else { -1 };
                net.neighbors[target] |= 1 << from;
                net.support[target] += sign * net.worth[from];
            });
        }
        net
    }

    fn balance(&self) -> i32 {
        let mut reach = [0_u64; MOST];
        let mut done = 0_u64;
        let mut sum = 0;
        for start in 0..self.count {
            reach[start] = self.reached(start, &reach, done);
            done |= 1 << start;
            let mut power = self.worth[start];
            Bitboard(reach[start]).for_each(|it| power += self.support[it.to_usize()]);
            sum += if self.white >> start & 1 == 1 {
                power
            } else {
                -power
            };
        }
        sum
    }

    /// All pieces on the chains of `start`; what is `done` need not be walked again.
    fn reached(&self, start: usize, reach: &[u64; MOST], done: u64) -> u64 {
        let mut seen = 1_u64 << start;
        let mut open = seen;
        while open != 0 {
            let next = open.trailing_zeros() as usize;
            open &= open - 1;
            let found = if done >> next & 1 == 1 {
                reach[next]
            } else {
                self.neighbors[next] & !seen
            };
            if done >> next & 1 == 1 {
                open &= !found;
            } else {
                open |= found;
            }
            seen |= found;
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tests::POSITIONS;
    use shakmaty::{Piece, Square};
    use std::collections::BTreeMap;

    /// Main list in order, then each list's appearance counts.
    struct Lists {
        main: Vec<Square>,
        defenders: BTreeMap<Square, i32>,
        attackers: BTreeMap<Square, i32>,
    }

    /// Algorithm 2 as printed: push the piece, then expand what is newly met.
    fn lists(board: &Board, start: Square) -> Lists {
        let mut lists = Lists {
            main: vec![start],
            defenders: BTreeMap::new(),
            attackers: BTreeMap::new(),
        };
        let mut next = 0;
        while next < lists.main.len() {
            let square = lists.main[next];
            next += 1;
            let color = board.color_at(square).unwrap();
            for defender in board.attacks_to(square, color, board.occupied()) {
                *lists.defenders.entry(defender).or_insert(0) += 1;
                if !lists.main.contains(&defender) {
                    lists.main.push(defender);
                }
            }
            for attacker in board.attacks_to(square, !color, board.occupied()) {
                *lists.attackers.entry(attacker).or_insert(0) += 1;
                if !lists.main.contains(&attacker) {
                    lists.main.push(attacker);
                }
            }
        }
        lists
    }

    /// Algorithm 3 as printed.
    fn power(board: &Board, square: Square) -> i32 {
        let value = |square: Square| {
            let Piece { color, role } = board.piece_at(square).unwrap();
            standard::worth(role, color, square).at(Phase::of(board), crate::eval::FULL_SCALE)
        };
        let lists = lists(board, square);
        let weigh = |list: &BTreeMap<Square, i32>| {
            list.iter()
                .map(|(&it, &frequency)| value(it) * frequency)
                .sum::<i32>()
        };
        value(square) + weigh(&lists.defenders) - weigh(&lists.attackers)
    }

    fn board(fen: &str) -> Board {
        Board::from_ascii_board_fen(fen.split(' ').next().unwrap().as_bytes()).unwrap()
    }

    #[test]
    fn chains_are_traced_through_cycles() {
        // Rook c8 and queen d8 defend each other (a cycle); the king holds h7,
        // h7 holds g6, and the knight on h4 attacks g6 and is attacked by f6.
        let board = board("2rq2k1/7p/5bp1/8/7N/6P1/8/6K1");
        let traced = lists(&board, Square::G6);
        let names = |list: &BTreeMap<Square, i32>| {
            list.iter()
                .map(|(square, count)| format!("{square}:{count}"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            traced.main,
            [
                Square::G6,
                Square::H7,
                Square::H4,
                Square::G8,
                Square::G3,
                Square::F6,
                Square::D8,
                Square::C8
            ]
        );
        // d8 defends g8, f6 and c8; c8 and f6 defend d8; g8 holds h7; f6 attacks h4.
        assert_eq!(names(&traced.defenders), "g3:1 f6:1 h7:1 c8:1 d8:3 g8:1");
        assert_eq!(names(&traced.attackers), "h4:1 f6:1");
        assert_eq!(
            balance(&board),
            Square::ALL
                .into_iter()
                .filter_map(|it| board
                    .color_at(it)
                    .map(|color| color.fold_wb(1, -1) * power(&board, it)))
                .sum::<i32>()
        );
    }

    #[test]
    fn the_sum_over_reached_pieces_is_the_printed_algorithm() {
        for fen in POSITIONS {
            let board = board(fen);
            let printed = board
                .iter()
                .map(|(square, piece)| piece.color.fold_wb(1, -1) * power(&board, square))
                .sum::<i32>();
            assert_eq!(balance(&board), printed, "{fen}");
        }
    }

    #[test]
    fn colors_swap_and_mirrors_do_not_matter() {
        for fen in POSITIONS {
            let board = board(fen);
            let mut mirrored = board.clone();
            mirrored.flip_horizontal();
            assert_eq!(balance(&mirrored), balance(&board), "{fen}");
            assert_eq!(
                balance(&board.clone().into_mirrored()),
                -balance(&board),
                "{fen}"
            );
        }
    }
}
