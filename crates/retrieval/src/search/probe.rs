//! Scoring one board: the fast twin of [`Scorer::score`].

use crate::{
    index::Planes,
    rank::Scorer,
    search::bound::{Column, Present},
    term::{Bits, Look, Meaning, Sight, TermSet},
};

/// The query laid out by terms, so that only its own are looked for, and of these only those that the
/// window has.
#[derive(Debug)]
pub(super) struct Probe {
    /// The query's terms in their order, each with λ·idf. Columns of a window begin with them.
    looks: Vec<(Look, f64)>,
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
        let gains = scorer.gains().iter();
        Probe {
            looks: gains.map(|&(term, gain)| (term.into(), gain)).collect(),
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

    /// The score of a board of a window that has these columns. `length` is the length of its
    /// document, 255 standing for more as well.
    pub(super) fn score(
        &self,
        scorer: &Scorer,
        present: &Present,
        board: &Planes,
        length: u8,
    ) -> f64 {
        let norm = match length {
            u8::MAX => board
                .board()
                .map_or(0.0, |it| scorer.norm(TermSet::of_document(&it).len())),
            length => self.norms[usize::from(length)],
        };
        // The sum of the formula, in the order of the terms' numbers.
        let sight = Sight::of_pieces(board.pieces());
        let mut sum = 0.0;
        present.for_each(&self.looks, |(look, gain)| {
            if let Some(weight) = sight.weight(look) {
                sum += scorer.share(*gain, weight);
            }
        });
        norm * sum
    }
}
