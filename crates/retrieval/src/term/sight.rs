//! Looking for single terms on a board, without working out its others.

use shakmaty::{Bitboard, Piece, Square, attacks};

use super::{Family, Meaning, SLIDERS, Term, Weight, kind, reach};

/// A term made ready to be looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    meaning: Meaning,
    /// From where its piece would bear upon its square if nothing stood between.
    lines: Bitboard,
}

impl From<Term> for Look {
    fn from(term: Term) -> Look {
        let meaning = term.meaning();
        let (piece, square) = match meaning {
            Meaning::Place { piece, square } => (piece, square),
            Meaning::Relation { actor, square, .. } => (actor, square),
        };
        Look {
            meaning,
            lines: origins(piece, square, Bitboard::EMPTY),
        }
    }
}

/// A board on which terms are looked for.
#[derive(Debug)]
pub(crate) struct Sight {
    pieces: [Bitboard; 12],
    occupied: Bitboard,
}

impl Sight {
    /// A board by the pieces of each kind.
    pub(crate) fn of_pieces(pieces: [Bitboard; 12]) -> Sight {
        Sight {
            occupied: pieces.into_iter().fold(Bitboard::EMPTY, |all, it| all | it),
            pieces,
        }
    }

    /// The weight of a term, if the position holds it.
    pub(crate) fn weight(&self, look: &Look) -> Option<Weight> {
        match look.meaning {
            Meaning::Place { piece, square } => {
                let pieces = self.pieces[kind(piece)];
                if pieces.contains(square) {
                    return Some(Weight::FULL);
                }
                reach::weight(piece, pieces, self.occupied, square)
            }
            Meaning::Relation {
                family,
                actor,
                target,
                square,
            } => {
                let aligned = self.pieces[kind(actor)] & look.lines;
                if aligned.is_empty() || !self.pieces[kind(target)].contains(square) {
                    return None;
                }
                let direct = match SLIDERS.contains(&actor.role) {
                    true => aligned & origins(actor, square, self.occupied),
                    false => aligned,
                };
                let holds = match family {
                    Family::Ray => direct != aligned,
                    _ => direct.any(),
                };
                holds.then_some(Weight::FULL)
            }
        }
    }
}

/// The squares from which a piece bears upon a square: those that it would attack from there, but
/// for pawns, which look ahead.
fn origins(piece: Piece, square: Square, occupied: Bitboard) -> Bitboard {
    attacks::attacks(square, piece.role.of(!piece.color), occupied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        term::{Control, Encoding, VOCABULARY},
        testing::random_board,
    };
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn single_terms_are_those_of_the_encoding(seed: u64) {
            let board = random_board(seed);
            let encoding = Encoding::of_document(&board);
            let sight = Sight::of_pieces(Control::pieces_on(&board));
            for term in (0..VOCABULARY).filter_map(Term::from_index) {
                prop_assert_eq!(sight.weight(&Look::from(term)), encoding.weight(term), "{}", term);
            }
        }
    }
}
