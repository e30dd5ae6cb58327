//! What a program is like without running it: whether it leaves something behind, what it costs.

use crate::{
    program::{Each, Element, Motion, Number, Place, Ray, Sequence, Set, Truth, Value, Words},
    syntax::Kinds,
};

/// Something that a program is made of.
#[derive(Clone, Copy, Debug)]
enum Part<'a> {
    Set(&'a Set),
    Number(&'a Number),
    Truth(&'a Truth),
}

impl Truth {
    /// Whether looking at it leaves nothing behind.
    pub fn is_pure(&self) -> bool {
        !has(Part::Truth(self), &|part| match part {
            Part::Truth(it) => matches!(
                it,
                Truth::Assign(..) | Truth::Comment(_) | Truth::AnyOfAll(_)
            ),
            Part::Number(Number::Sort(..)) => true,
            Part::Number(Number::Sequence(it)) => it.nest_ban.is_some(),
            _ => false,
        })
    }

    /// Whether its value depends on variables that are set outside.
    pub(crate) fn reads_variables(&self) -> bool {
        reads(Part::Truth(self), &[])
    }

    /// Whether it looks at other positions of the game.
    pub(crate) fn looks_elsewhere(&self) -> bool {
        has(Part::Truth(self), &|part| match part {
            Part::Set(it) => matches!(it, Set::Moved(_) | Set::At(..) | Set::Legal(_)),
            Part::Number(it) => matches!(
                it,
                Number::Sequence(_)
                    | Number::FindAll { .. }
                    | Number::At(..)
                    | Number::CountMoves(_)
            ),
            Part::Truth(it) => {
                matches!(
                    it,
                    Truth::Moved(_) | Truth::At(..) | Truth::Find { .. } | Truth::Assign(..)
                )
            }
        })
    }

    /// The variables that looking at it may set.
    pub fn assigns(&self) -> Vec<usize> {
        let mut variables = Vec::new();
        assigned(Part::Truth(self), &mut variables);
        variables
    }

    /// Whether it costs no more than looking it up would.
    pub(crate) fn is_trivial(&self) -> bool {
        self.cost() <= 4
    }

    /// Roughly what it costs to look at, in nanoseconds.
    pub(crate) fn cost(&self) -> u32 {
        match self {
            Truth::Always(_) | Truth::Turn(_) | Truth::Initial | Truth::Terminal => 1,
            Truth::Mate | Truth::Stalemate | Truth::Result(_) => 1,
            Truth::Some(set) => set.cost() + 1,
            Truth::Has(number) => number.cost() + 1,
            // The first of them usually fails.
            Truth::All(all) => 1 + all.first().map_or(0, Truth::cost) + all.len() as u32,
            Truth::Any(all) | Truth::AnyOfAll(all) => all.iter().map(Truth::cost).sum::<u32>() + 1,
            Truth::Not(it) | Truth::At(_, it) | Truth::Once(_, it) => it.cost() + 1,
            Truth::Compare(one, _, two) => one.cost() + two.cost() + 1,
            Truth::Equal(one, two) => one.cost() + two.cost() + 1,
            Truth::Check => 20,
            Truth::Tag(..) => 10,
            Truth::Moved(motion) => motion.cost(),
            Truth::Every(each) => each.cost(),
            Truth::Find { what, .. } => 60 * what.cost(),
            Truth::Assign(..) | Truth::Comment(_) => 5,
        }
    }
}

impl Set {
    /// Whether a piece stands on every member.
    pub(crate) fn has_only_pieces(&self) -> bool {
        match self {
            Set::Pieces(kinds, _) => !kinds.meets(Kinds::EMPTY),
            Set::Union(all) => all.iter().all(Set::has_only_pieces),
            Set::Intersection(all) => all.iter().any(Set::has_only_pieces),
            _ => false,
        }
    }

    fn cost(&self) -> u32 {
        match self {
            Set::Squares(_) | Set::Variable(_) | Set::Piece(_) => 1,
            Set::Pieces(kinds, _) => 1 + kinds.0.count_ones() / 2,
            Set::Union(all) | Set::Intersection(all) => all.iter().map(Set::cost).sum::<u32>() + 1,
            Set::Complement(it) | Set::At(_, it) => it.cost() + 1,
            Set::Attacks(one, two) | Set::AttackedBy(one, two) => one.cost() + two.cost() + 30,
            Set::Direction(_, _, _, it) => it.cost() + 20,
            Set::Ray(ray) => ray.sets.iter().map(Set::cost).sum::<u32>() + 60,
            Set::Between(one, two) => one.cost() + two.cost() + 40,
            Set::Pin(_) => 80,
            Set::Pawns(_) => 12,
            Set::Each(each) => each.cost(),
            Set::Legal(motion) | Set::Moved(motion) => motion.cost(),
            Set::If(truth, set) => truth.cost() + set.cost(),
        }
    }
}

impl Number {
    fn cost(&self) -> u32 {
        match self {
            Number::Integer(_) | Number::Ply | Number::MoveNumber | Number::Variable(_) => 1,
            Number::Year | Number::Elo(_) => 2,
            Number::Count(set) | Number::Rank(set) | Number::File(set) => set.cost() + 1,
            Number::Power(set) => set.cost() + 8,
            Number::Arithmetic(_, one, two) => one.cost() + two.cost() + 1,
            Number::Absolute(it) | Number::At(_, it) | Number::Sort(_, it) => it.cost() + 1,
            Number::Sequence(_) => 300,
            Number::FindAll { what, .. } => 60 * what.cost(),
            Number::CountMoves(_) => 400,
            Number::Greatest(all) => all.iter().map(Number::cost).sum::<u32>() + 1,
            Number::If(truth, number) => truth.cost() + number.cost(),
        }
    }
}

impl Each {
    fn cost(&self) -> u32 {
        self.within.cost() + 3 * self.body.cost()
    }
}

impl Motion {
    fn cost(&self) -> u32 {
        let sets = [&self.from, &self.to, &self.capture];
        let sets: u32 = sets.into_iter().flatten().map(Set::cost).sum();
        sets + if self.legal { 400 } else { 5 }
    }
}

/// Whether a part depends on variables other than those of the loops around it.
fn reads(part: Part<'_>, bound: &[usize]) -> bool {
    match part {
        Part::Set(Set::Variable(it) | Set::Piece(it)) => !bound.contains(it),
        Part::Number(Number::Variable(_) | Number::At(Place::Variable(_), _))
        | Part::Set(Set::At(Place::Variable(_), _))
        | Part::Truth(Truth::At(Place::Variable(_), _)) => true,
        Part::Set(Set::Each(each)) | Part::Truth(Truth::Every(each)) => {
            let inside = [bound, &[each.variable]].concat();
            reads(Part::Set(&each.within), bound) || reads(Part::Truth(&each.body), &inside)
        }
        _ => {
            let mut found = false;
            for_each_inner(part, &mut |it| found = found || reads(it, bound));
            found
        }
    }
}

fn assigned(part: Part<'_>, variables: &mut Vec<usize>) {
    if let Part::Truth(Truth::Assign(variable, _)) = part {
        variables.push(*variable);
    }
    for_each_inner(part, &mut |it| assigned(it, variables));
}

/// Whether a part, or one within it, is so.
fn has(part: Part<'_>, is: &dyn Fn(Part<'_>) -> bool) -> bool {
    if is(part) {
        return true;
    }
    let mut found = false;
    for_each_inner(part, &mut |it| found = found || has(it, is));
    found
}

fn for_each_inner<'a>(part: Part<'a>, visit: &mut dyn FnMut(Part<'a>)) {
    match part {
        Part::Set(set) => in_set(set, visit),
        Part::Number(number) => in_number(number, visit),
        Part::Truth(truth) => in_truth(truth, visit),
    }
}

fn in_set<'a>(set: &'a Set, visit: &mut dyn FnMut(Part<'a>)) {
    match set {
        Set::Squares(_) | Set::Pieces(..) | Set::Variable(_) | Set::Piece(_) | Set::Pawns(_) => {}
        Set::Union(all) | Set::Intersection(all) => all.iter().for_each(|it| visit(Part::Set(it))),
        Set::Complement(it) | Set::At(_, it) | Set::Direction(_, _, _, it) => visit(Part::Set(it)),
        Set::Attacks(one, two) | Set::AttackedBy(one, two) | Set::Between(one, two) => {
            visit(Part::Set(one));
            visit(Part::Set(two));
        }
        Set::Ray(ray) => {
            let Ray { sets, .. } = &**ray;
            sets.iter().for_each(|it| visit(Part::Set(it)));
        }
        Set::Pin(pin) => {
            let parts = [&pin.from, &pin.through, &pin.to];
            parts
                .into_iter()
                .flatten()
                .for_each(|it| visit(Part::Set(it)));
        }
        Set::Each(each) => in_each(each, visit),
        Set::Legal(motion) | Set::Moved(motion) => in_motion(motion, visit),
        Set::If(truth, set) => {
            visit(Part::Truth(truth));
            visit(Part::Set(set));
        }
    }
}

fn in_number<'a>(number: &'a Number, visit: &mut dyn FnMut(Part<'a>)) {
    match number {
        Number::Integer(_)
        | Number::Ply
        | Number::MoveNumber
        | Number::Year
        | Number::Elo(_)
        | Number::Variable(_) => {}
        Number::Count(set) | Number::Power(set) | Number::Rank(set) | Number::File(set) => {
            visit(Part::Set(set));
        }
        Number::Arithmetic(_, one, two) => {
            visit(Part::Number(one));
            visit(Part::Number(two));
        }
        Number::Absolute(it) | Number::At(_, it) | Number::Sort(_, it) => visit(Part::Number(it)),
        Number::Sequence(sequence) => in_sequence(sequence, visit),
        Number::FindAll { what, .. } => visit(Part::Truth(what)),
        Number::CountMoves(motion) => in_motion(motion, visit),
        Number::Greatest(all) => all.iter().for_each(|it| visit(Part::Number(it))),
        Number::If(truth, number) => {
            visit(Part::Truth(truth));
            visit(Part::Number(number));
        }
    }
}

fn in_truth<'a>(truth: &'a Truth, visit: &mut dyn FnMut(Part<'a>)) {
    match truth {
        Truth::Always(_)
        | Truth::Turn(_)
        | Truth::Check
        | Truth::Mate
        | Truth::Stalemate
        | Truth::Initial
        | Truth::Terminal
        | Truth::Tag(..)
        | Truth::Result(_) => {}
        Truth::Some(set) => visit(Part::Set(set)),
        Truth::Has(number) => visit(Part::Number(number)),
        Truth::All(all) | Truth::Any(all) | Truth::AnyOfAll(all) => {
            all.iter().for_each(|it| visit(Part::Truth(it)));
        }
        Truth::Not(it) | Truth::At(_, it) | Truth::Once(_, it) => visit(Part::Truth(it)),
        Truth::Find { what, .. } => visit(Part::Truth(what)),
        Truth::Compare(one, _, two) => {
            visit(Part::Number(one));
            visit(Part::Number(two));
        }
        Truth::Equal(one, two) => {
            visit(Part::Set(one));
            visit(Part::Set(two));
        }
        Truth::Moved(motion) => in_motion(motion, visit),
        Truth::Every(each) => in_each(each, visit),
        Truth::Assign(_, value) => match &**value {
            Value::Set(it) | Value::Piece(it) => visit(Part::Set(it)),
            Value::Number(it) => visit(Part::Number(it)),
            Value::Truth(it) => visit(Part::Truth(it)),
            Value::Position(crate::program::PositionOf::End(it)) => in_sequence(it, visit),
            Value::Position(_) => {}
        },
        Truth::Comment(words) => {
            for word in words {
                match word {
                    Words::Text(_) => {}
                    Words::Set(it) => visit(Part::Set(it)),
                    Words::Number(it) => visit(Part::Number(it)),
                }
            }
        }
    }
}

fn in_each<'a>(each: &'a Each, visit: &mut dyn FnMut(Part<'a>)) {
    visit(Part::Set(&each.within));
    visit(Part::Truth(&each.body));
}

fn in_motion<'a>(motion: &'a Motion, visit: &mut dyn FnMut(Part<'a>)) {
    let sets = [&motion.from, &motion.to, &motion.capture];
    sets.into_iter()
        .flatten()
        .for_each(|it| visit(Part::Set(it)));
    if let Some(after) = &motion.after {
        visit(Part::Truth(after));
    }
}

fn in_sequence<'a>(sequence: &'a Sequence, visit: &mut dyn FnMut(Part<'a>)) {
    if let Some(focus) = &sequence.focus {
        visit(Part::Set(focus));
    }
    in_elements(&sequence.elements, visit);
}

fn in_elements<'a>(elements: &'a [Element], visit: &mut dyn FnMut(Part<'a>)) {
    for element in elements {
        match element {
            Element::Step(truth) | Element::Here(truth) => visit(Part::Truth(truth)),
            Element::Move(motion) => in_motion(motion, visit),
            Element::Group(elements, _) => in_elements(elements, visit),
        }
    }
}

impl crate::program::Program {
    /// Whether it asks nothing of a game but one position.
    pub fn is_of_one_position(&self) -> bool {
        !has(Part::Truth(&self.root), &|part| match part {
            Part::Set(it) => matches!(it, Set::Moved(_) | Set::At(..) | Set::Legal(_)),
            Part::Number(it) => matches!(
                it,
                Number::Sequence(_)
                    | Number::FindAll { .. }
                    | Number::At(..)
                    | Number::Ply
                    | Number::MoveNumber
                    | Number::Year
                    | Number::Elo(_)
            ),
            Part::Truth(it) => matches!(
                it,
                Truth::Moved(_)
                    | Truth::At(..)
                    | Truth::Find { .. }
                    | Truth::Initial
                    | Truth::Terminal
                    | Truth::Tag(..)
                    | Truth::Result(_)
            ),
        })
    }
}

/// Whether a part leaves something behind for later positions: a value to sort by, or a ban.
fn lasts(part: Part<'_>) -> bool {
    match part {
        Part::Number(Number::Sort(..)) => true,
        Part::Number(Number::Sequence(it)) => it.nest_ban.is_some(),
        _ => false,
    }
}

impl Truth {
    /// What holds wherever looking at this leaves something behind for later positions; `None` if it never does.
    pub fn effect(&self) -> Option<Truth> {
        if !has(Part::Truth(self), &lasts) {
            return None;
        }
        match self {
            Truth::All(all) => {
                let first = all.iter().position(|it| has(Part::Truth(it), &lasts))?;
                let mut before = all[..first].to_vec();
                before.extend(all[first].effect());
                Some(Truth::All(before))
            }
            Truth::Any(any) | Truth::AnyOfAll(any) => {
                Some(Truth::Any(any.iter().filter_map(Truth::effect).collect()))
            }
            Truth::Not(it) => it.effect(),
            Truth::Has(Number::If(before, _)) if before.effect().is_some() => before.effect(),
            Truth::Has(Number::If(before, it)) => {
                let after = Truth::Has((**it).clone()).effect();
                Some(Truth::All(
                    [Some((**before).clone()), after]
                        .into_iter()
                        .flatten()
                        .collect(),
                ))
            }
            // A ban begins only where the line matches.
            Truth::Has(Number::Sequence(_)) => Some(self.clone()),
            Truth::Compare(Number::Sequence(it), _, Number::Integer(_)) => {
                Some(Truth::Has(Number::Sequence(it.clone())))
            }
            _ => Some(Truth::Always(true)),
        }
    }
}
