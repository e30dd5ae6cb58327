//! Variables and loops over them.

use super::{Compiled, Compiler, wrong_kind};
use crate::{
    error::PatternError,
    program::{Each, Number, PositionOf, Set, Truth, Value},
    syntax::{Filter, Kinds, Span},
};

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Set,
    Piece,
    Number,
    Position,
}

impl Compiler {
    pub(super) fn variable(&mut self, name: &str, span: Span) -> Compiled<Value> {
        let Some(&(kind, place)) = self.names.get(name) else {
            return Err(self.unknown(name, span));
        };
        Ok(match kind {
            Kind::Set => Value::Set(Set::Variable(place)),
            Kind::Piece => Value::Piece(Set::Piece(place)),
            Kind::Number => Value::Number(Number::Variable(place)),
            Kind::Position => Value::Position(PositionOf::Variable(place)),
        })
    }

    pub(super) fn unknown(&self, name: &str, span: Span) -> PatternError {
        let message = format!("\"{name}\" is neither a word of the language nor a variable");
        let error = PatternError::new(span, message);
        let mut letters = name.chars();
        let is_piece = |it: char| Kinds::from_letter(it).is_some();
        let first = letters.next().is_some_and(is_piece);
        let second = letters.next();
        match second {
            Some(file @ 'a'..='h') if first && name.len() == 2 => {
                let piece = &name[..1];
                error.hint(format!("write {piece}{file}1-8 for a file"))
            }
            Some(rank @ '1'..='8') if first && name.len() == 2 => {
                let piece = &name[..1];
                error.hint(format!("write {piece}a-h{rank} for a rank"))
            }
            _ if name.chars().all(is_piece) => {
                error.hint(format!("write [{name}] for several kinds of pieces"))
            }
            _ => {
                let mut names: Vec<&str> = self.names.keys().map(String::as_str).collect();
                names.sort_unstable();
                match crate::word::suggestion(name, names) {
                    Some(word) => error.hint(format!("did you mean {word}?")),
                    None => error.hint(format!("set a variable with {name}=…")),
                }
            }
        }
    }

    /// A place for a variable, the same if it has one of this kind already.
    fn declare(&mut self, name: &str, kind: Kind, span: Span) -> Compiled<usize> {
        let next = self.variables;
        let &mut (known, place) = self.names.entry(name.to_owned()).or_insert((kind, next));
        self.variables += usize::from(place == next);
        if known != kind {
            let message = format!("\"{name}\" already stands for something of another kind");
            return Err(PatternError::new(span, message));
        }
        Ok(place)
    }

    pub(super) fn each(
        &mut self,
        piece: bool,
        all: bool,
        name: &str,
        within: &Filter,
        body: &Filter,
        span: Span,
    ) -> Compiled<Value> {
        let within = self.set(within)?;
        let kind = if piece { Kind::Piece } else { Kind::Set };
        // The name stands for the loop's variable within it, whatever it stands for outside.
        let outside = self.names.remove(name);
        let variable = self.declare(name, kind, span)?;
        let body = self.truth(body)?;
        self.names.remove(name);
        self.names.extend(outside.map(|it| (name.to_owned(), it)));
        // Where nothing is asked of other positions, a piece is its square.
        let each = Box::new(Each {
            variable,
            piece: piece && (body.looks_elsewhere() || !within.has_only_pieces()),
            within,
            body,
        });
        Ok(match all {
            true => Value::Truth(Truth::Every(each)),
            false => Value::Set(Set::Each(each)),
        })
    }

    pub(super) fn assign(
        &mut self,
        piece: bool,
        name: &str,
        value: &Filter,
        span: Span,
    ) -> Compiled<Value> {
        let (kind, value) = match self.value(value)? {
            Value::Set(set) | Value::Piece(set) if piece => (Kind::Piece, Value::Piece(set)),
            Value::Set(set) | Value::Piece(set) => (Kind::Set, Value::Set(set)),
            other if piece => return Err(wrong_kind(value.span, "a set of squares", &other)),
            Value::Number(number) => (Kind::Number, Value::Number(number)),
            Value::Position(position) => (Kind::Position, Value::Position(position)),
            other => {
                return Err(wrong_kind(
                    value.span,
                    "a set, a number or a position",
                    &other,
                ));
            }
        };
        let place = self.declare(name, kind, span)?;
        Ok(Value::Truth(Truth::Assign(place, value.into())))
    }
}
