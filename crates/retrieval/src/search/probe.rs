//! Scoring one board: the fast twin of [`Scorer::score`].

use shakmaty::{Board, Square};

use crate::{
    rank::Scorer,
    search::bound::Present,
    term::{self, Bits, Control, Family, Meaning, PLANES, Pair, Term, TermSet, VOCABULARY, Weight},
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
    /// The pieces that the query asks for or has relations upon: kind and
    /// square.
    targets: Vec<(usize, usize)>,
    /// For each of the query's terms in order, which target it speaks of.
    target_of: Vec<usize>,
}

/// The most that each target can add to a position of a window, by the terms
/// that the window has: if the piece is there, and if it can only go there.
///
/// A relation can only match if its target stands on its square, so the pieces
/// alone rule out most boards.
#[derive(Debug, Default)]
pub(super) struct Limit(Vec<(f64, f64)>);

/// Limits are sums in another order than scores; this covers the difference.
const SLACK: f64 = 1.0 + 1e-9;

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
        let mut probe = Probe {
            places,
            relations,
            gains,
            targets: Vec::new(),
            target_of: Vec::new(),
        };
        probe.find_targets(scorer);
        probe
    }

    fn find_targets(&mut self, scorer: &Scorer) {
        for (term, _) in scorer.gains() {
            let place = match term.meaning() {
                Meaning::Place { .. } => *term,
                Meaning::Relation { target, square, .. } => Term::place(target, square),
            };
            let target = (place.plane(), place.index() % 64);
            let known = self.targets.iter().position(|&it| it == target);
            self.target_of.push(known.unwrap_or(self.targets.len()));
            if known.is_none() {
                self.targets.push(target);
            }
        }
    }

    /// What the targets can add in a window that has these terms.
    pub(super) fn limit(&self, scorer: &Scorer, present: &Present, limit: &mut Limit) {
        limit.0.clear();
        limit.0.resize(self.targets.len(), (0.0, 0.0));
        for (at, &(term, gain)) in scorer.gains().iter().enumerate() {
            if present.has(at) {
                let (standing, reaching) = &mut limit.0[self.target_of[at]];
                *standing += gain;
                if term.family() == Family::Place {
                    *reaching = scorer.share(gain, Weight::at_distance(1));
                }
            }
        }
    }

    /// Whether a board of the window could reach a score.
    pub(super) fn can_reach(
        &self,
        threshold: f64,
        scorer: &Scorer,
        limit: &Limit,
        board: &Board,
        length: u8,
    ) -> bool {
        let pieces = Control::pieces_on(board);
        let empty = !board.occupied().0;
        let mut most = 0.0;
        for (&(kind, square), &(standing, reaching)) in self.targets.iter().zip(&limit.0) {
            if pieces[kind].0 >> square & 1 == 1 {
                most += standing;
            } else if empty >> square & 1 == 1 {
                most += reaching;
            }
        }
        most * scorer.norm(length.into()) * SLACK >= threshold
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
