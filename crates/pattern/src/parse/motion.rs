//! Moves: the dash form and the word `move`.

use super::{Parsed, Parser};
use crate::{
    error::PatternError,
    syntax::{DashMove, Filter, Kinds, MoveFilter, MovePart, Node},
    token::Token,
};

impl Parser<'_> {
    /// A move from its dash on; what moves is known.
    pub(super) fn dash_move(&mut self, from: Option<Filter>) -> Parsed<DashMove> {
        let captures = self.take(Token::Capture);
        if !captures {
            self.expect(Token::Dash, "\"--\" or \"[x]\"")?;
        }
        let mut mv = DashMove {
            captures,
            from,
            to: None,
            promotion: None,
            after: None,
        };
        if self.is_adjacent() && self.begins_a_set() {
            mv.to = Some(self.unary()?);
        }
        if self.is_adjacent() && self.take(Token::Assign) {
            mv.promotion = Some(self.promotion()?);
        }
        if self.is_adjacent() && self.peek() == Some(Token::Open) {
            self.at += 1;
            let in_step = std::mem::take(&mut self.in_step);
            let begin = self.span();
            let filters = self.filters()?;
            self.in_step = in_step;
            self.expect(Token::Close, "\")\"")?;
            mv.after = Some(Parser::all_of(filters, begin.to(self.last_span())));
        }
        Ok(mv)
    }

    /// Whether the next token begins the right side of a dash.
    fn begins_a_set(&self) -> bool {
        use Token::{AnySquare, Complement, Designator, OpenBlock, Word};
        matches!(
            self.peek(),
            Some(Designator | AnySquare | OpenBlock | Complement | Word)
        )
    }

    fn promotion(&mut self) -> Parsed<Kinds> {
        let begin = self.span();
        let piece = self.primary()?;
        match piece.node {
            Node::Designator(it) if it.squares.is_empty() && it.pieces.is_some() => {
                Ok(it.pieces.unwrap_or_default())
            }
            _ => {
                let message = "expected the piece that a pawn becomes, such as N or [RBN]";
                Err(PatternError::new(begin, message))
            }
        }
    }

    /// A move in dash form and nothing else.
    pub(super) fn only_dash(&mut self, wanted: &str) -> Parsed<DashMove> {
        let begin = self.span();
        let error = PatternError::new(begin, format!("expected {wanted}"));
        if self.peek().is_none() {
            return Err(error);
        }
        match self.dash()?.node {
            Node::Dash(mv) => Ok(*mv),
            _ => Err(error.hint("write the dash without spaces around it")),
        }
    }

    pub(super) fn move_filter(&mut self) -> Parsed<MoveFilter> {
        let begin = self.last_span();
        let mut mv = MoveFilter::default();
        loop {
            if let Some(castle) = self.castle() {
                mv.castle = Some(castle);
                continue;
            }
            let part = match self.word() {
                Some("from") => Some(MovePart::From),
                Some("to") => Some(MovePart::To),
                Some("capture") => Some(MovePart::Capture),
                Some("previous") => {
                    mv.previous = true;
                    None
                }
                Some("legal") => {
                    mv.legal = true;
                    None
                }
                Some("enpassant") => {
                    mv.en_passant = true;
                    None
                }
                Some("promote") => {
                    self.at += 1;
                    mv.promotion = Some(self.promotion()?);
                    continue;
                }
                _ => break,
            };
            self.at += 1;
            if let Some(part) = part {
                mv.parts.push((part, self.unary()?));
            }
        }
        let span = begin.to(self.last_span());
        let captures = mv.parts.iter().any(|it| it.0 == MovePart::Capture);
        if mv.legal && (captures || mv.promotion.is_some()) {
            let message = "move legal takes from and to, but neither capture nor promote";
            return Err(PatternError::new(span, message));
        }
        if mv.legal && mv.previous {
            let message = "a move is either legal or previous";
            return Err(PatternError::new(span, message));
        }
        Ok(mv)
    }
}
