//! Scoring one board: the fast twin of [`Scorer::score`].

use shakmaty::Square;

use crate::{
    index::Planes,
    rank::Scorer,
    search::bound::{Column, Present},
    term::{self, Bits, Control, Meaning, PLANES, Pair, TermSet, VOCABULARY},
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
    targets: Targets,
    /// norm(p) by length; 255 stands for more as well.
    norms: [f64; 256],
}

/// The pieces that the query asks for or has relations upon. A relation can only match if its
/// target stands on its square, so the pieces alone rule out most boards.
#[derive(Debug)]
struct Targets {
    /// The board that has just these pieces.
    wanted: Planes,
    columns: Vec<Column>,
}

/// The most that each square can add to the score of a position of a window, by the columns that
/// the window has: if the target is there, and if the square is empty.
#[derive(Debug)]
pub(super) struct Limit {
    standing: [f32; 64],
    reaching: [f32; 64],
}

/// Sums in another order and with fewer digits; this covers the difference.
const SLACK: f64 = 1.0 + 1e-5;

#[derive(Debug)]
struct Relation {
    pair: Pair,
    wanted: u64,
    first_term: usize,
}

impl Targets {
    fn new(scorer: &Scorer) -> Targets {
        let mut wanted = Planes([0; 4]);
        for (term, _) in scorer.gains() {
            let target = match term.meaning() {
                Meaning::Place { piece, .. } => piece,
                Meaning::Relation { target, .. } => target,
            };
            wanted.put(target, term.square());
        }
        Targets {
            wanted,
            columns: Column::all(scorer),
        }
    }

    /// What the squares can add in a window that has these columns.
    fn limit(&self, present: &Present) -> Limit {
        let mut limit = Limit {
            standing: [0.0; 64],
            reaching: [0.0; 64],
        };
        present.for_each(&self.columns, |it| {
            let square = it.term.square() as usize;
            limit.standing[square] += it.standing as f32;
            limit.reaching[square] += it.reaching as f32;
        });
        limit
    }

    /// The most that a board's sum can be.
    fn most(&self, limit: &Limit, board: &Planes) -> f32 {
        let wanted = self.wanted.occupied();
        let differs = (0..4).fold(0, |all, it| all | (board.0[it] ^ self.wanted.0[it]));
        let standing = Bits(wanted & !differs).map(|it| limit.standing[it]);
        let empty = Bits(wanted & !board.occupied()).map(|it| limit.reaching[it]);
        standing.sum::<f32>() + empty.sum::<f32>()
    }
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
            targets: Targets::new(scorer),
            norms: std::array::from_fn(|it| scorer.norm(it)),
        }
    }

    /// What the squares can add in a window that has these columns.
    pub(super) fn limit(&self, present: &Present) -> Limit {
        self.targets.limit(present)
    }

    /// The most that a board of the window can score.
    pub(super) fn most(&self, limit: &Limit, board: &Planes, length: u8) -> f64 {
        let most = f64::from(self.targets.most(limit, board));
        most * self.norms[usize::from(length)] * SLACK
    }

    /// The board's score. `length` is the length of its document, 255 standing
    /// for more as well.
    pub(super) fn score(&self, scorer: &Scorer, board: &Planes, length: u8) -> f64 {
        let norm = match length {
            u8::MAX => board
                .board()
                .map_or(0.0, |it| scorer.norm(TermSet::of_document(&it).len())),
            length => self.norms[usize::from(length)],
        };
        norm * self.sum(scorer, &Control::of_pieces(board.pieces()))
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
