//! The outline of a position: its encoding laid out so that two of them are
//! compared by counting bits. The fast twin of [`Encoding::jaccard`].
//!
//! The weights of place and reach fall by seven sixty-fourths with every step
//! of distance, so a term's weight is 15 plus 7 for each distance 0 to 6 that
//! is not below its own. For each kind of piece there are therefore eight
//! nested bitboards, the squares within each distance, and the lesser of two
//! weights is what both boards' bitboards have in common. All other terms have
//! full weight.
//!
//! [`Encoding::jaccard`]: super::Encoding::jaccard

use std::ops::Range;

use shakmaty::{Bitboard, Board, Role, Square, attacks};

use super::{ATTACK, Control, PLANES, Pair, piece_of, reach};

/// The distances over which a piece can reach a square, and 0 where it stands.
const DISTANCES: usize = 8;

/// What every term of place or reach weighs at the least, and what a step less
/// of distance adds, in sixty-fourths.
const FARTHEST: u32 = 15;
const STEP: u32 = 7;

/// A position's encoding, to be compared with many boards.
#[derive(Clone, Debug)]
pub struct Outline {
    /// By kind of piece, the squares within each distance.
    places: [[u64; DISTANCES]; 12],
    /// The planes of relations that the position has terms in.
    relations: Vec<(Pair, u64)>,
    /// The sum of all weights, in sixty-fourths.
    weight: u32,
}

impl Outline {
    /// The outline of a board.
    pub fn of(board: &Board) -> Outline {
        let control = Control::of(board);
        let places = places_of(&control);
        let mut relations = Vec::new();
        for plane in ATTACK..PLANES {
            let pair = Pair::of(plane);
            let squares = control.relation(pair).0;
            if squares != 0 {
                relations.push((pair, squares));
            }
        }
        Outline {
            weight: weight_of(&control, &places),
            places,
            relations,
        }
    }

    /// How alike a board is, in [0, 1]: the sum of the lesser weights over the
    /// sum of the greater ones.
    pub fn jaccard(&self, board: &Board) -> f64 {
        self.compare(&Control::of(board))
    }

    /// The same if it is at least `threshold`. A cheap bound rejects nearly all
    /// dissimilar boards.
    pub fn jaccard_from(&self, board: &Board, threshold: f64) -> Option<f64> {
        let mut control = Control::direct(board);
        if !self.could_be_alike(&control, threshold) {
            return None;
        }
        control.add_rays();
        Some(self.compare(&control)).filter(|&it| it >= threshold)
    }

    fn compare(&self, control: &Control) -> f64 {
        let places = places_of(control);
        let mut lesser = 0;
        for (ours, theirs) in self.places.iter().zip(&places) {
            lesser += common_weight(ours, theirs);
        }
        for &(pair, squares) in &self.relations {
            lesser += 64 * (squares & control.relation(pair).0).count_ones();
        }
        let greater = self.weight + weight_of(control, &places) - lesser;
        if greater == 0 {
            1.0
        } else {
            f64::from(lesser) / f64::from(greater)
        }
    }

    /// Never denies what [`Outline::jaccard`] affirms. What both share is
    /// bounded from above by taking everything that they reach as near, and
    /// every ray upon a piece in place as there; their own weight from below by
    /// taking what they reach as far, and leaving rays out.
    fn could_be_alike(&self, control: &Control, threshold: f64) -> bool {
        let (mut most, mut least) = (0, 0);
        for (kind, ours) in self.places.iter().enumerate() {
            let standing = control.pieces(kind).0;
            if standing == 0 {
                continue;
            }
            let reached = reach::squares(control, piece_of(kind)).0;
            let mut theirs = [standing | reached; DISTANCES];
            theirs[0] = standing;
            most += common_weight(ours, &theirs);
            least += 64 * standing.count_ones() + FARTHEST * reached.count_ones();
        }
        for &(pair, squares) in &self.relations {
            let there = match pair.is_ray() {
                true => control.pieces(pair.target_kind()),
                false => control.relation(pair),
            };
            most += 64 * (squares & there.0).count_ones();
        }
        least += 64 * direct_relations(control);
        // As a share of both weights, of which what is shared counts twice. The
        // one part added covers what is lost by rounding.
        let needed = threshold / (1.0 + threshold) * f64::from(self.weight + least);
        f64::from(most + 1) >= needed
    }
}

/// What two kinds' squares have in common, in sixty-fourths.
fn common_weight(one: &[u64; DISTANCES], two: &[u64; DISTANCES]) -> u32 {
    let both = |distance: usize| (one[distance] & two[distance]).count_ones();
    let nearer: u32 = (0..DISTANCES - 1).map(both).sum();
    FARTHEST * both(DISTANCES - 1) + STEP * nearer
}

