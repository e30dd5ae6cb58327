//! Clues: what a window must have for a position in it to match.
//!
//! A clue follows from a filter, never the other way round, so that the windows of a clue are a superset of those
//! that matter. Pieces, attacks, defenses and x-rays are postings. Conjunction and disjunction are what they are.
//! A negation prunes only where the window tells for certain: tags, plies, and the number of pieces, which can
//! only fall (windows with a pawn about to promote are kept).

use std::fmt;

use shakmaty::{Bitboard, Piece, Role};
use tabiya_pattern::{
    program::Truth,
    syntax::{Comparison, Kinds},
};

use crate::term::{Family, Term};

/// What a window must have.
#[derive(Clone, Debug)]
pub(crate) enum Clue {
    /// Nothing.
    All,
    /// What no window has.
    None,
    /// This many squares, each with one of its pieces or relations.
    AtLeast(u32, Members),
    /// One of these terms in a posting.
    Terms(Vec<Term>),
    /// A piece of these stands on one of these squares, or reaches it.
    Reach(Kinds, Bitboard),
    /// A game for which this holds, whatever the position.
    Game(Truth),
    /// A position with this many plies before it.
    Plies(i64, i64),
    /// The first position of the game.
    First,
    /// The last one.
    Last,
    /// A comparison of numbers of pieces.
    Material(Measure, Comparison, Measure),
    /// All of these.
    And(Vec<Clue>),
    /// One of these.
    Or(Vec<Clue>),
    /// A clue between `from` and `to` plies later.
    Near { from: i64, to: i64, of: Box<Clue> },
    /// A clue at the first position of the game.
    AtFirst(Box<Clue>),
}

/// What is known of the members of a set of squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Members {
    /// What may stand on them.
    pub(crate) kinds: Kinds,
    /// Where they may be.
    pub(crate) squares: Bitboard,
    /// The kinds of pieces of which one attacks or defends each.
    pub(crate) by: Option<Kinds>,
}

impl Members {
    pub(crate) const ANY: Members = Members {
        kinds: Kinds::ALL,
        squares: Bitboard::FULL,
        by: None,
    };

    /// These kinds, wherever they are.
    pub(crate) fn of(kinds: Kinds) -> Members {
        Members {
            kinds,
            ..Members::ANY
        }
    }

    /// These squares, whatever stands on them.
    pub(crate) fn on(squares: Bitboard) -> Members {
        Members {
            squares,
            ..Members::ANY
        }
    }

    /// Those of some kinds.
    pub(crate) fn among(self, kinds: Kinds) -> Members {
        Members {
            kinds: self.kinds & kinds,
            ..self
        }
    }

    /// Whether a square without a piece may be a member.
    pub(crate) fn may_be_empty(&self) -> bool {
        self.kinds.meets(Kinds::EMPTY)
    }

    /// The pieces among the kinds.
    pub(crate) fn pieces(self) -> impl Iterator<Item = Piece> {
        pieces(self.kinds)
    }
}

/// The kinds of pieces, without the empty square.
pub(crate) fn pieces(kinds: Kinds) -> impl Iterator<Item = Piece> {
    let each = (0..12usize).filter(move |it| kinds.0 >> it & 1 == 1);
    each.map(|it| Role::ALL[it % 6].of(shakmaty::Color::from_white(it < 6)))
}

/// The terms by which one of some pieces attacks, defends or x-rays another on some squares.
pub(crate) fn relations(
    families: &[Family],
    actors: Kinds,
    targets: Kinds,
    squares: Bitboard,
) -> Vec<Term> {
    let mut terms = Vec::new();
    for actor in pieces(actors) {
        for target in pieces(targets) {
            for &family in families {
                let each = squares.into_iter();
                terms.extend(each.filter_map(|it| Term::relation(family, actor, target, it)));
            }
        }
    }
    terms
}

/// A number that the pieces of a window bound.
#[derive(Clone, Debug)]
pub(crate) enum Measure {
    /// Always the same.
    Integer(i64),
    /// The number of pieces of some kinds; if `exact` all of them, otherwise some.
    Count(Kinds, bool, u32),
    /// Their value.
    Power(Kinds, bool),
    /// A sum, or a difference.
    Sum(Box<Measure>, bool, Box<Measure>),
}

