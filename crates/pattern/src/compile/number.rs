//! Numbers and comparisons.

use super::{Compiled, Compiler, wrong_kind};
use crate::{
    error::PatternError,
    program::{Number, SortKey, Truth, Value},
    syntax::{self, Comparison, Filter, Node, Span},
};

impl Compiler {
    /// A number, or a set that is counted.
    pub(super) fn counted(&mut self, filter: &Filter) -> Compiled<Number> {
        match self.value(filter)? {
            Value::Number(number) => Ok(number),
            Value::Set(set) | Value::Piece(set) => Ok(Number::Count(set)),
            other => Err(wrong_kind(filter.span, "a number", &other)),
        }
    }

    pub(super) fn arithmetic(
        &mut self,
        operator: syntax::Operator,
        one: &Filter,
        two: &Filter,
        span: Span,
    ) -> Compiled<Value> {
        if let (Node::Designator(left), Node::Designator(right)) = (&one.node, &two.node)
            && let ([left_square], [right_square]) = (&left.squares[..], &right.squares[..])
            && right.pieces.is_none()
        {
            let error = PatternError::new(span, "this is not a range of squares");
            let corner = |it: &syntax::Rectangle| it.to_string();
            let (from, to) = (corner(left_square), corner(right_square));
            return Err(match (from.len(), to.len()) {
                (2, 2) => error.hint(format!(
                    "write {}-{}{}-{}",
                    &from[..1],
                    &to[..1],
                    &from[1..],
                    &to[1..]
                )),
                _ => error,
            });
        }
        let (one, two) = (self.number(one)?, self.number(two)?);
        Ok(Value::Number(Number::Arithmetic(
            operator,
            one.into(),
            two.into(),
        )))
    }

    pub(super) fn sort(
        &mut self,
        least: bool,
        label: &str,
        value: &Filter,
        span: Span,
    ) -> Compiled<Value> {
        let number = self.counted(value)?;
        // Variants of one filter share its key.
        let known = self.sorts.iter().position(|it| it.0 == span.begin);
        let place = known.unwrap_or(self.sorts.len());
        if known.is_none() {
            let label = label.to_owned();
            self.sorts.push((span.begin, SortKey { label, least }));
        }
        Ok(Value::Number(Number::Sort(place, number.into())))
    }

    pub(super) fn compare(
        &mut self,
        first: &Filter,
        rest: &[(Comparison, Filter)],
    ) -> Compiled<Truth> {
        let mut truths = Vec::new();
        let mut left = first;
        for (comparison, right) in rest {
            truths.push(self.compare_two(left, *comparison, right)?);
            left = right;
        }
        Ok(match truths.len() {
            1 => truths.remove(0),
            _ => Truth::All(truths),
        })
    }

    fn compare_two(&mut self, one: &Filter, by: Comparison, two: &Filter) -> Compiled<Truth> {
        let span = one.span.to(two.span);
        let count = |it: Value| match it {
            Value::Set(set) | Value::Piece(set) => Some(Number::Count(set)),
            Value::Number(number) => Some(number),
            _ => None,
        };
        let (left, right) = (self.value(one)?, self.value(two)?);
        match (left, right) {
            (Value::Set(left) | Value::Piece(left), Value::Set(right) | Value::Piece(right)) => {
                match by {
                    Comparison::Equal => Ok(Truth::Equal(left, right)),
                    Comparison::NotEqual => Ok(Truth::Not(Truth::Equal(left, right).into())),
                    _ => {
                        let message = "sets have no order";
                        let error = PatternError::new(span, message);
                        Err(error.hint("count both sides with #"))
                    }
                }
            }
            (left, right) => {
                let kinds = (left.kind(), right.kind());
                match (count(left), count(right)) {
                    (Some(left), Some(right)) => Ok(Truth::Compare(left, by, right)),
                    _ => {
                        let message = format!("{} and {} cannot be compared", kinds.0, kinds.1);
                        Err(PatternError::new(span, message))
                    }
                }
            }
        }
    }
}
