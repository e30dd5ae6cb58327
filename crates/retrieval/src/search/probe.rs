//! Scoring one board: the fast twin of [`Scorer::score`].

use shakmaty::{Board, Square};

use crate::{
    rank::Scorer,
    term::{self, Bits, Control, PLANES, Pair, TermSet, VOCABULARY},
};

/// The query laid out by planes, so that only its own terms are looked for.
#[derive(Debug)]
pub(super) struct Probe {
    /// The query's place terms by kind of piece.
    places: [u64; 12],
    /// The planes of relations that the query has terms in, in order.
    relations: Vec<Relation>,
    /// λ·idf by term.
    gains: Vec<f64>,
}

#[derive(Debug)]
struct Relation {
    pair: Pair,
    wanted: u64,
    first_term: usize,
}

impl Probe {
    pub(super) fn new(scorer: &Scorer) -> Probe {
        let mut gains = vec![0.0; VOCABULARY];
        let mut planes = [0u64; PLANES];
        for &(term, gain) in scorer.gains() {
            gains[term.index()] = gain;
            planes[term.plane()] |= 1 << (term.index() % 64);
        }
        let mut places = [0; 12];
        places.copy_from_slice(&planes[..12]);
        let relation = |(plane, &wanted): (usize, &u64)| {
            let relation = Relation {
                pair: Pair::of(plane),
                wanted,
                first_term: plane * 64,
            };
            (wanted != 0).then_some(relation)
        };
        let relations = planes
            .iter()
            .enumerate()
            .skip(12)
            .filter_map(relation)
            .collect();
        Probe {
            places,
            relations,
            gains,
        }
    }

    /// The board's score. `length` is the length of its document, 255 standing
    /// for more as well.
    pub(super) fn score(&self, scorer: &Scorer, board: &Board, length: u8) -> f64 {
        let length = match length {
            u8::MAX => TermSet::of_document(board).len(),
            length => length.into(),
        };
        scorer.norm(length) * self.sum(scorer, &Control::of(board))
    }

    /// The sum of the formula, in the order of the terms' numbers.
    fn sum(&self, scorer: &Scorer, control: &Control) -> f64 {
        let mut sum = 0.0;
        for (kind, &wanted) in self.places.iter().enumerate() {
            let pieces = control.pieces(kind);
            if pieces.is_empty() {
                continue;
            }
            for bit in Bits(wanted) {
                let gain = self.gains[kind * 64 + bit];
                let square = Square::new(bit as u32);
                if pieces.contains(square) {
                    sum += gain;
                } else if let Some(weight) = term::reach_weight(control, kind, square) {
                    sum += scorer.share(gain, weight);
                }
            }
        }
        for relation in &self.relations {
            for bit in Bits(relation.wanted & control.relation(relation.pair).0) {
                sum += self.gains[relation.first_term + bit];
            }
        }
        sum
    }
}
