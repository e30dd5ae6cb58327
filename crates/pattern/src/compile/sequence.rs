//! Lines, paths, and what is found elsewhere in a game.

use super::{Compiled, Compiler};
use crate::{
    program::{Element, Number, PositionOf, Sequence, Truth, Value},
    syntax::{self, Constituent, Filter, Repeat, Step, StepKind, Times},
};

impl Compiler {
    pub(super) fn find(&mut self, backward: bool, times: Times, what: &Filter) -> Compiled<Value> {
        let what = self.truth(what)?;
        let what = Box::new(self.once(what));
        Ok(match times {
            Times::All => Value::Number(Number::FindAll { backward, what }),
            Times::Any => Value::Truth(Truth::Find {
                backward,
                times: None,
                what,
            }),
            Times::Within(least, most) => Value::Truth(Truth::Find {
                backward,
                times: Some((least, most)),
                what,
            }),
        })
    }

    /// Looks at a filter only once for each position, if that makes no difference.
    fn once(&mut self, truth: Truth) -> Truth {
        if truth.is_trivial() || !truth.is_pure() || truth.reads_variables() {
            return truth;
        }
        self.once += 1;
        Truth::Once(self.once - 1, Box::new(truth))
    }

    pub(super) fn line(&mut self, line: &syntax::Line) -> Compiled<Value> {
        let sequence = Sequence {
            backward: line.backward,
            stride: if line.single_color { 2 } else { 1 },
            counts_positions: true,
            length: line.length,
            nest_ban: line.nest_ban.then(|| self.new_nest_ban()),
            shortest: line.first_match,
            focus: None,
            elements: self.steps(&line.steps)?,
        };
        Ok(sequence_value(sequence, line.last_position))
    }

    fn new_nest_ban(&mut self) -> usize {
        self.nest_bans += 1;
        self.nest_bans - 1
    }

    fn steps(&mut self, steps: &[Step]) -> Compiled<Vec<Element>> {
        let each = steps.iter().map(|step| {
            Ok(match &step.what {
                StepKind::Filter(filter) => {
                    let truth = self.truth(filter)?;
                    repeated(vec![Element::Step(self.once(truth))], step.repeat)
                }
                StepKind::Group(steps) => Element::Group(self.steps(steps)?, step.repeat),
            })
        });
        each.collect()
    }

    pub(super) fn path(&mut self, path: &syntax::Path) -> Compiled<Value> {
        let sequence = Sequence {
            backward: false,
            stride: 1,
            counts_positions: false,
            length: None,
            nest_ban: path.nest_ban.then(|| self.new_nest_ban()),
            shortest: path.first_match,
            focus: path.focus.as_ref().map(|it| self.set(it)).transpose()?,
            elements: self.constituents(&path.parts)?,
        };
        Ok(sequence_value(sequence, path.last_position))
    }

    fn constituents(&mut self, parts: &[Constituent]) -> Compiled<Vec<Element>> {
        let each = parts.iter().map(|part| {
            Ok(match part {
                Constituent::Filter(filter) => {
                    let truth = self.truth(filter)?;
                    Element::Here(self.once(truth))
                }
                Constituent::Move(mv, filters, repeat) => {
                    let mut elements = vec![Element::Move(self.dash(mv)?)];
                    for filter in filters {
                        elements.push(Element::Here(self.truth(filter)?));
                    }
                    repeated(elements, *repeat)
                }
                Constituent::Group(parts, repeat) => {
                    Element::Group(self.constituents(parts)?, *repeat)
                }
            })
        });
        each.collect()
    }
}

/// Whether there is such a position: a line or path must have a way to its end.
pub(super) fn is_there(position: PositionOf) -> Truth {
    match position {
        PositionOf::End(sequence) => Truth::Has(Number::Sequence(sequence)),
        PositionOf::Here | PositionOf::Variable(_) => Truth::Always(true),
    }
}

fn sequence_value(sequence: Sequence, last_position: bool) -> Value {
    let sequence = Box::new(sequence);
    match last_position {
        true => Value::Position(PositionOf::End(sequence)),
        false => Value::Number(Number::Sequence(sequence)),
    }
}

fn repeated(mut elements: Vec<Element>, repeat: Repeat) -> Element {
    if repeat == Repeat::ONCE && elements.len() == 1 {
        return elements.remove(0);
    }
    Element::Group(elements, repeat)
}