/// By kind, the squares within each distance of a piece that stands there or
/// could go there.
fn places_of(control: &Control) -> [[u64; DISTANCES]; 12] {
    std::array::from_fn(|kind| {
        let pieces = control.pieces(kind);
        let mut within = [pieces.0; DISTANCES];
        if pieces.is_empty() {
            return within;
        }
        if piece_of(kind).role == Role::Pawn {
            add_pawn_steps(control, kind, &mut within);
        } else {
            add_reach(control, kind, &mut within);
        }
        within
    })
}

fn add_reach(control: &Control, kind: usize, within: &mut [u64; DISTANCES]) {
    let (piece, empty) = (piece_of(kind), !control.occupied);
    for square in control.pieces(kind) {
        let reached = (attacks::attacks(square, piece, control.occupied) & empty).0;
        for (distance, squares) in within.iter_mut().enumerate().skip(1) {
            *squares |= reached & around(square, distance);
        }
    }
}

fn add_pawn_steps(control: &Control, kind: usize, within: &mut [u64; DISTANCES]) {
    let color = piece_of(kind).color;
    let (single, double) = reach::pawn_steps(control, color);
    within[1] |= single.0;
    for squares in &mut within[2..] {
        *squares |= (single | double).0;
    }
}

/// The squares at most so far from a square, counted in a king's moves.
const fn around(square: Square, distance: usize) -> u64 {
    AROUND[square as usize][distance]
}

static AROUND: [[u64; DISTANCES]; 64] = {
    let mut table = [[0; DISTANCES]; 64];
    let mut from = 0;
    while from < 64 {
        let mut to = 0;
        while to < 64 {
            let (files, ranks) = (
                (from % 8usize).abs_diff(to % 8),
                (from / 8).abs_diff(to / 8),
            );
            let mut distance = if files > ranks { files } else { ranks };
            while distance < DISTANCES {
                table[from][distance] |= 1 << to;
                distance += 1;
            }
            to += 1;
        }
        from += 1;
    }
    table
};

/// The sum of a board's weights, in sixty-fourths.
fn weight_of(control: &Control, places: &[[u64; DISTANCES]; 12]) -> u32 {
    let sides = sides(control);
    let ray = |it: usize| (control.lines[it].0 & sides[usize::from(it < 15)]).count_ones();
    let rays: u32 = (12..18).map(ray).sum();
    let places: u32 = places.iter().map(|it| common_weight(it, it)).sum();
    places + 64 * (direct_relations(control) + rays)
}

/// How many terms of attack and defense a board has. The roles of a side's
/// pieces share no square, so they are counted by who acts alone.
fn direct_relations(control: &Control) -> u32 {
    let [white, black] = sides(control);
    let upon = |line: &Bitboard| (line.0 & white).count_ones() + (line.0 & black).count_ones();
    control.lines[..12].iter().map(upon).sum()
}

/// The pieces of White and of Black.
fn sides(control: &Control) -> [u64; 2] {
    let side = |kinds: Range<usize>| kinds.fold(0, |all, it| all | control.pieces(it).0);
    [side(0..6), side(6..12)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{term::Encoding, testing::random_board};

    proptest! {
        #[test]
        fn outlines_compare_as_encodings_do(one: u64, two: u64, near in 0usize..40) {
            let board = random_board(one);
            // Neighbors in a game, and strangers.
            let others = [random_board(two), crate::testing::random_board_near(one, near)];
            let outline = Outline::of(&board);
            let encoding = Encoding::of_document(&board);
            prop_assert_eq!(outline.jaccard(&board), 1.0);
            for other in others {
                let slow = encoding.jaccard(&Encoding::of_document(&other));
                prop_assert_eq!(outline.jaccard(&other), slow);
                for tenth in 0..=10 {
                    let threshold = f64::from(tenth) / 10.0;
                    let expected = Some(slow).filter(|&it| it >= threshold);
                    prop_assert_eq!(outline.jaccard_from(&other, threshold), expected);
                }
            }
        }
    }

    #[test]
    fn strangers_are_told_without_comparing() {
        let could = |one: &Outline, two: &Board, threshold| {
            one.could_be_alike(&Control::direct(two), threshold)
        };
        let start = Outline::of(&Board::new());
        assert!(could(&start, &Board::new(), 1.0));
        for (fen, threshold) in [
            ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", 0.1),
            (
                "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/PBN1PN2/1P2QPPP/R1BR2K1 b - - 3 12",
                0.4,
            ),
        ] {
            let other = tabiya_chess::position::parse(fen).unwrap();
            assert!(
                !could(&start, shakmaty::Position::board(&other), threshold),
                "{fen}"
            );
        }
    }

    #[test]
    fn an_empty_board_is_like_itself_only() {
        let empty = Outline::of(&Board::empty());
        assert_eq!(empty.jaccard(&Board::empty()), 1.0);
        assert_eq!(empty.jaccard(&Board::new()), 0.0);
    }
}
