//! What is wrong with a query, and where.

use std::fmt;

use crate::syntax::Span;

/// A query that is not one: the place, the reason, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    span: Span,
    /// Line and column, counted from one, once the text is known.
    place: Option<(usize, usize)>,
    message: String,
    hint: Option<String>,
}

impl PatternError {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> PatternError {
        PatternError {
            span,
            place: None,
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> PatternError {
        PatternError {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// The error with its line and column in a text.
    pub(crate) fn within(mut self, text: &str) -> PatternError {
        let mut end = self.span.begin.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |it| it + 1);
        self.place = Some((line, before[start..].chars().count() + 1));
        self
    }

    /// The bytes of the query that are wrong.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The line of the query, counted from one.
    pub fn line(&self) -> usize {
        self.place.map_or(1, |it| it.0)
    }

    /// The column in that line, counted from one.
    pub fn column(&self) -> usize {
        self.place.map_or(self.span.begin + 1, |it| it.1)
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line() > 1 {
            write!(f, "line {}, ", self.line())?;
        }
        write!(f, "column {}: {}", self.column(), self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for PatternError {}
