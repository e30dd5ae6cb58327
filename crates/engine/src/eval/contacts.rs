//! Material and places, plus what the contacts between pieces are worth.
//!
//! This is the idea of [`chains`](super::chains) with weights fitted to games by `tabiya-lab tune contacts`: a
//! piece is worth more where others stand behind it and less where others aim at it. A contact is a piece that
//! defends or attacks another. What it is worth to the owner of the piece acted on depends on who touches whom,
//! friend or foe. It is worth something for itself (the first link), again for every piece that the one acted on
//! defends or attacks in turn (the second), and again for every piece that those do (the third).

use shakmaty::{Bitboard, Board, Color, Role, Square};

use super::contact_table::LINKS_OF_CONTACTS;
use super::{FULL_SCALE, Phase, Taper, standard};

/// How many links of a chain count.
pub const LINKS: usize = 3;
/// Kinds of contacts: friend or foe, the kind of piece that acts, the kind that it acts on.
pub const KINDS: usize = 2 * 6 * 6;
/// How many weights [`trace`] counts.
pub const WEIGHTS: usize = LINKS * KINDS;
/// A weight is this fraction of a centipawn: a board has many chains, and each is worth little.
pub const PARTS: i32 = 8;

/// White's material, places and contacts less Black's, in centipawns.
pub fn balance(board: &Board) -> i32 {
    let mut sum = Taper::ZERO;
    for_each_contact(board, |owner, kind, times| {
        for (weights, times) in LINKS_OF_CONTACTS.iter().zip(times) {
            sum += weights[kind] * owner.fold_wb(times, -times);
        }
    });
    standard::balance(board) + sum.at(Phase::of(board), FULL_SCALE) / PARTS
}

/// Calls `count` with the number of every weight that applies, and how often,
/// White's less Black's.
pub fn trace(board: &Board, mut count: impl FnMut(usize, i32)) {
    for_each_contact(board, |owner, kind, times| {
        for (link, times) in times.into_iter().enumerate() {
            count(link * KINDS + kind, owner.fold_wb(times, -times));
        }
    });
}

fn kind(is_foe: bool, acting: Role, acted_on: Role) -> usize {
    (usize::from(is_foe) * 6 + usize::from(acting) - 1) * 6 + usize::from(acted_on) - 1
}

/// Calls `take` for every contact with the color of the piece acted on, the kind, and how often each link counts.
fn for_each_contact(board: &Board, mut take: impl FnMut(Color, usize, [i32; LINKS])) {
    let occupied = board.occupied();
    let mut touched = [Bitboard::EMPTY; 64];
    for square in occupied {
        touched[square.to_usize()] = board.attacks_from(square) & occupied;
    }
    let count = |square: Square| touched[square.to_usize()].count() as i32;
    let mut times = [[1; LINKS]; 64];
    for square in occupied {
        let further: i32 = touched[square.to_usize()].into_iter().map(count).sum();
        times[square.to_usize()] = [1, count(square), further];
    }
    for (from, acting) in board {
        for to in touched[from.to_usize()] {
            let Some(acted_on) = board.piece_at(to) else {
                continue;
            };
            let is_foe = acted_on.color != acting.color;
            let kind = kind(is_foe, acting.role, acted_on.role);
            take(acted_on.color, kind, times[to.to_usize()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tests::{POSITIONS, position};

    /// All chains of up to three links, one by one: who acts on a piece, what
    /// that piece acts on, and what that one acts on.
    fn by_walking(board: &Board) -> i32 {
        let acting_on = |square: Square| {
            let by = |it: Color| board.attacks_to(square, it, board.occupied());
            by(Color::White) | by(Color::Black)
        };
        let mut sum = Taper::ZERO;
        let mut add = |link: usize, actor: Square, owner: Square| {
            let (acting, acted_on) = (board.piece_at(actor), board.piece_at(owner));
            let (acting, acted_on) = (acting.unwrap(), acted_on.unwrap());
            let kind = kind(acting.color != acted_on.color, acting.role, acted_on.role);
            sum += LINKS_OF_CONTACTS[link][kind] * acted_on.color.fold_wb(1, -1);
        };
        for last in board.occupied() {
            for third in acting_on(last) {
                add(0, third, last);
                for second in acting_on(third) {
                    add(1, second, third);
                    for first in acting_on(second) {
                        add(2, first, second);
                    }
                }
            }
        }
        sum.at(Phase::of(board), FULL_SCALE) / PARTS + standard::balance(board)
    }

    #[test]
    fn bitboards_count_what_walking_the_chains_finds() {
        for fen in POSITIONS {
            let position = position(fen);
            let board = shakmaty::Position::board(&position);
            assert_eq!(balance(board), by_walking(board), "{fen}");
        }
    }

    #[test]
    fn the_trace_names_what_the_balance_sums() {
        for fen in POSITIONS {
            let position = position(fen);
            let board = shakmaty::Position::board(&position);
            let mut sum = Taper::ZERO;
            trace(board, |weight, times| {
                sum += LINKS_OF_CONTACTS[weight / KINDS][weight % KINDS] * times;
            });
            let contacts = sum.at(Phase::of(board), FULL_SCALE) / PARTS;
            assert_eq!(standard::balance(board) + contacts, balance(board), "{fen}");
        }
    }

    #[test]
    fn a_hanging_piece_is_worth_less_than_a_held_one() {
        let hanging = position("4k3/8/5b2/8/3N4/8/8/4K3 w - - 0 1");
        let held = position("4k3/8/5b2/8/3N4/4P3/8/4K3 w - - 0 1");
        let contacts = |it: &shakmaty::Chess| {
            let board = shakmaty::Position::board(it);
            balance(board) - standard::balance(board)
        };
        assert!(contacts(&held) > contacts(&hanging));
    }
}
