//! What a position is made of: weighted terms, after Ganguly, Leveling and
//! Jones, "Retrieval of similar chess positions" (SIGIR 2014).
//!
//! | family  | written     | meaning                                             |
//! |---------|-------------|-----------------------------------------------------|
//! | place   | `Qf3`       | the piece stands on the square                      |
//! | reach   | `Qe2\|0.89` | the piece could move to that empty square           |
//! | attack  | `b>Nc3`     | a black bishop attacks the white knight on c3       |
//! | defense | `Q<Nc3`     | a white queen defends the white knight on c3        |
//! | ray     | `r=Qf3`     | a black rook attacks the queen through other pieces |
//!
//! Place and reach share one name space. There are 12,288 possible terms: 192
//! *planes* (a kind of piece, or a pair of an actor and a target) of 64
//! squares each, so that the terms of a position are 192 bitboards, and sets
//! of terms are joined and counted a word at a time ([`TermSet`]).

mod control;
mod encoding;
mod family;
mod outline;
mod set;
mod sight;

mod attack;
mod defense;
mod place;
mod ray;
mod reach;

use std::fmt;

use serde::{Deserialize, Serialize};
use shakmaty::{Color, Piece, Role, Square};
use tabiya_chess::Symmetry;

pub(crate) use control::Control;
use control::Pair;
pub use encoding::Encoding;
pub use family::{ByFamily, Family};
pub use outline::Outline;
pub(crate) use set::Bits;
pub use set::TermSet;
pub(crate) use sight::{Look, Sight};

/// How many planes of terms there are.
pub const PLANES: usize = 192;

/// How many terms there are.
pub const VOCABULARY: usize = PLANES * 64;

/// How many terms of place there are, which are the first.
pub const PLACES: usize = ATTACK * 64;

const ATTACK: usize = 12;
const DEFENSE: usize = ATTACK + 12 * 6;
const RAY: usize = DEFENSE + 12 * 6;
const _: () = assert!(RAY + 6 * 6 == PLANES);

/// The kinds of pieces that act along lines.
const SLIDERS: [Role; 3] = [Role::Bishop, Role::Rook, Role::Queen];

/// A term of the vocabulary, numbered by plane and square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u16")]
pub struct Term(u16);

impl TryFrom<u16> for Term {
    type Error = &'static str;

    fn try_from(number: u16) -> Result<Term, &'static str> {
        let is_term = usize::from(number) < VOCABULARY;
        is_term.then_some(Term(number)).ok_or("not a term")
    }
}

/// What a term says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// The piece stands on the square, or could move to it.
    Place {
        /// The piece.
        piece: Piece,
        /// Where it stands or could go.
        square: Square,
    },
    /// One kind of piece bears upon a piece on a square.
    Relation {
        /// Attack, defense or ray.
        family: Family,
        /// The kind of piece that attacks or defends, from wherever it stands.
        actor: Piece,
        /// The piece that is attacked or defended.
        target: Piece,
        /// Where the target stands.
        square: Square,
    },
}

impl Term {
    /// The term with this number, if there is one.
    pub const fn from_index(index: usize) -> Option<Term> {
        if index < VOCABULARY {
            Some(Term(index as u16))
        } else {
            None
        }
    }

    const fn new(plane: usize, square: Square) -> Term {
        Term((plane * 64 + square as usize) as u16)
    }

    /// The term that a piece stands on, or could move to, a square.
    pub fn place(piece: Piece, square: Square) -> Term {
        Term::new(kind(piece), square)
    }

    /// The term that a kind of piece attacks or defends a piece on a square, or with [`Family::Ray`] attacks it
    /// through others. `None` if there is no such term: own pieces are not attacked, others not defended, and only
    /// sliders see through.
    pub fn relation(family: Family, actor: Piece, target: Piece, square: Square) -> Option<Term> {
        let is_enemy = actor.color != target.color;
        let exists = match family {
            Family::Attack => is_enemy,
            Family::Defense => !is_enemy,
            Family::Ray => is_enemy && SLIDERS.contains(&actor.role),
            Family::Place | Family::Reach => false,
        };
        exists.then(|| Term::new(relation_plane(family, actor, target.role), square))
    }

    /// The term's number, below [`VOCABULARY`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The plane that the term lies in.
    pub const fn plane(self) -> usize {
        self.index() / 64
    }

    /// The square that the term speaks of.
    pub fn square(self) -> Square {
        Square::new(u32::from(self.0 % 64))
    }

    /// The family; reach terms count as place, since they share their terms.
    pub const fn family(self) -> Family {
        match self.plane() {
            0..ATTACK => Family::Place,
            ATTACK..DEFENSE => Family::Attack,
            DEFENSE..RAY => Family::Defense,
            _ => Family::Ray,
        }
    }

