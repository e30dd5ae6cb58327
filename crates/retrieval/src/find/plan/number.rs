//! Numbers and comparisons.

use tabiya_pattern::{
    program::{Number, Truth},
    syntax::{Comparison, Kinds, Operator},
};

use super::{Clue, Planner, UNBOUNDED, set::is_all_pieces};
use crate::find::clue::Measure;

impl Planner {
    pub(super) fn compare(&mut self, one: &Number, by: Comparison, two: &Number) -> Clue {
        if let Some(plies) = plies(one, by, two).or_else(|| plies(two, mirrored(by), one)) {
            return plies;
        }
        if is_of_game(one) && is_of_game(two) {
            return Clue::Game(Truth::Compare(one.clone(), by, two.clone()));
        }
        let mut clues = vec![self.number(one), self.number(two)];
        clues.push(self.at_least(one, by, two));
        clues.push(self.at_least(two, mirrored(by), one));
        if let (Some(one), Some(two)) = (self.measure(one), self.measure(two)) {
            clues.push(Clue::Material(one, by, two));
        }
        Clue::and(clues)
    }

    /// A set that has this many members.
    fn at_least(&mut self, one: &Number, by: Comparison, two: &Number) -> Clue {
        let (Number::Count(set), Number::Integer(number)) = (one, two) else {
            return Clue::All;
        };
        let least = match by {
            Comparison::Equal | Comparison::GreaterOrEqual => *number,
            Comparison::Greater => *number + 1,
            Comparison::NotEqual if *number == 0 => 1,
            _ => 0,
        };
        if least < 1 {
            return Clue::All;
        }
        let bound = self.set(set);
        let count = u32::try_from(least).unwrap_or(u32::MAX);
        Clue::and([Clue::at_least(count, bound.members), bound.clue])
    }

    /// A number that pieces bound.
    pub(super) fn measure(&mut self, number: &Number) -> Option<Measure> {
        Some(match number {
            Number::Integer(number) => Measure::Integer(*number),
            Number::Count(set) => {
                let members = self.set(set).members;
                if members.may_be_empty() {
                    return None;
                }
                let most = members.squares.count() as u32;
                Measure::Count(members.kinds, is_all_pieces(set), most)
            }
            Number::Power(set) => {
                let kinds = self.set(set).members.kinds & Kinds::PIECES;
                Measure::Power(kinds, is_all_pieces(set))
            }
            Number::Arithmetic(operator @ (Operator::Add | Operator::Subtract), one, two) => {
                let plus = *operator == Operator::Add;
                let (one, two) = (self.measure(one)?, self.measure(two)?);
                Measure::Sum(one.into(), plus, two.into())
            }
            Number::Sort(_, it) => self.measure(it)?,
            _ => return None,
        })
    }

    /// What must be the case for a number to be there.
    pub(super) fn number(&mut self, number: &Number) -> Clue {
        match number {
            Number::Rank(set) | Number::File(set) => self.set(set).some(),
            Number::Arithmetic(_, one, two) => Clue::and([self.number(one), self.number(two)]),
            Number::Absolute(it) | Number::Sort(_, it) => self.number(it),
            Number::Sequence(sequence) => self.sequence(sequence),
            Number::FindAll { backward, what } => self.find(*backward, what),
            Number::Greatest(any) => {
                let clues: Vec<Clue> = any.iter().map(|it| self.number(it)).collect();
                Clue::or(clues)
            }
            Number::At(place, it) => {
                let clue = self.elsewhere(|this| this.number(it));
                self.at(*place, clue)
            }
            Number::If(truth, it) => {
                let known = self.variables.len();
                let clue = self.truth(truth);
                self.learn(truth);
                let clue = Clue::and([clue, self.number(it)]);
                self.variables.truncate(known);
                clue
            }
            Number::Integer(_)
            | Number::Count(_)
            | Number::Power(_)
            | Number::Ply
            | Number::MoveNumber
            | Number::Year
            | Number::Elo(_)
            | Number::Variable(_)
            | Number::CountMoves(_) => Clue::All,
        }
    }
}

/// The plies for which a comparison of ply or move number holds.
fn plies(one: &Number, by: Comparison, two: &Number) -> Option<Clue> {
    let &Number::Integer(number) = two else {
        return None;
    };
    let (from, to) = match one {
        Number::Ply => (number, number),
        Number::MoveNumber => (2 * (number - 1), 2 * (number - 1) + 1),
        _ => return None,
    };
    let (from, to) = match by {
        Comparison::Equal => (from, to),
        Comparison::NotEqual => return Some(Clue::All),
        Comparison::Less => (0, from - 1),
        Comparison::LessOrEqual => (0, to),
        Comparison::Greater => (to + 1, UNBOUNDED),
        Comparison::GreaterOrEqual => (from, UNBOUNDED),
    };
    Some(match from > to {
        true => Clue::None,
        false => Clue::Plies(from.max(0), to),
    })
}

/// Whether a number is the same for all positions of a game.
fn is_of_game(number: &Number) -> bool {
    match number {
        Number::Integer(_) | Number::Year | Number::Elo(_) => true,
        Number::Arithmetic(_, one, two) => is_of_game(one) && is_of_game(two),
        Number::Absolute(it) => is_of_game(it),
        _ => false,
    }
}

/// Whether a number is always there.
pub(super) fn never_fails(number: &Number) -> bool {
    match number {
        Number::Integer(_) | Number::Count(_) | Number::Power(_) => true,
        Number::Ply | Number::MoveNumber => true,
        Number::Arithmetic(Operator::Add | Operator::Subtract, one, two) => {
            never_fails(one) && never_fails(two)
        }
        _ => false,
    }
}

pub(super) fn opposite(by: Comparison) -> Comparison {
    match by {
        Comparison::Equal => Comparison::NotEqual,
        Comparison::NotEqual => Comparison::Equal,
        Comparison::Less => Comparison::GreaterOrEqual,
        Comparison::LessOrEqual => Comparison::Greater,
        Comparison::Greater => Comparison::LessOrEqual,
        Comparison::GreaterOrEqual => Comparison::Less,
    }
}

/// The same comparison with its sides exchanged.
fn mirrored(by: Comparison) -> Comparison {
    match by {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        same => same,
    }
}
