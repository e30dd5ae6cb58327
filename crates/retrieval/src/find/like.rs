//! How like a given position the matches are.

use shakmaty::{Board, Chess, Position};
use tabiya_chess::{Ply, Symmetry};

use crate::{
    index::Statistics,
    rank::{Ranking, Scorer},
    term::Encoding,
};

/// A position that matches are compared with, as it is and with colors swapped.
#[derive(Clone, Debug)]
pub struct Like(Vec<(Symmetry, Scorer)>);

/// How like it a match is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likeness {
    /// The score as a part of the position's own.
    pub similarity: f64,
    /// How the position was turned.
    pub symmetry: Symmetry,
    /// Where in the game.
    pub ply: Ply,
}

impl Like {
    /// The usual ranking, with the statistics of a collection.
    pub fn new(position: &Chess, statistics: &Statistics) -> Like {
        let scorer = |symmetry: Symmetry| {
            let board = symmetry.board(position.board());
            let scorer = Scorer::new(&board, &Ranking::default(), statistics);
            (symmetry, scorer)
        };
        Like([Symmetry::None, Symmetry::Swap].map(scorer).into())
    }

    /// The board that is most like the position; the first of several.
    pub(super) fn nearest(&self, boards: impl Iterator<Item = (Ply, Board)>) -> Option<Likeness> {
        let mut nearest: Option<Likeness> = None;
        for (ply, board) in boards {
            let document = Encoding::of_document(&board);
            for (symmetry, scorer) in &self.0 {
                let similarity = scorer.similarity(scorer.score(&document));
                if nearest.is_none_or(|it| similarity > it.similarity) {
                    nearest = Some(Likeness {
                        similarity,
                        symmetry: *symmetry,
                        ply,
                    });
                }
            }
        }
        nearest
    }
}
