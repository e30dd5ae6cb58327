//! Sets.

use shakmaty::{Bitboard, Square};

use super::{Compiled, Compiler};
use crate::{
    program::{Pin, Ray, Set},
    syntax::{Designator, Direction, Filter, PinPart},
};

impl Compiler {
    pub(super) fn arrows(&mut self, backward: bool, sets: &[Filter]) -> Compiled<Set> {
        let mut sets = self.sets(sets)?;
        if let [_, _] = &sets[..] {
            let (two, one) = (sets.pop(), sets.pop());
            let sets = one.zip(two).map(|it| (Box::new(it.0), Box::new(it.1)));
            let none = || Set::Squares(Bitboard::EMPTY);
            return Ok(sets.map_or_else(none, |(one, two)| match backward {
                true => Set::AttackedBy(one, two),
                false => Set::Attacks(one, two),
            }));
        }
        // The first written set is the value; backward, the line is seen from its other end.
        if backward {
            sets.reverse();
        }
        Ok(Set::Ray(Box::new(Ray {
            attacks: true,
            first: !backward,
            directions: Direction::ANY,
            sets,
        })))
    }

    pub(super) fn pin(&mut self, parts: &[(PinPart, Filter)]) -> Compiled<Set> {
        let mut pin = Pin {
            from: None,
            through: None,
            to: None,
            value: parts.first().map_or(PinPart::Through, |it| it.0),
        };
        for (part, filter) in parts {
            let set = Some(self.set(filter)?);
            match part {
                PinPart::From => pin.from = set,
                PinPart::Through => pin.through = set,
                PinPart::To => pin.to = set,
            }
        }
        Ok(Set::Pin(Box::new(pin)))
    }
}

pub(super) fn designator(designator: &Designator) -> Set {
    let mut squares = Bitboard::EMPTY;
    for it in &designator.squares {
        let inside = |square: &Square| {
            let (file, rank) = (square.file() as i8, square.rank() as i8);
            (it.files.0..=it.files.1).contains(&file) && (it.ranks.0..=it.ranks.1).contains(&rank)
        };
        squares |= Square::ALL.into_iter().filter(inside).collect::<Bitboard>();
    }
    if designator.squares.is_empty() {
        squares = Bitboard::FULL;
    }
    match designator.pieces {
        Some(kinds) => Set::Pieces(kinds, squares),
        None => Set::Squares(squares),
    }
}
