//! From a program to a clue.

use shakmaty::{Bitboard, Rank};
use tabiya_pattern::{
    program::{Each, Element, Motion, Number, Pin, Place, Ray, Sequence, Set, Truth, Value},
    syntax::{Castle, Comparison, Direction, Kinds, Operator, PinPart},
};

use super::clue::{Clue, Measure, Members, UNBOUNDED, relations};
use crate::term::Family;

const PAWNS: Kinds = Kinds(1 | 1 << 6);
const KINGS: Kinds = Kinds(1 << 5 | 1 << 11);
const PIECES: Kinds = Kinds(0xfff);

/// The clue of a filter.
pub(crate) fn plan(truth: &Truth) -> Clue {
    Planner::default().truth(truth)
}

/// What is known of a set: its members, and what must be the case for it to have any.
#[derive(Clone, Debug)]
struct Bound {
    members: Members,
    clue: Clue,
}

impl Bound {
    fn any() -> Bound {
        Bound {
            members: Members::ANY,
            clue: Clue::All,
        }
    }

    /// What must be the case for the set to have members.
    fn some(self) -> Clue {
        Clue::and([Clue::some(self.members), self.clue])
    }
}

#[derive(Debug, Default)]
struct Planner {
    /// What is known of variables here, at this position.
    variables: Vec<(usize, Members)>,
}