impl Measure {
    /// The least and the greatest value, if there are between `least` and `most` pieces of each kind.
    pub(crate) fn range(&self, least: &[u8; 12], most: &[u8; 12]) -> (i64, i64) {
        let total = |kinds: Kinds, counts: &[u8; 12], value: &[i64; 6]| -> i64 {
            let each = (0..12).filter(|it| kinds.0 >> it & 1 == 1);
            each.map(|it: usize| i64::from(counts[it]) * value[it % 6])
                .sum()
        };
        match self {
            Measure::Integer(number) => (*number, *number),
            Measure::Count(kinds, exact, greatest) => {
                let one = [1; 6];
                let lower = if *exact {
                    total(*kinds, least, &one)
                } else {
                    0
                };
                (lower, total(*kinds, most, &one).min((*greatest).into()))
            }
            Measure::Power(kinds, exact) => {
                let value = [1, 3, 3, 5, 9, 0];
                let lower = if *exact {
                    total(*kinds, least, &value)
                } else {
                    0
                };
                (lower, total(*kinds, most, &value))
            }
            Measure::Sum(one, plus, two) => {
                let (one, two) = (one.range(least, most), two.range(least, most));
                match plus {
                    true => (one.0 + two.0, one.1 + two.1),
                    false => (one.0 - two.1, one.1 - two.0),
                }
            }
        }
    }
}

/// Whether a comparison can hold for some values of two ranges.
pub(crate) fn can_hold(one: (i64, i64), by: Comparison, two: (i64, i64)) -> bool {
    match by {
        Comparison::Equal => one.0 <= two.1 && two.0 <= one.1,
        Comparison::NotEqual => one.0 != one.1 || two.0 != two.1 || one.0 != two.0,
        Comparison::Less => one.0 < two.1,
        Comparison::LessOrEqual => one.0 <= two.1,
        Comparison::Greater => one.1 > two.0,
        Comparison::GreaterOrEqual => one.1 >= two.0,
    }
}

impl Clue {
    /// All of these, simplified; what is cheap and rules out much comes first.
    pub(crate) fn and(clues: impl IntoIterator<Item = Clue>) -> Clue {
        let mut all = Vec::new();
        for clue in clues {
            match clue {
                Clue::All => {}
                Clue::None => return Clue::None,
                Clue::And(inner) => all.extend(inner),
                other => all.push(other),
            }
        }
        all.sort_by_key(Clue::cost);
        match all.len() {
            0 => Clue::All,
            1 => all.remove(0),
            _ => Clue::And(all),
        }
    }

    /// One of these, simplified.
    pub(crate) fn or(clues: impl IntoIterator<Item = Clue>) -> Clue {
        let mut any = Vec::new();
        for clue in clues {
            match clue {
                Clue::None => {}
                Clue::All => return Clue::All,
                Clue::Or(inner) => any.extend(inner),
                other => any.push(other),
            }
        }
        match any.len() {
            0 => Clue::None,
            1 => any.remove(0),
            _ => Clue::Or(any),
        }
    }

    /// A clue some plies away.
    pub(crate) fn near(from: i64, to: i64, of: Clue) -> Clue {
        match of {
            Clue::All | Clue::None => of,
            of if from == 0 && to == 0 => of,
            of => Clue::Near {
                from,
                to,
                of: Box::new(of),
            },
        }
    }

    /// One square at least.
    pub(crate) fn some(members: Members) -> Clue {
        Clue::at_least(1, members)
    }

    pub(crate) fn at_least(count: u32, members: Members) -> Clue {
        if members.squares.is_empty() || members.kinds.0 == 0 {
            return Clue::None;
        }
        // A king stands somewhere in every window.
        let anywhere = members.squares == Bitboard::FULL && members.by.is_none();
        if count == 0
            || members.may_be_empty()
            || anywhere && count == 1 && members.kinds.meets(Kinds::KINGS)
        {
            return Clue::All;
        }
        Clue::AtLeast(count, members)
    }

