//! A set of terms: one bit for each term of the vocabulary.

use shakmaty::Board;

use super::{Control, PLANES, Term, attack, defense, place, ray, reach};

/// A set of terms as 192 bitboards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermSet(pub(crate) [u64; PLANES]);

impl TermSet {
    /// The set without terms.
    pub const EMPTY: TermSet = TermSet([0; PLANES]);

    /// The terms of a position as the collection holds it: all five families.
    pub fn of_document(board: &Board) -> TermSet {
        let control = Control::of(board);
        let mut terms = TermSet::EMPTY;
        reach::add(&control, &mut terms);
        terms.add_all_but_reach(&control);
        terms
    }

    /// The terms of a position that is asked for: all but reach.
    pub fn of_query(board: &Board) -> TermSet {
        let mut terms = TermSet::EMPTY;
        terms.add_all_but_reach(&Control::of(board));
        terms
    }

    fn add_all_but_reach(&mut self, control: &Control) {
        place::add(control, self);
        attack::add(control, self);
        defense::add(control, self);
        ray::add(control, self);
    }

    /// How many terms the set holds.
    pub fn len(&self) -> usize {
        self.0.iter().map(|plane| plane.count_ones() as usize).sum()
    }

    /// Whether the set holds no term.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&plane| plane == 0)
    }

    /// Whether the set holds a term.
    pub fn contains(&self, term: Term) -> bool {
        self.0[term.plane()] >> (term.index() % 64) & 1 == 1
    }

    /// The terms in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = Term> + '_ {
        self.0
            .iter()
            .enumerate()
            .flat_map(|(plane, &bits)| Bits(bits).map(move |bit| Term((plane * 64 + bit) as u16)))
    }
}

/// The set bits of a word, lowest first.
pub(crate) struct Bits(pub(crate) u64);

impl Iterator for Bits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}
