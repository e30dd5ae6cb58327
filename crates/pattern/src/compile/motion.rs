//! Moves.

use super::{Compiled, Compiler};
use crate::{
    error::PatternError,
    program::{Motion, Set, Truth, Value},
    syntax::{self, DashMove, Filter, MovePart, Span},
};

impl Compiler {
    pub(super) fn legal(&mut self, mv: &DashMove, span: Span) -> Compiled<Box<Motion>> {
        if mv.captures {
            let error = PatternError::new(span, "legal moves are written with --, not [x]");
            return Err(error);
        }
        let mut motion = self.dash(mv)?;
        motion.legal = true;
        Ok(motion)
    }

    pub(super) fn dash(&mut self, mv: &DashMove) -> Compiled<Box<Motion>> {
        let option =
            |this: &mut Self, it: &Option<Filter>| it.as_ref().map(|it| this.set(it)).transpose();
        let from = option(self, &mv.from)?;
        let right = option(self, &mv.to)?;
        let (to, capture) = if mv.captures {
            (None, right)
        } else {
            (right, None)
        };
        Ok(Box::new(Motion {
            from,
            to,
            capture,
            captures: mv.captures,
            rook_castles: true,
            promotion: mv.promotion,
            after: mv.after.as_ref().map(|it| self.truth(it)).transpose()?,
            ..Motion::default()
        }))
    }

    pub(super) fn move_filter(&mut self, mv: &syntax::MoveFilter) -> Compiled<Value> {
        let mut motion = Motion {
            previous: mv.previous,
            legal: mv.legal,
            en_passant: mv.en_passant,
            castle: mv.castle,
            promotion: mv.promotion,
            value: mv.parts.first().map(|it| it.0),
            ..Motion::default()
        };
        for (part, filter) in &mv.parts {
            let set = Some(self.set(filter)?);
            match part {
                MovePart::From => motion.from = set,
                MovePart::To => motion.to = set,
                MovePart::Capture => motion.capture = set,
            }
        }
        motion.captures = motion.capture.is_some();
        let motion = Box::new(motion);
        Ok(match mv.previous {
            true => Value::Truth(Truth::Moved(motion)),
            false => Value::Set(Set::Moved(motion)),
        })
    }
}
