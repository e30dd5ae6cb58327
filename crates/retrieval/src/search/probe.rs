//! Scoring one board: the fast twin of [`Scorer::score`].
//!
//! A relation term of the query can only match if its target stands on its
//! square, so the pieces that do bound the score before any line of attack is
//! looked at; most boards go no further.

use shakmaty::{Bitboard, Board, Role, Square};

use crate::{
    rank::Scorer,
    term::{self, Bits, Control, Family, Meaning, PLANES, TermSet, VOCABULARY, Weight},
};

/// The query laid out by planes.
#[derive(Debug)]
pub(super) struct Probe {
    /// The query's place terms.
    places: [u64; 12],
    /// The place terms that the query asks for or has relations upon.
    targets: [u64; 12],
    /// The planes of relations that the query has terms in.
    relations: Vec<(usize, u64)>,
    /// λ·idf by term.
    gains: Vec<f64>,
    /// The most that a piece on its square can add, by place term: itself and
    /// all relations upon it.
    standing: Vec<f64>,
    /// The most that a piece which can reach its square can add.
    reaching: Vec<f64>,
}

/// Bounds are sums in another order than scores; this covers the difference.
const SLACK: f64 = 1.0 + 1e-9;

impl Probe {
    pub(super) fn new(scorer: &Scorer) -> Probe {
        let mut probe = Probe {
            places: [0; 12],
            targets: [0; 12],
            relations: Vec::new(),
            gains: vec![0.0; VOCABULARY],
            standing: vec![0.0; 12 * 64],
            reaching: vec![0.0; 12 * 64],
        };
        let mut planes = [0u64; PLANES];
        for &(term, gain) in scorer.gains() {
            probe.gains[term.index()] = gain;
            planes[term.plane()] |= 1 << (term.index() % 64);
            let place = match term.meaning() {
                Meaning::Place { .. } => term,
                Meaning::Relation { target, square, .. } => term::Term::place(target, square),
            };
            probe.standing[place.index()] += gain;
            probe.targets[place.plane()] |= 1 << (place.index() % 64);
            if term.family() == Family::Place {
                probe.reaching[place.index()] = scorer.share(gain, Weight::at_distance(1));
            }
        }
        probe.places.copy_from_slice(&planes[..12]);
        let relations = planes
            .into_iter()
            .enumerate()
            .skip(12)
            .filter(|it| it.1 != 0);
        probe.relations = relations.collect();
        probe
    }

    /// The board's score if it reaches `threshold`. `length` is the length of
    /// its document, 255 standing for more as well.
    pub(super) fn score(
        &self,
        scorer: &Scorer,
        board: &Board,
        length: u8,
        threshold: f64,
    ) -> Option<f64> {
        let norm = scorer.norm(length.into());
        if self.limit(board) * norm * SLACK < threshold {
            return None;
        }
        let norm = if length == u8::MAX {
            scorer.norm(TermSet::of_document(board).len())
        } else {
            norm
        };
        let score = norm * self.sum(scorer, &Control::of(board));
        (score >= threshold).then_some(score)
    }

    /// The most that a board with these pieces can sum up to.
    fn limit(&self, board: &Board) -> f64 {
        let empty = !board.occupied().0;
        let mut limit = 0.0;
        for (kind, (&wanted, &targets)) in self.places.iter().zip(&self.targets).enumerate() {
            if targets == 0 {
                continue;
            }
            let pieces = pieces_of(board, kind);
            let there = Bits(targets & pieces.0);
            limit += there.map(|bit| self.standing[kind * 64 + bit]).sum::<f64>();
            if pieces.any() {
                let free = Bits(wanted & empty);
                limit += free.map(|bit| self.reaching[kind * 64 + bit]).sum::<f64>();
            }
        }
        limit
    }

    /// The sum of the formula, in the order of the terms' numbers.
    fn sum(&self, scorer: &Scorer, control: &Control) -> f64 {
        let mut sum = 0.0;
        for (kind, &wanted) in self.places.iter().enumerate() {
            let pieces = control.pieces(kind);
            for bit in Bits(wanted) {
                let gain = self.gains[kind * 64 + bit];
                let square = Square::new(bit as u32);
                if pieces.contains(square) {
                    sum += gain;
                } else if pieces.any()
                    && let Some(weight) = term::reach_weight(control, kind, square)
                {
                    sum += scorer.share(gain, weight);
                }
            }
        }
        for &(plane, wanted) in &self.relations {
            for bit in Bits(wanted & control.relation(plane).0) {
                sum += self.gains[plane * 64 + bit];
            }
        }
        sum
    }
}

fn pieces_of(board: &Board, kind: usize) -> Bitboard {
    let color = if kind < 6 {
        board.white()
    } else {
        board.black()
    };
    color & board.by_role(Role::ALL[kind % 6])
}
