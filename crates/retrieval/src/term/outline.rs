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

use shakmaty::{Bitboard, Board, Role, Square, attacks};

use super::{ATTACK, Control, PLANES, Pair, Weight, piece_of, reach};

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
    /// By kind of piece, in binary: how many terms hang on a piece that stands
    /// on a square, its own place apart.
    burdens: [[u64; 4]; 12],
    /// The sum of all weights, in sixty-fourths.
    weight: u32,
}

impl Outline {
    /// The outline of a board.
    pub fn of(board: &Board) -> Outline {
        let control = Control::of(board);
        let places = places_of(&control);
        let mut relations = Vec::new();
        let mut burdens = [[0; 4]; 12];
        for plane in ATTACK..PLANES {
            let pair = Pair::of(plane);
            let squares = control.relation(pair).0;
            if squares != 0 {
                relations.push((pair, squares));
                add_bits(&mut burdens[pair.target_kind()], squares);
            }
        }
        Outline {
            weight: weight_of(&control, &places),
            places,
            relations,
            burdens,
        }
    }

    /// How alike a board is, in [0, 1]: the sum of the lesser weights over the
    /// sum of the greater ones.
    pub fn jaccard(&self, board: &Board) -> f64 {
        let control = Control::of(board);
        let places = places_of(&control);
        let mut lesser = 0;
        for (ours, theirs) in self.places.iter().zip(&places) {
            lesser += common_weight(ours, theirs);
        }
        for &(pair, squares) in &self.relations {
            lesser += 64 * (squares & control.relation(pair).0).count_ones();
        }
        let greater = self.weight + weight_of(&control, &places) - lesser;
        if greater == 0 {
            1.0
        } else {
            f64::from(lesser) / f64::from(greater)
        }
    }

    /// Whether a board could be alike to this degree, judged by where its
    /// pieces stand: a relation needs its target on its square, and nothing
    /// reaches an occupied square or is reached by a kind that is not there.
    ///
    /// Never denies what [`Outline::jaccard`] affirms. As the other side of the
    /// fraction is at least this position's own weight, the most that can be
    /// shared decides.
    pub fn could_be_alike(&self, board: &Board, threshold: f64) -> bool {
        let pieces = Control::pieces_on(board);
        let empty = !board.occupied().0;
        let mut most = 0;
        for (kind, standing) in pieces.iter().enumerate() {
            let ours = &self.places[kind];
            if standing.is_empty() || ours[DISTANCES - 1] == 0 {
                continue;
            }
            let met = ours[0] & standing.0;
            most += 64 * met.count_ones();
            most += 64 * sum_of_bits(&self.burdens[kind], met);
            // Where their piece stands, our reach counts in full; where ours
            // stands, theirs counts as if it were one step away.
            let reached = ours.map(|it| it & !ours[0] & (empty | standing.0));
            most += common_weight(&reached, &reached);
            let missed = ours[0] & empty & reach_of(kind, *standing, !empty);
            most += u32::from(Weight::at_distance(1).sixty_fourths()) * missed.count_ones();
        }
        f64::from(most) >= threshold * f64::from(self.weight)
    }
}

/// The squares that pieces of a kind might reach, or more.
fn reach_of(kind: usize, pieces: Bitboard, occupied: u64) -> u64 {
    let piece = piece_of(kind);
    match piece.role {
        Role::Pawn | Role::Queen => u64::MAX,
        _ => {
            let from = |square: Square| attacks::attacks(square, piece, Bitboard(occupied)).0;
            pieces.into_iter().map(from).fold(0, |all, it| all | it)
        }
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

/// The sum of a board's weights, in sixty-fourths. The roles of a side's
/// pieces share no square, so relations are counted by who acts alone.
fn weight_of(control: &Control, places: &[[u64; DISTANCES]; 12]) -> u32 {
    let side = |black: bool| {
        let kinds = if black { 6..12 } else { 0..6 };
        kinds.fold(0, |all, it| all | control.pieces(it).0)
    };
    let sides = [side(false), side(true)];
    let on = |line: usize, side: usize| (control.lines[line].0 & sides[side]).count_ones();
    let direct: u32 = (0..12).map(|it| on(it, 0) + on(it, 1)).sum();
    let rays: u32 = (12..18).map(|it| on(it, usize::from(it < 15))).sum();
    let places: u32 = places.iter().map(|it| common_weight(it, it)).sum();
    places + 64 * (direct + rays)
}

/// Adds one to the binary numbers of these squares; they stay below 16: six kinds
/// attack a piece, six defend it and three have rays upon it.
fn add_bits(numbers: &mut [u64; 4], squares: u64) {
    let mut carry = squares;
    for plane in numbers {
        let both = *plane & carry;
        *plane ^= carry;
        carry = both;
    }
    debug_assert_eq!(carry, 0);
}

/// The sum of the binary numbers on these squares.
fn sum_of_bits(numbers: &[u64; 4], squares: u64) -> u32 {
    let plane = |(bit, plane): (usize, &u64)| (plane & squares).count_ones() << bit;
    numbers.iter().enumerate().map(plane).sum()
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
                    prop_assert!(slow < threshold || outline.could_be_alike(&other, threshold));
                }
            }
        }
    }

    #[test]
    fn strangers_are_told_by_their_pieces_alone() {
        let one = Outline::of(&Board::new());
        let bare = tabiya_chess::position::parse("8/8/4k3/8/8/4K3/8/8 w - - 0 1").unwrap();
        assert!(!one.could_be_alike(shakmaty::Position::board(&bare), 0.2));
        assert!(one.could_be_alike(&Board::new(), 1.0));
    }

    #[test]
    fn an_empty_board_is_like_itself_only() {
        let empty = Outline::of(&Board::empty());
        assert_eq!(empty.jaccard(&Board::empty()), 1.0);
        assert_eq!(empty.jaccard(&Board::new()), 0.0);
    }
}