impl Planner {
    /// Looks at something at other positions, where less is known of variables.
    fn elsewhere<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let here = std::mem::take(&mut self.variables);
        let found = look(self);
        self.variables = here;
        found
    }

    fn near(&mut self, from: i64, to: i64, truth: &Truth) -> Clue {
        let clue = match (from, to) {
            (0, 0) => self.truth(truth),
            _ => self.elsewhere(|it| it.truth(truth)),
        };
        Clue::near(from, to, clue)
    }

    fn at(&mut self, place: Place, clue: Clue) -> Clue {
        match place {
            Place::Parent => Clue::near(-1, -1, clue),
            Place::Child => Clue::near(1, 1, clue),
            Place::First => match clue {
                Clue::All | Clue::None => clue,
                clue => Clue::AtFirst(Box::new(clue)),
            },
            Place::Variable(_) => Clue::All,
        }
    }

    fn truth(&mut self, truth: &Truth) -> Clue {
        let known = self.variables.len();
        let in_order = matches!(truth, Truth::All(_) | Truth::Any(_) | Truth::AnyOfAll(_));
        if !in_order {
            // One part of it may set what another reads.
            self.forget(truth);
        }
        let clue = self.clue_of(truth);
        self.variables.truncate(known);
        clue
    }

    fn clue_of(&mut self, truth: &Truth) -> Clue {
        match truth {
            Truth::Always(true) | Truth::Turn(_) | Truth::Equal(..) | Truth::Every(_) => Clue::All,
            Truth::Always(false) => Clue::None,
            Truth::Some(set) => self.set(set).some(),
            Truth::Has(number) => self.number(number),
            Truth::All(all) => self.all(all),
            Truth::Any(any) | Truth::AnyOfAll(any) => {
                let clue = |it| {
                    let clue = self.truth(it);
                    // One that fails may have set variables before.
                    self.forget(it);
                    clue
                };
                let clues: Vec<Clue> = any.iter().map(clue).collect();
                Clue::or(clues)
            }
            Truth::Not(it) => self.not(it),
            Truth::Compare(one, by, two) => self.compare(one, *by, two),
            Truth::Check => check(),
            Truth::Mate => Clue::and([Clue::Last, check()]),
            Truth::Stalemate | Truth::Terminal => Clue::Last,
            Truth::Initial => Clue::First,
            Truth::Tag(..) | Truth::Result(_) => Clue::Game(truth.clone()),
            Truth::Moved(motion) => self.motion(motion),
            Truth::At(place, it) => {
                let clue = self.elsewhere(|this| this.truth(it));
                self.at(*place, clue)
            }
            Truth::Find {
                times: Some((0, _)),
                ..
            } => Clue::All,
            Truth::Find { backward, what, .. } => self.find(*backward, what),
            Truth::Assign(..) | Truth::Comment(_) => Clue::All,
            Truth::Once(_, it) => self.truth(it),
        }
    }

    fn find(&mut self, backward: bool, what: &Truth) -> Clue {
        match backward {
            true => self.elsewhere(|it| Clue::near(-UNBOUNDED, 0, it.truth(what))),
            false => self.elsewhere(|it| Clue::near(0, UNBOUNDED, it.truth(what))),
        }
    }

    /// Filters side by side: a variable that one sets is known to those after it.
    fn all(&mut self, all: &[Truth]) -> Clue {
        let known = self.variables.len();
        let mut clues = Vec::new();
        for truth in all {
            clues.push(self.truth(truth));
            self.learn(truth);
        }
        self.variables.truncate(known);
        Clue::and(clues)
    }

    /// Knows what variables a filter has set that holds.
    fn learn(&mut self, truth: &Truth) {
        match truth {
            Truth::Assign(variable, value) => {
                let members = match &**value {
                    Value::Set(set) => self.set(set).members,
                    _ => Members::ANY,
                };
                self.variables.push((*variable, members));
            }
            Truth::All(all) => all.iter().for_each(|it| self.learn(it)),
            _ => self.forget(truth),
        }
    }

    /// Knows nothing any more of the variables that a filter may set.
    fn forget(&mut self, truth: &Truth) {
        let set = truth.assigns().into_iter();
        self.variables.extend(set.map(|it| (it, Members::ANY)));
    }

    /// What a window must have for something not to hold.
    fn not(&mut self, truth: &Truth) -> Clue {
        match truth {
            Truth::Always(value) => self.truth(&Truth::Always(!value)),
            Truth::Not(it) => self.truth(it),
            Truth::Once(_, it) => self.not(it),
            Truth::Any(any) | Truth::AnyOfAll(any) => {
                let clues: Vec<Clue> = any.iter().map(|it| self.not(it)).collect();
                Clue::and(clues)
            }
            Truth::All(all) => {
                let clues: Vec<Clue> = all.iter().map(|it| self.not(it)).collect();
                Clue::or(clues)
            }
            Truth::Tag(..) | Truth::Result(_) => Clue::Game(Truth::Not(truth.clone().into())),
            Truth::Some(set) => match self.measure(&Number::Count(set.clone())) {
                Some(count) => Clue::Material(count, Comparison::Equal, Measure::Integer(0)),
                None => Clue::All,
            },
            // Numbers that are not there are neither less nor greater.
            Truth::Compare(one, by, two) if never_fails(one) && never_fails(two) => {
                self.compare(one, opposite(*by), two)
            }
            _ => Clue::All,
        }
    }

    fn compare(&mut self, one: &Number, by: Comparison, two: &Number) -> Clue {
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
    fn measure(&mut self, number: &Number) -> Option<Measure> {
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
                let kinds = Kinds(self.set(set).members.kinds.0 & PIECES.0);
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
    fn number(&mut self, number: &Number) -> Clue {
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

    fn set(&mut self, set: &Set) -> Bound {
        match set {
            Set::Squares(squares) => Bound {
                members: Members {
                    squares: *squares,
                    ..Members::ANY
                },
                clue: Clue::All,
            },
            Set::Pieces(kinds, squares) => Bound {
                members: Members {
                    kinds: *kinds,
                    squares: *squares,
                    by: None,
                },
                clue: Clue::All,
            },
            Set::Variable(variable) | Set::Piece(variable) => {
                let known = self.variables.iter().rev().find(|it| it.0 == *variable);
                Bound {
                    members: known.map_or(Members::ANY, |it| it.1),
                    clue: Clue::All,
                }
            }
            Set::Union(all) => self.union(all),
            Set::Intersection(all) => self.intersection(all),
            Set::Complement(it) => Bound {
                members: complement(it),
                clue: Clue::All,
            },
            Set::Attacks(one, two) => {
                let (one, two) = (self.set(one), self.set(two));
                let clue = attack(&one, &two);
                Bound {
                    members: Members {
                        kinds: Kinds(one.members.kinds.0 & PIECES.0),
                        ..one.members
                    },
                    clue: Clue::and([one.clue, two.clue, clue]),
                }
            }
            Set::AttackedBy(one, two) => {
                let (one, two) = (self.set(one), self.set(two));
                let clue = attack(&two, &one);
                let members = match one.members.may_be_empty() {
                    true => one.members,
                    false => Members {
                        by: Some(Kinds(two.members.kinds.0 & PIECES.0)),
                        ..one.members
                    },
                };
                Bound {
                    members,
                    clue: Clue::and([one.clue, two.some(), clue]),
                }
            }
            Set::Direction(direction, least, most, of) => {
                let of = self.set(of);
                let squares = spread(*direction, *least, *most, of.members.squares);
                Bound {
                    members: Members {
                        squares,
                        ..Members::ANY
                    },
                    clue: of.some(),
                }
            }
            Set::Ray(ray) => self.ray(ray),
            Set::Between(one, two) => {
                let clue = Clue::and([self.set(one).some(), self.set(two).some()]);
                Bound {
                    clue,
                    ..Bound::any()
                }
            }
            Set::Pin(pin) => self.pin(pin),
            Set::Pawns(_) => Bound {
                members: Members {
                    kinds: PAWNS,
                    ..Members::ANY
                },
                clue: Clue::All,
            },
            Set::Each(each) => self.each(each),
            Set::Legal(motion) => {
                let clue = self.motion(motion);
                let to = motion.to.as_ref().map(|it| self.set(it).members.squares);
                Bound {
                    members: Members {
                        squares: to.unwrap_or(Bitboard::FULL),
                        ..Members::ANY
                    },
                    clue,
                }
            }
            Set::Moved(motion) => Bound {
                clue: self.motion(motion),
                ..Bound::any()
            },
            Set::At(place, it) => {
                let bound = self.elsewhere(|this| this.set(it));
                let squares = bound.members.squares;
                Bound {
                    members: Members {
                        squares,
                        ..Members::ANY
                    },
                    clue: self.at(*place, bound.some()),
                }
            }
            Set::If(truth, set) => {
                let known = self.variables.len();
                let clue = self.truth(truth);
                self.learn(truth);
                let bound = self.set(set);
                self.variables.truncate(known);
                Bound {
                    clue: Clue::and([clue, bound.clue]),
                    ..bound
                }
            }
        }
    }

    fn union(&mut self, all: &[Set]) -> Bound {
        let bounds: Vec<Bound> = all.iter().map(|it| self.set(it)).collect();
        let kinds = bounds.iter().fold(0, |all, it| all | it.members.kinds.0);
        let squares = bounds
            .iter()
            .fold(Bitboard::EMPTY, |all, it| all | it.members.squares);
        let first = bounds.first().map(|it| it.members.by);
        let by = first.filter(|&first| bounds.iter().all(|it| it.members.by == first));
        Bound {
            members: Members {
                kinds: Kinds(kinds),
                squares,
                by: by.flatten(),
            },
            clue: Clue::or(bounds.into_iter().map(Bound::some)),
        }
    }

    fn intersection(&mut self, all: &[Set]) -> Bound {
        let mut common = Bound::any();
        let mut clues = Vec::new();
        for it in all {
            let bound = self.set(it);
            common.members.kinds.0 &= bound.members.kinds.0;
            common.members.squares &= bound.members.squares;
            common.members.by = common.members.by.or(bound.members.by);
            clues.push(bound.clue);
        }
        if common.members.may_be_empty() {
            common.members.by = None;
        }
        common.clue = Clue::and(clues);
        common
    }

    fn each(&mut self, each: &Each) -> Bound {
        let within = self.set(&each.within);
        let known = self.variables.len();
        self.variables.push((each.variable, within.members));
        // A round of the loop may set what the next one reads.
        self.forget(&each.body);
        let body = self.truth(&each.body);
        self.variables.truncate(known);
        Bound {
            clue: Clue::and([within.clue, body]),
            ..within
        }
    }

    fn ray(&mut self, ray: &Ray) -> Bound {
        let bounds: Vec<Bound> = ray.sets.iter().map(|it| self.set(it)).collect();
        let mut clues: Vec<Clue> = bounds.iter().map(|it| it.clone().some()).collect();
        if ray.attacks
            && let [first, middle @ .., last] = &bounds[..]
        {
            let next = middle.first().unwrap_or(last);
            if !next.members.may_be_empty() {
                clues.push(attack(first, next));
            }
            let through = middle.iter().any(|it| !it.members.may_be_empty());
            clues.extend(
                through
                    .then(|| seen_through(first.members, last.members))
                    .flatten(),
            );
        }
        let value = if ray.first {
            bounds.first()
        } else {
            bounds.last()
        };
        let members = value.map_or(Members::ANY, |it| it.members);
        let members = match ray.first {
            true => members,
            false => Members {
                by: None,
                ..members
            },
        };
        Bound {
            members,
            clue: Clue::and(clues),
        }
    }

    fn pin(&mut self, pin: &Pin) -> Bound {
        let mut part = |it: &Option<Set>, default: Kinds| match it {
            Some(set) => self.set(set),
            None => Bound {
                members: Members {
                    kinds: default,
                    ..Members::ANY
                },
                clue: Clue::All,
            },
        };
        let (from, through, to) = (
            part(&pin.from, PIECES),
            part(&pin.through, PIECES),
            part(&pin.to, KINGS),
        );
        let each = [Kinds::WHITE, Kinds::BLACK].map(|color| {
            let of = |it: &Bound, color: Kinds| Members {
                kinds: Kinds(it.members.kinds.0 & color.0),
                ..it.members
            };
            let pinner = Bound {
                members: of(&from, color),
                clue: Clue::All,
            };
            let pinned = Bound {
                members: of(&through, color.swapped()),
                clue: Clue::All,
            };
            let mut clues = vec![attack(&pinner, &pinned)];
            if !to.members.may_be_empty() {
                clues.extend(seen_through(pinner.members, of(&to, color.swapped())));
            }
            Clue::and(clues)
        });
        let value = match pin.value {
            PinPart::From => &from,
            PinPart::Through => &through,
            PinPart::To => &to,
        };
        Bound {
            members: Members {
                by: None,
                ..value.members
            },
            clue: Clue::and([
                from.clue.clone(),
                through.clue.clone(),
                to.clue.clone(),
                Clue::or(each),
            ]),
        }
    }

    /// What a move leaves in the windows before and after it.
    fn motion(&mut self, motion: &Motion) -> Clue {
        if motion.previous {
            let motion = Motion {
                previous: false,
                ..motion.clone()
            };
            let clue = self.elsewhere(|it| it.motion(&motion));
            return Clue::near(-1, -1, clue);
        }
        let mut part = |it: &Option<Set>| it.as_ref().map(|it| self.set(it));
        let (from, to, capture) = (part(&motion.from), part(&motion.to), part(&motion.capture));
        let mut clues = Vec::new();
        let mover = from
            .as_ref()
            .map_or(PIECES, |it| Kinds(it.members.kinds.0 & PIECES.0));
        if let Some(from) = &from {
            let members = Members {
                kinds: mover,
                ..from.members
            };
            clues.push(Clue::and([Clue::some(members), from.clue.clone()]));
        }
        if motion.legal {
            let last_rank = Bitboard::from_rank(Rank::Eighth);
            let goes_last = to
                .as_ref()
                .is_some_and(|it| (it.members.squares & !last_rank).is_empty());
            if mover.0 & !1 == 0 && goes_last {
                clues.push(place(Kinds(1), Bitboard::from_rank(Rank::Seventh)));
            }
            return Clue::and(clues);
        }
        let promotes = mover.0 & PAWNS.0 != 0;
        // A pawn may stand there as another piece.
        let lands = if promotes { PIECES } else { mover };
        if let Some(to) = &to {
            clues.push(to.clue.clone());
            let landed = lands_on(mover, lands, to.members.squares);
            clues.push(Clue::near(1, 1, landed));
            if !to.members.may_be_empty() {
                clues.push(Clue::some(to.members));
            }
        }
        if let Some(capture) = capture {
            let victims = Members {
                kinds: Kinds(capture.members.kinds.0 & PIECES.0),
                ..capture.members
            };
            clues.push(Clue::and([Clue::some(victims), capture.clue]));
            // En passant, it lands elsewhere.
            if mover.0 & PAWNS.0 == 0 || victims.kinds.0 & PAWNS.0 == 0 {
                let landed = lands_on(mover, lands, victims.squares);
                clues.push(Clue::near(1, 1, landed));
            }
        }
        if motion.en_passant {
            let level = |rank| {
                let squares = Bitboard::from_rank(rank);
                Clue::and([place(Kinds(1), squares), place(Kinds(1 << 6), squares)])
            };
            clues.push(Clue::or([level(Rank::Fifth), level(Rank::Fourth)]));
        }
        if motion.promotion.is_some() {
            clues.push(about_to_promote());
        }
        if let Some(castle) = motion.castle {
            clues.push(Clue::near(1, 1, castled(castle)));
        }
        if let Some(after) = &motion.after {
            clues.push(self.near(1, 1, after));
        }
        Clue::and(clues)
    }

    fn sequence(&mut self, sequence: &Sequence) -> Clue {
        let mut clues = Vec::new();
        self.elements(&sequence.elements, sequence, (0, 0), &mut clues);
        Clue::and(clues)
    }

    /// Adds the clues of elements that begin between two distances. Returns where the next begins.
    fn elements(
        &mut self,
        elements: &[Element],
        sequence: &Sequence,
        mut at: (i64, i64),
        clues: &mut Vec<Clue>,
    ) -> (i64, i64) {
        for element in elements {
            at = self.element(element, sequence, at, clues);
        }
        at
    }

    fn element(
        &mut self,
        element: &Element,
        sequence: &Sequence,
        at: (i64, i64),
        clues: &mut Vec<Clue>,
    ) -> (i64, i64) {
        let after = |by: i64| ((at.0 + by).min(UNBOUNDED), (at.1 + by).min(UNBOUNDED));
        let range = match sequence.backward {
            true => (-at.1, -at.0),
            false => at,
        };
        match element {
            Element::Step(truth) => {
                clues.push(self.near(range.0, range.1, truth));
                after(sequence.stride as i64)
            }
            Element::Here(truth) => {
                clues.push(self.near(range.0, range.1, truth));
                at
            }
            Element::Move(motion) => {
                let clue = match range {
                    (0, 0) => self.motion(motion),
                    _ => self.elsewhere(|it| it.motion(motion)),
                };
                // Moves of pieces out of focus may come before.
                let skips = sequence.focus.is_some() && at != (0, 0);
                let latest = if skips { UNBOUNDED } else { at.1 };
                clues.push(Clue::near(at.0, latest, clue));
                (at.0 + 1, (latest + 1).min(UNBOUNDED))
            }
            Element::Group(elements, repeat) => {
                let mut inner = Vec::new();
                let end = self.elements(elements, sequence, at, &mut inner);
                let (least, most) = (end.0 - at.0, (end.1 - at.1).max(0));
                if repeat.least > 0 {
                    clues.extend(inner);
                }
                let times = |by: i64, times: u32| by.saturating_mul(times.into()).min(UNBOUNDED);
                let least = times(least, repeat.least);
                let most = match end.1 >= UNBOUNDED && repeat.most > 0 {
                    true => UNBOUNDED,
                    false => times(most, repeat.most),
                };
                ((at.0 + least).min(UNBOUNDED), (at.1 + most).min(UNBOUNDED))
            }
        }
    }
}

fn place(kinds: Kinds, squares: Bitboard) -> Clue {
    Clue::some(Members {
        kinds,
        squares,
        by: None,
    })
}

/// A pawn stands one step from promotion.
pub(crate) fn about_to_promote() -> Clue {
    let white = place(Kinds(1), Bitboard::from_rank(Rank::Seventh));
    let black = place(Kinds(1 << 6), Bitboard::from_rank(Rank::Second));
    Clue::or([white, black])
}

/// A piece of these came to one of these squares; pawns may have become another piece.
fn lands_on(mover: Kinds, lands: Kinds, squares: Bitboard) -> Clue {
    let ends = Bitboard::from_rank(Rank::First) | Bitboard::from_rank(Rank::Eighth);
    Clue::or([place(mover, squares), place(lands, squares & ends)])
}

fn castled(castle: Castle) -> Clue {
    let squares = match castle {
        Castle::Any => [6, 2, 62, 58].as_slice(),
        Castle::Short => &[6, 62],
        Castle::Long => &[2, 58],
    };
    let squares = squares.iter().fold(0, |all, it| all | 1u64 << it);
    place(KINGS, Bitboard(squares))
}

/// A king is attacked.
fn check() -> Clue {
    let attacked = |king: Kinds, by: Kinds| {
        Clue::some(Members {
            kinds: king,
            squares: Bitboard::FULL,
            by: Some(by),
        })
    };
    Clue::or([
        attacked(Kinds(1 << 5), Kinds::BLACK),
        attacked(Kinds(1 << 11), Kinds::WHITE),
    ])
}

/// A piece of one set attacks a square of another.
fn attack(actors: &Bound, targets: &Bound) -> Clue {
    let by = Kinds(actors.members.kinds.0 & PIECES.0);
    if by.0 == 0 {
        return Clue::None;
    }
    let relation = Clue::some(Members {
        by: Some(by),
        ..targets.members
    });
    if !targets.members.may_be_empty() {
        return relation;
    }
    // An empty square is attacked by what could move there, but for pawns.
    let few = targets.members.squares.count() <= 4;
    if few && by.0 & PAWNS.0 == 0 {
        return Clue::Reach(by, targets.members.squares);
    }
    Clue::some(actors.members_of(by))
}

impl Bound {
    fn members_of(&self, kinds: Kinds) -> Members {
        Members {
            kinds,
            ..self.members
        }
    }
}

/// A slider of one set looks through something at an enemy of another; `None` if the index cannot tell.
fn seen_through(actors: Members, targets: Members) -> Option<Clue> {
    let (white, black) = (Kinds::WHITE.0, Kinds::BLACK.0);
    let own = |color: u16| actors.kinds.0 & color != 0 && targets.kinds.0 & color != 0;
    if targets.may_be_empty() || own(white) || own(black) {
        return None;
    }
    let terms = relations(&[Family::Ray], actors.kinds, targets.kinds, targets.squares);
    Some(if terms.is_empty() {
        Clue::None
    } else {
        Clue::Terms(terms)
    })
}

fn spread(direction: Direction, least: u8, most: u8, squares: Bitboard) -> Bitboard {
    let mut all = Bitboard::EMPTY;
    for square in squares {
        for (file, rank) in direction.steps() {
            for distance in least..=most {
                let by =
                    |start: u32, step: i8| start as i32 + i32::from(step) * i32::from(distance);
                let (file, rank) = (
                    by(square.file().into(), file),
                    by(square.rank().into(), rank),
                );
                if (0..8).contains(&file) && (0..8).contains(&rank) {
                    all |= Bitboard(1 << (rank * 8 + file));
                }
            }
        }
    }
    all
}

/// What is known of the squares that are not in a set.
fn complement(set: &Set) -> Members {
    match set {
        Set::Squares(squares) => Members {
            squares: !*squares,
            ..Members::ANY
        },
        _ => match whole_kinds(set) {
            Some(kinds) => Members {
                kinds: Kinds(Kinds::ALL.0 & !kinds.0),
                ..Members::ANY
            },
            None => Members::ANY,
        },
    }
}

/// The kinds of a set that holds all pieces of some kinds and nothing else.
fn whole_kinds(set: &Set) -> Option<Kinds> {
    match set {
        Set::Pieces(kinds, Bitboard::FULL) => Some(*kinds),
        Set::Union(all) => {
            let kinds = all.iter().map(whole_kinds).collect::<Option<Vec<_>>>()?;
            Some(Kinds(kinds.iter().fold(0, |all, it| all | it.0)))
        }
        Set::Intersection(all) => {
            let kinds = all.iter().map(|it| match it {
                Set::Complement(inner) => whole_kinds(inner).map(|it| Kinds(Kinds::ALL.0 & !it.0)),
                other => whole_kinds(other),
            });
            let kinds = kinds.collect::<Option<Vec<_>>>()?;
            Some(Kinds(kinds.iter().fold(Kinds::ALL.0, |all, it| all & it.0)))
        }
        _ => None,
    }
}

/// Whether a set holds all pieces of the kinds that its members have.
fn is_all_pieces(set: &Set) -> bool {
    whole_kinds(set).is_some_and(|it| it.0 & Kinds::EMPTY.0 == 0)
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
fn never_fails(number: &Number) -> bool {
    match number {
        Number::Integer(_) | Number::Count(_) | Number::Power(_) => true,
        Number::Ply | Number::MoveNumber => true,
        Number::Arithmetic(Operator::Add | Operator::Subtract, one, two) => {
            never_fails(one) && never_fails(two)
        }
        _ => false,
    }
}

fn opposite(by: Comparison) -> Comparison {
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
