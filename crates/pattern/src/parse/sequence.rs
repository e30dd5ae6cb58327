//! Lines and paths, with their repetition.

use super::{Parsed, Parser};
use crate::{
    error::PatternError,
    syntax::{Constituent, Line, Node, Path, Repeat, Step, StepKind},
    token::Token,
};

impl Parser<'_> {
    pub(super) fn line(&mut self) -> Parsed<Node> {
        let mut line = Line {
            backward: false,
            length: None,
            single_color: false,
            nest_ban: false,
            first_match: false,
            last_position: false,
            steps: Vec::new(),
        };
        let arrow = loop {
            match (self.peek(), self.word()) {
                (Some(arrow @ (Token::Forward | Token::Backward)), _) => break arrow,
                (Some(Token::Integer), _) => {
                    line.length = Some(self.range()?);
                    continue;
                }
                (_, Some("singlecolor")) => line.single_color = true,
                (_, Some("nestban")) => line.nest_ban = true,
                (_, Some("firstmatch")) => line.first_match = true,
                (_, Some("lastposition")) => line.last_position = true,
                _ => return Err(self.unexpected("--> or <--")),
            }
            self.at += 1;
        };
        line.backward = arrow == Token::Backward;
        while self.take(arrow) {
            line.steps.push(self.step(arrow)?);
        }
        Ok(Node::Line(line))
    }

    fn step(&mut self, arrow: Token) -> Parsed<Step> {
        let in_step = std::mem::replace(&mut self.in_step, true);
        let what = if self.peek() == Some(Token::Open) && self.is_group(&[arrow]) {
            self.at += 1;
            let mut steps = vec![self.step(arrow)?];
            while self.take(arrow) {
                steps.push(self.step(arrow)?);
            }
            self.expect(Token::Close, "\")\" or another arrow")?;
            StepKind::Group(steps)
        } else {
            StepKind::Filter(self.or()?)
        };
        let repeat = self.repeat()?.unwrap_or(Repeat::ONCE);
        self.in_step = in_step;
        Ok(Step { what, repeat })
    }

    /// Whether the parentheses that open here hold one of these tokens themselves, or are repeated.
    fn is_group(&self, of: &[Token]) -> bool {
        let mut depth = 0;
        let is_line = self.tokens.get(self.at + 1);
        let is_line = is_line.is_some_and(|it| matches!(self.slice(it.1), "line" | "path" | "⊢"));
        for (at, &(token, _)) in self.tokens.iter().enumerate().skip(self.at) {
            match token {
                Token::Open | Token::OpenBlock => depth += 1,
                Token::Close | Token::CloseBlock => depth -= 1,
                _ if depth == 1 && of.contains(&token) && !is_line => return true,
                _ => {}
            }
            if depth == 0 {
                let next = self.tokens.get(at + 1).map(|it| it.0);
                let repeats = [Token::Repeat, Token::Star, Token::Plus, Token::Question];
                return !of.contains(&Token::Forward)
                    && !of.contains(&Token::Backward)
                    && next.is_some_and(|it| repeats.contains(&it));
            }
        }
        false
    }

    /// The sign of a repetition, if there is one.
    fn repeat(&mut self) -> Parsed<Option<Repeat>> {
        let span = self.span();
        let repeat = match self.peek() {
            Some(Token::Star) => Repeat::STAR,
            Some(Token::Plus) => Repeat::PLUS,
            Some(Token::Question) => Repeat::MAYBE,
            Some(Token::Repeat) => {
                let inner = self.slice(span).trim_matches(['{', '}']);
                let number = |it: &str| it.trim().parse::<u32>().ok();
                let repeat = match inner.split_once(',') {
                    Some((least, most)) => Repeat {
                        least: number(least).unwrap_or(0),
                        most: number(most).unwrap_or(u32::MAX),
                    },
                    None => {
                        let times = number(inner).unwrap_or(u32::MAX);
                        Repeat {
                            least: times,
                            most: times,
                        }
                    }
                };
                if repeat.least > repeat.most {
                    return Err(PatternError::new(span, "the smaller number comes first"));
                }
                repeat
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(repeat))
    }

    pub(super) fn path(&mut self) -> Parsed<Node> {
        let mut path = Path {
            focus: None,
            nest_ban: false,
            first_match: false,
            last_position: false,
            parts: Vec::new(),
        };
        loop {
            match self.word() {
                Some("nestban") => path.nest_ban = true,
                Some("firstmatch") => path.first_match = true,
                Some("lastposition") => path.last_position = true,
                Some("focus") => {
                    self.at += 1;
                    path.focus = Some(self.unary()?.into());
                    continue;
                }
                _ if self.take(Token::Focus) => {
                    path.focus = Some(self.unary()?.into());
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        let in_step = std::mem::replace(&mut self.in_step, true);
        path.parts = self.constituents()?;
        self.in_step = in_step;
        Ok(Node::Path(path))
    }

    /// Everything up to the end of the block.
    fn constituents(&mut self) -> Parsed<Vec<Constituent>> {
        let mut parts: Vec<Constituent> = Vec::new();
        // Where the filters begin that follow the last move.
        let mut filters_from = 0;
        while !matches!(self.peek(), None | Some(Token::Close | Token::CloseBlock)) {
            let span = self.span();
            if let Some(repeat) = self.repeat()? {
                self.repeat_last(&mut parts, filters_from, repeat)
                    .ok_or_else(|| PatternError::new(span, "there is no move here to repeat"))?;
                filters_from = parts.len();
                continue;
            }
            if self.peek() == Some(Token::Open) && self.is_group(&[Token::Dash, Token::Capture]) {
                self.depth += 1;
                if self.depth > super::DEEPEST {
                    return Err(PatternError::new(span, "filters nest too deep"));
                }
                self.at += 1;
                let group = self.constituents()?;
                self.depth -= 1;
                self.expect(Token::Close, "\")\"")?;
                let repeat = self.repeat()?.unwrap_or(Repeat::ONCE);
                parts.push(Constituent::Group(group, repeat));
                filters_from = parts.len();
                continue;
            }
            let filter = self.or()?;
            match filter.node {
                Node::Dash(mv) => {
                    let repeat = self.repeat()?.unwrap_or(Repeat::ONCE);
                    parts.push(Constituent::Move(mv, Vec::new(), repeat));
                    filters_from = parts.len();
                }
                _ => parts.push(Constituent::Filter(filter)),
            }
        }
        if parts.is_empty() {
            return Err(self.unexpected("a move or a filter"));
        }
        Ok(parts)
    }

    /// A repetition after filters repeats the last move with them.
    fn repeat_last(
        &self,
        parts: &mut Vec<Constituent>,
        filters_from: usize,
        repeat: Repeat,
    ) -> Option<()> {
        let filters = parts.drain(filters_from..);
        let filters: Vec<_> = filters
            .filter_map(|it| match it {
                Constituent::Filter(filter) => Some(filter),
                _ => None,
            })
            .collect();
        match parts.last_mut() {
            Some(Constituent::Move(_, own, times))
                if *times == Repeat::ONCE && !filters.is_empty() =>
            {
                *own = filters;
                *times = repeat;
                Some(())
            }
            _ => None,
        }
    }
}