    /// How many postings it reads, roughly.
    pub(crate) fn postings(&self) -> u64 {
        match self {
            Clue::AtLeast(..) | Clue::Terms(_) | Clue::Reach(..) => self.cost().into(),
            Clue::And(all) | Clue::Or(all) => all.iter().map(Clue::postings).sum(),
            Clue::Near { of, .. } | Clue::AtFirst(of) => of.postings(),
            _ => 0,
        }
    }

    /// What it costs, roughly, so that what is cheap comes first.
    fn cost(&self) -> u32 {
        match self {
            Clue::All | Clue::None => 0,
            Clue::First | Clue::Last => 1,
            Clue::Game(_) | Clue::Plies(..) => 2,
            Clue::AtLeast(_, it) => {
                let each = it.kinds.0.count_ones() * it.by.map_or(1, |it| it.0.count_ones());
                3 + it.squares.count() as u32 * each
            }
            Clue::Terms(terms) => 3 + terms.len() as u32,
            Clue::Reach(kinds, squares) => 3 + 13 * kinds.0.count_ones() * squares.count() as u32,
            Clue::Near { of, .. } | Clue::AtFirst(of) => of.cost() + 20,
            Clue::And(all) | Clue::Or(all) => all.iter().map(Clue::cost).sum::<u32>() + 1,
            // Looks at the boards of the windows that are left.
            Clue::Material(..) => 2000,
        }
    }
}

impl fmt::Display for Clue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, all: &[Clue], word: &str| {
            for (at, clue) in all.iter().enumerate().take(4) {
                write!(f, "{}{clue}", if at > 0 { word } else { "" })?;
            }
            match all.len() {
                0..=4 => Ok(()),
                more => write!(f, "{word}{} more", more - 4),
            }
        };
        match self {
            Clue::All => f.write_str("anything"),
            Clue::None => f.write_str("nothing"),
            Clue::AtLeast(1, members) => write!(f, "{members}"),
            Clue::AtLeast(count, members) => write!(f, "{count} of {members}"),
            Clue::Terms(terms) => write!(f, "one of {} x-rays", terms.len()),
            Clue::Reach(kinds, squares) => {
                write!(
                    f,
                    "{} on or near {} squares",
                    kinds.letters(),
                    squares.count()
                )
            }
            Clue::Game(_) => f.write_str("tags"),
            Clue::Plies(from, to) if *to >= u16::MAX.into() => write!(f, "ply {from} or later"),
            Clue::Plies(from, to) => write!(f, "ply {from} to {to}"),
            Clue::First => f.write_str("the first position"),
            Clue::Last => f.write_str("the last position"),
            Clue::Material(one, by, two) => write!(f, "material {one} {} {two}", sign(*by)),
            Clue::And(all) => list(f, all, " and "),
            Clue::Or(all) => {
                f.write_str("(")?;
                list(f, all, " or ")?;
                f.write_str(")")
            }
            Clue::Near { from, to, of } => {
                let end = |it: i64| match it.abs() >= UNBOUNDED {
                    true => "any number of".to_owned(),
                    false => it.to_string(),
                };
                match from == to {
                    true => write!(f, "{of} {} plies later", end(*from)),
                    false => write!(f, "{of} {} to {} plies later", end(*from), end(*to)),
                }
            }
            Clue::AtFirst(of) => write!(f, "{of} in the first position"),
        }
    }
}

/// As many plies as there may be.
pub(crate) const UNBOUNDED: i64 = 1 << 20;

fn sign(by: Comparison) -> &'static str {
    match by {
        Comparison::Equal => "=",
        Comparison::NotEqual => "≠",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "≤",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => "≥",
    }
}

impl fmt::Display for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kinds.letters())?;
        let count = self.squares.count();
        match self.squares.first() {
            _ if self.squares == Bitboard::FULL => {}
            Some(square) if count == 1 => write!(f, "{square}")?,
            _ => write!(f, " on {count} squares")?,
        }
        match self.by {
            Some(by) => write!(f, " attacked or defended by {}", by.letters()),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Measure::Integer(number) => number.fmt(f),
            Measure::Count(kinds, ..) => write!(f, "#{}", kinds.letters()),
            Measure::Power(kinds, _) => write!(f, "power {}", kinds.letters()),
            Measure::Sum(one, plus, two) => {
                write!(f, "{one} {} {two}", if *plus { "+" } else { "−" })
            }
        }
    }
}
