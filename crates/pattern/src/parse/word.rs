//! Filters that begin with a keyword, and names.

use shakmaty::Color;

use super::{Parsed, Parser, castle_of};
use crate::{
    error::PatternError,
    syntax::{Castle, Direction, Node, Pawns, PinPart, Place, Remark, Tag, Times, Transform},
    token::Token,
};

impl Parser<'_> {
    /// A filter that begins with a word, or with the sign that stands for one.
    pub(super) fn keyword(&mut self) -> Parsed<Node> {
        let (token, span) = (self.peek(), self.span());
        let word = match token {
            Some(Token::FlipColor) => "flipcolor",
            Some(Token::Flip) => "flip",
            Some(Token::Path) => "path",
            _ => self.slice(span),
        };
        self.at += 1;
        if token == Some(Token::Word) && self.peek() == Some(Token::Assign) {
            self.refuse_keyword(word, span)?;
            self.at += 1;
            return self.assignment(false, word);
        }
        if let Some(place) = self.place(word) {
            self.at += 1;
            return Ok(Node::At(place, self.tight()?.into()));
        }
        if let Some((_, transform)) = Transform::NAMES.iter().find(|it| it.0 == word) {
            return Ok(Node::Transform(*transform, self.or()?.into()));
        }
        Ok(match word {
            "wtm" => Node::Turn(Color::White),
            "btm" => Node::Turn(Color::Black),
            "check" => Node::Check,
            "mate" => Node::Mate,
            "stalemate" => Node::Stalemate,
            "initial" => Node::Initial,
            "terminal" => Node::Terminal,
            "true" => Node::Boolean(true),
            "false" => Node::Boolean(false),
            "ply" => Node::Ply,
            "movenumber" => Node::MoveNumber,
            "year" => Node::Year,
            "castle" => Node::Castle(Castle::Any),
            "currentposition" => Node::CurrentPosition,
            "passedpawns" => Node::Pawns(Pawns::Passed),
            "isolatedpawns" => Node::Pawns(Pawns::Isolated),
            "doubledpawns" => Node::Pawns(Pawns::Doubled),
            "connectedpawns" => Node::Pawns(Pawns::Connected),
            "power" => Node::Power(self.arrows()?.into()),
            "rank" => Node::Rank(self.arrows()?.into()),
            "file" => Node::File(self.arrows()?.into()),
            "elo" => Node::Elo(self.color()),
            "abs" => self.absolute()?,
            "player" => {
                let tag = Tag::Player(self.color());
                Node::Tag(tag, self.text()?)
            }
            "eco" => Node::Tag(Tag::Eco, self.text()?),
            "event" => Node::Tag(Tag::Event, self.text()?),
            "site" => Node::Tag(Tag::Site, self.text()?),
            "date" => Node::Tag(Tag::Date, self.text()?),
            "result" => return Err(self.unexpected("1-0, 0-1 or 1/2-1/2")),
            "ray" => self.ray(false)?,
            "xray" => self.ray(true)?,
            "between" => self.between()?,
            "pin" => self.pin()?,
            "square" => self.each(false)?,
            "piece" => self.each(true)?,
            "move" => Node::Move(self.move_filter()?),
            "previous" => Node::Previous(self.only_dash("a move such as N--d5")?.into()),
            "legal" => Node::Legal(self.only_dash("a move such as N--d5")?.into()),
            "countmoves" => {
                if !self.take_word("legal") {
                    return Err(self.unexpected("legal"));
                }
                Node::CountMoves(self.only_dash("a move such as N--d5")?.into())
            }
            "line" => self.line()?,
            "path" => self.path()?,
            "find" => self.find()?,
            "sort" => self.sort()?,
            "comment" => self.comment()?,
            _ => {
                self.refuse_keyword(word, span)?;
                Node::Variable(word.to_owned())
            }
        })
    }

    fn refuse_keyword(&self, word: &str, span: crate::syntax::Span) -> Parsed<()> {
        if crate::word::is_reserved(word) {
            let message = format!("\"{word}\" does not begin a filter");
            return Err(PatternError::new(span, message));
        }
        Ok(())
    }

    /// The argument of `parent:` and its like, which bind tightest.
    fn tight(&mut self) -> Parsed<crate::syntax::Filter> {
        self.depth += 1;
        if self.depth > super::DEEPEST {
            return Err(PatternError::new(self.span(), "filters nest too deep"));
        }
        let filter = match self.word() {
            Some("not") => self.not(),
            _ => self.unary(),
        };
        self.depth -= 1;
        filter
    }

    /// Where a filter is looked at, if a colon follows the word.
    fn place(&self, word: &str) -> Option<Place> {
        (self.peek() == Some(Token::Colon)).then(|| match word {
            "parent" => Place::Parent,
            "child" => Place::Child,
            "initialposition" => Place::InitialPosition,
            _ => Place::Variable(word.to_owned()),
        })
    }

    fn color(&mut self) -> Option<Color> {
        if self.take_word("white") {
            Some(Color::White)
        } else {
            self.take_word("black").then_some(Color::Black)
        }
    }

    fn text(&mut self) -> Parsed<String> {
        let span = self.span();
        self.expect(Token::Text, "a text in quotes")?;
        Ok(self.slice(span).trim_matches('"').to_owned())
    }

    fn absolute(&mut self) -> Parsed<Node> {
        self.expect(Token::Open, "\"(\"")?;
        let in_step = std::mem::take(&mut self.in_step);
        let number = self.sum()?;
        self.in_step = in_step;
        self.expect(Token::Close, "\")\"")?;
        Ok(Node::Absolute(number.into()))
    }

    pub(super) fn direction(&mut self) -> Option<Direction> {
        let word = self.word()?;
        let named = Direction::NAMES.iter().find(|it| it.0 == word)?;
        self.at += 1;
        Some(named.1)
    }

    /// Sets in parentheses, side by side.
    fn sets(&mut self) -> Parsed<Vec<crate::syntax::Filter>> {
        self.expect(Token::Open, "\"(\" and sets")?;
        let in_step = std::mem::take(&mut self.in_step);
        let mut sets = Vec::new();
        while !self.take(Token::Close) {
            if self.peek().is_none() {
                return Err(self.unexpected("\")\""));
            }
            sets.push(self.arrows()?);
        }
        self.in_step = in_step;
        Ok(sets)
    }

    fn ray(&mut self, attacks: bool) -> Parsed<Node> {
        let begin = self.last_span();
        let attacks = self.take_word("attack") || attacks;
        let mut directions = Vec::new();
        while let Some(direction) = self.direction() {
            directions.push(direction);
        }
        let sets = self.sets()?;
        if sets.len() < 2 {
            let message = "a ray needs two sets or more, such as ray (Q n k)";
            return Err(PatternError::new(begin.to(self.last_span()), message));
        }
        Ok(Node::Ray {
            attacks,
            directions,
            sets,
        })
    }

    fn between(&mut self) -> Parsed<Node> {
        let begin = self.last_span();
        let sets: Result<[crate::syntax::Filter; 2], _> = self.sets()?.try_into();
        match sets {
            Ok([one, two]) => Ok(Node::Between(one.into(), two.into())),
            Err(_) => {
                let message = "between needs two sets, such as between (K k)";
                Err(PatternError::new(begin.to(self.last_span()), message))
            }
        }
    }

    fn pin(&mut self) -> Parsed<Node> {
        let mut parts = Vec::new();
        loop {
            let span = self.span();
            let part = match self.word() {
                Some("from") => PinPart::From,
                Some("through") => PinPart::Through,
                Some("to") => PinPart::To,
                _ => return Ok(Node::Pin { parts }),
            };
            if parts.iter().any(|it: &(PinPart, _)| it.0 == part) {
                return Err(PatternError::new(
                    span,
                    "this part of the pin is named twice",
                ));
            }
            self.at += 1;
            parts.push((part, self.unary()?));
        }
    }

    fn each(&mut self, piece: bool) -> Parsed<Node> {
        let all = self.take_word("all");
        let span = self.span();
        let name = match self.word() {
            Some(word) if !crate::word::is_reserved(word) => word,
            _ => {
                let error = self.unexpected("the name of a variable");
                let hint = "one letter that stands for a piece cannot be a name; x, y and z can";
                return Err(error.hint(hint));
            }
        };
        self.at += 1;
        if piece && !all && self.take(Token::Assign) {
            return self.assignment(true, name);
        }
        if !self.take_word("in") {
            return Err(self.unexpected(&format!("in after \"{}\"", self.slice(span))));
        }
        let within = self.arrows()?.into();
        let body = self.or()?.into();
        Ok(Node::Loop {
            piece,
            all,
            name: name.to_owned(),
            within,
            body,
        })
    }

    fn assignment(&mut self, piece: bool, name: &str) -> Parsed<Node> {
        Ok(Node::Assign {
            piece,
            name: name.to_owned(),
            value: self.sum()?.into(),
        })
    }

    fn find(&mut self) -> Parsed<Node> {
        let mut backward = self.take(Token::Backward);
        let times = if self.take_word("all") {
            Times::All
        } else if self.peek() == Some(Token::Integer) {
            let (least, most) = self.range()?;
            Times::Within(least, most)
        } else {
            Times::Any
        };
        backward |= self.take(Token::Backward);
        Ok(Node::Find {
            backward,
            times,
            what: self.or()?.into(),
        })
    }

    /// One number, or two.
    pub(super) fn range(&mut self) -> Parsed<(u32, u32)> {
        let number = |it: i64| u32::try_from(it).unwrap_or(0);
        let least = number(self.integer()?);
        let most = match self.peek() {
            Some(Token::Integer) => number(self.integer()?),
            _ => least,
        };
        Ok((least, most))
    }

    fn sort(&mut self) -> Parsed<Node> {
        let least = self.take_word("min");
        let label = match self.peek() {
            Some(Token::Text) => self.text()?,
            _ => String::new(),
        };
        let least = least || self.take_word("min");
        Ok(Node::Sort {
            least,
            label,
            value: self.sum()?.into(),
        })
    }

    fn comment(&mut self) -> Parsed<Node> {
        if self.peek() == Some(Token::Text) {
            return Ok(Node::Comment(vec![Remark::Text(self.text()?)]));
        }
        self.expect(Token::Open, "\"(\" or a text in quotes")?;
        let in_step = std::mem::take(&mut self.in_step);
        let mut parts = Vec::new();
        while !self.take(Token::Close) {
            let part = match self.peek() {
                None => return Err(self.unexpected("\")\"")),
                Some(Token::Text) => Remark::Text(self.text()?),
                Some(_) => Remark::Value(self.sum()?),
            };
            parts.push(part);
        }
        self.in_step = in_step;
        Ok(Node::Comment(parts))
    }

    /// Castling, if the next token says so.
    pub(super) fn castle(&mut self) -> Option<Castle> {
        let token = self.peek()?;
        if matches!(token, Token::ShortCastle | Token::LongCastle) {
            self.at += 1;
            return Some(castle_of(token));
        }
        self.take_word("castle").then_some(Castle::Any)
    }
}