    /// What the term says.
    pub fn meaning(self) -> Meaning {
        let (plane, square) = (self.plane(), self.square());
        let family = self.family();
        let (actor, role) = match family {
            Family::Place | Family::Reach => {
                return Meaning::Place {
                    piece: piece_of(plane),
                    square,
                };
            }
            Family::Attack => (piece_of((plane - ATTACK) / 6), (plane - ATTACK) % 6),
            Family::Defense => (piece_of((plane - DEFENSE) / 6), (plane - DEFENSE) % 6),
            Family::Ray => (slider_of((plane - RAY) / 6), (plane - RAY) % 6),
        };
        let color = if family == Family::Defense {
            actor.color
        } else {
            !actor.color
        };
        Meaning::Relation {
            family,
            actor,
            target: Role::ALL[role].of(color),
            square,
        }
    }

    /// The term seen through a symmetry of the board.
    pub fn seen(self, symmetry: Symmetry) -> Term {
        match self.meaning() {
            Meaning::Place { piece, square } => {
                Term::place(symmetry.piece(piece), symmetry.square(square))
            }
            Meaning::Relation {
                family,
                actor,
                target,
                square,
            } => Term::new(
                relation_plane(family, symmetry.piece(actor), target.role),
                symmetry.square(square),
            ),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.meaning() {
            Meaning::Place { piece, square } => write!(f, "{}{square}", piece.char()),
            Meaning::Relation {
                family,
                actor,
                target,
                square,
            } => {
                let sign = match family {
                    Family::Attack => '>',
                    Family::Defense => '<',
                    _ => '=',
                };
                write!(f, "{}{sign}{}{square}", actor.char(), target.char())
            }
        }
    }
}

/// How much of a term a position holds, in sixty-fourths. A piece that stands
/// on the square has all of it, one that could go there less with distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(u8);

impl Weight {
    /// The piece is there.
    pub const FULL: Weight = Weight(64);

    /// The piece could go there over this (Chebyshev) distance, 1 to 7.
    pub(crate) const fn at_distance(distance: u32) -> Weight {
        Weight(64 - 7 * distance as u8)
    }

    /// The weight as a number in (0, 1]; exact, since it is a dyadic fraction.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 64.0
    }

    /// The family under which an occurrence of a term counts: a place term
    /// of less than full weight is reach.
    pub fn family(self, term: Term) -> Family {
        match term.family() {
            Family::Place if self != Weight::FULL => Family::Reach,
            family => family,
        }
    }

    /// The weight in sixty-fourths.
    pub const fn sixty_fourths(self) -> u8 {
        self.0
    }
}

/// The number of a kind of piece: White's pawn to king, then Black's.
const fn kind(piece: Piece) -> usize {
    6 * piece.color.is_black() as usize + piece.role as usize - 1
}

fn piece_of(kind: usize) -> Piece {
    Role::ALL[kind % 6].of(Color::from_white(kind < 6))
}

fn slider_of(index: usize) -> Piece {
    SLIDERS[index % 3].of(Color::from_white(index < 3))
}

fn slider_index(piece: Piece) -> usize {
    3 * usize::from(piece.color.is_black()) + piece.role as usize - Role::Bishop as usize
}

fn relation_plane(family: Family, actor: Piece, target: Role) -> usize {
    let target = target as usize - 1;
    match family {
        Family::Attack => ATTACK + kind(actor) * 6 + target,
        Family::Defense => DEFENSE + kind(actor) * 6 + target,
        Family::Ray => RAY + slider_index(actor) * 6 + target,
        Family::Place | Family::Reach => kind(actor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_has_its_own_name_and_turns_back() {
        let mut names = std::collections::BTreeSet::new();
        for index in 0..VOCABULARY {
            let term = Term::from_index(index).unwrap();
            assert_eq!(term.index(), index);
            assert!(names.insert(term.to_string()), "{term} twice");
            for symmetry in Symmetry::ALL {
                assert_eq!(term.seen(symmetry).seen(symmetry), term);
                assert_eq!(term.seen(symmetry).family(), term.family());
            }
        }
        assert_eq!(Term::from_index(VOCABULARY), None);
    }

    #[test]
    fn weights_follow_the_distance() {
        let expected = [57.0, 50.0, 43.0, 36.0, 29.0, 22.0, 15.0].map(|it| it / 64.0);
        for (distance, expected) in (1..).zip(expected) {
            assert_eq!(Weight::at_distance(distance).value(), expected);
            assert_eq!(expected, 1.0 - 7.0 * f64::from(distance) / 64.0);
        }
    }
}
