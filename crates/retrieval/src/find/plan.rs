//! From a program to a clue.

mod motion;
mod number;
mod set;

use tabiya_pattern::{
    program::{Number, Place, Truth, Value},
    syntax::{Comparison, Kinds},
};

pub(super) use self::motion::about_to_promote;
use self::number::{never_fails, opposite};
use super::clue::{Clue, Measure, Members, UNBOUNDED};

/// The clue of a filter.
pub(crate) fn plan(truth: &Truth) -> Clue {
    Planner::default().truth(truth)
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
}

/// A king is attacked.
fn check() -> Clue {
    let attacked = |side: Kinds, by: Kinds| {
        Clue::some(Members {
            by: Some(by),
            ..Members::of(Kinds::KINGS & side)
        })
    };
    Clue::or([
        attacked(Kinds::WHITE, Kinds::BLACK),
        attacked(Kinds::BLACK, Kinds::WHITE),
    ])
}
