//! From tokens to the syntax tree: one function for each level of precedence, loosest first.

use crate::{
    error::PatternError,
    syntax::{
        Castle, Comparison, Designator, Filter, GameResult, Kinds, Node, Operator, Rectangle, Span,
    },
    token::{Token, tokens},
};

mod motion;
mod sequence;
mod word;

type Parsed<T> = Result<T, PatternError>;

/// How deep filters may nest, so that no query exhausts the stack.
const DEEPEST: usize = 48;

/// Parses a query: its filters, all of which must hold.
pub(crate) fn parse(text: &str) -> Parsed<Filter> {
    let parse = || -> Parsed<Filter> {
        let mut parser = Parser {
            text,
            tokens: tokens(text)?,
            at: 0,
            depth: 0,
            in_step: false,
        };
        let filters = parser.filters()?;
        match parser.peek() {
            None => Ok(Parser::all_of(filters, Span::new(0, text.len()))),
            Some(_) => Err(parser.unexpected("a filter")),
        }
    };
    parse().map_err(|error| error.within(text))
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    /// Within a step of a line or a path, where `*` and `+` repeat.
    in_step: bool,
}

impl<'a> Parser<'a> {
    // Tokens.

    fn peek(&self) -> Option<Token> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.at + ahead).map(|it| it.0)
    }

    /// Where the next token is; after the last one, the end of the text.
    fn span(&self) -> Span {
        let end = Span::new(self.text.len(), self.text.len());
        self.tokens.get(self.at).map_or(end, |it| it.1)
    }

    fn last_span(&self) -> Span {
        let last = self.at.checked_sub(1).and_then(|it| self.tokens.get(it));
        last.map_or(Span::default(), |it| it.1)
    }

    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.begin..span.end).unwrap_or_default()
    }

    fn word(&self) -> Option<&'a str> {
        (self.peek() == Some(Token::Word)).then(|| self.slice(self.span()))
    }

    /// Whether nothing stands between the last token and the next.
    fn is_adjacent(&self) -> bool {
        self.at > 0 && self.peek().is_some() && self.last_span().end == self.span().begin
    }

    fn take(&mut self, token: Token) -> bool {
        let taken = self.peek() == Some(token);
        self.at += usize::from(taken);
        taken
    }

    fn take_word(&mut self, word: &str) -> bool {
        let taken = self.word() == Some(word);
        self.at += usize::from(taken);
        taken
    }

    fn expect(&mut self, token: Token, name: &str) -> Parsed<()> {
        if self.take(token) {
            return Ok(());
        }
        Err(self.unexpected(name))
    }

    fn unexpected(&self, wanted: &str) -> PatternError {
        let span = self.span();
        let found = self.slice(span);
        let message = match self.peek() {
            None => format!("expected {wanted}, but the query ends here"),
            Some(_) => format!("expected {wanted}, found \"{found}\""),
        };
        let error = PatternError::new(span, message);
        match self.peek() {
            Some(Token::Assign) => error.hint("write == to compare"),
            Some(Token::Union) => error.hint("| joins sets; write or between filters"),
            Some(Token::Word) => match crate::word::suggestion(found, []) {
                Some(word) => error.hint(format!("did you mean {word}?")),
                None => error,
            },
            _ => error,
        }
    }

    fn filter(&self, begin: Span, node: Node) -> Filter {
        Filter {
            node,
            span: begin.to(self.last_span()),
        }
    }

    fn integer(&mut self) -> Parsed<i64> {
        let span = self.span();
        self.expect(Token::Integer, "a number")?;
        let number = self.slice(span).parse::<i32>();
        number
            .map(i64::from)
            .map_err(|_| PatternError::new(span, "this number is too large"))
    }

    // Filters, loosest first.

    /// Filters side by side, up to a closing sign.
    fn filters(&mut self) -> Parsed<Vec<Filter>> {
        let mut filters = Vec::new();
        while !matches!(self.peek(), None | Some(Token::CloseBlock | Token::Close)) {
            filters.push(self.or()?);
        }
        if filters.is_empty() {
            return Err(self.unexpected("a filter"));
        }
        Ok(filters)
    }

    fn all_of(mut filters: Vec<Filter>, span: Span) -> Filter {
        match filters.len() {
            1 => filters.remove(0),
            _ => Filter {
                node: Node::Block(filters),
                span,
            },
        }
    }

    /// One whole filter, with its `and` and `or`.
    fn or(&mut self) -> Parsed<Filter> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("filters nest more than {DEEPEST} deep");
            return Err(PatternError::new(self.span(), message));
        }
        let filter = self.list(|it| it.and(), |it| it.take_word("or"), Node::Or);
        self.depth -= 1;
        filter
    }

    fn and(&mut self) -> Parsed<Filter> {
        self.list(|it| it.not(), |it| it.take_word("and"), Node::And)
    }

    /// Operands between separators; one alone stays itself.
    fn list(
        &mut self,
        operand: impl Fn(&mut Self) -> Parsed<Filter>,
        separator: impl Fn(&mut Self) -> bool,
        node: impl Fn(Vec<Filter>) -> Node,
    ) -> Parsed<Filter> {
        let begin = self.span();
        let first = operand(self)?;
        if !separator(self) {
            return Ok(first);
        }
        let mut operands = vec![first, operand(self)?];
        while separator(self) {
            operands.push(operand(self)?);
        }
        Ok(self.filter(begin, node(operands)))
    }

    fn not(&mut self) -> Parsed<Filter> {
        let begin = self.span();
        if !self.take_word("not") {
            return self.comparison();
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(PatternError::new(begin, "filters nest too deep"));
        }
        let what = self.not()?;
        self.depth -= 1;
        Ok(self.filter(begin, Node::Not(what.into())))
    }

    fn comparison(&mut self) -> Parsed<Filter> {
        let begin = self.span();
        let first = self.sum()?;
        let mut rest = Vec::new();
        while let Some(comparison) = self.peek().and_then(comparison_of) {
            self.at += 1;
            rest.push((comparison, self.sum()?));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        let first = first.into();
        Ok(self.filter(begin, Node::Compare { first, rest }))
    }

    fn sum(&mut self) -> Parsed<Filter> {
        let begin = self.span();
        let mut sum = self.product()?;
        loop {
            let operator = match self.peek() {
                Some(Token::Plus) if !self.repeats() => Operator::Add,
                Some(Token::Minus) => Operator::Subtract,
                _ => return Ok(sum),
            };
            self.at += 1;
            let other = self.product()?;
            let node = Node::Arithmetic(operator, sum.into(), other.into());
            sum = self.filter(begin, node);
        }
    }

    fn product(&mut self) -> Parsed<Filter> {
        let begin = self.span();
        let mut product = self.arrows()?;
        loop {
            let operator = match self.peek() {
                Some(Token::Star) if !self.repeats() => Operator::Multiply,
                Some(Token::Slash) => Operator::Divide,
                Some(Token::Percent) => Operator::Remainder,
                _ => return Ok(product),
            };
            self.at += 1;
            let other = self.arrows()?;
            let node = Node::Arithmetic(operator, product.into(), other.into());
            product = self.filter(begin, node);
        }
    }

    /// Whether the `*` or `+` that comes next repeats a step: a number that follows makes it
    /// arithmetic.
    fn repeats(&self) -> bool {
        let next = self.tokens.get(self.at + 1);
        let is_number = next.is_some_and(|&(token, span)| match token {
            Token::Integer | Token::Count => true,
            Token::Word => crate::word::is_number(self.slice(span)),
            _ => false,
        });
        self.in_step && !is_number
    }

    /// A set expression with everything that binds tighter than arithmetic.
    fn arrows(&mut self) -> Parsed<Filter> {
        let begin = self.span();
        let first = self.union()?;
        let arrow = match self.peek() {
            Some(arrow @ (Token::Arrow | Token::BackArrow)) => arrow,
            _ => return Ok(first),
        };
        let mut sets = vec![first];
        while self.take(arrow) {
            sets.push(self.union()?);
        }
        let backward = arrow == Token::BackArrow;
        Ok(self.filter(begin, Node::Arrows { backward, sets }))
    }

    fn union(&mut self) -> Parsed<Filter> {
        self.list(
            |it| it.intersection(),
            |it| it.take(Token::Union),
            Node::Union,
        )
    }

    fn intersection(&mut self) -> Parsed<Filter> {
        self.list(
            |it| it.attacks(),
            |it| it.take(Token::Intersection),
            Node::Intersection,
        )
    }

    fn attacks(&mut self) -> Parsed<Filter> {
        let begin = self.span();
        let mut set = self.dash()?;
        loop {
            let attacks = self.take_word("attacks");
            if !attacks && !self.take_word("attackedby") {
                return Ok(set);
            }
            let other = self.dash()?.into();
            let node = match attacks {
                true => Node::Attacks(set.into(), other),
                false => Node::AttackedBy(set.into(), other),
            };
            set = self.filter(begin, node);
        }
    }

    /// A set, or a move in dash form that begins with one.
    fn dash(&mut self) -> Parsed<Filter> {
        let begin = self.span();
        if matches!(self.peek(), Some(Token::Dash | Token::Capture)) {
            let mv = self.dash_move(None)?;
            return Ok(self.filter(begin, Node::Dash(mv.into())));
        }
        let set = self.unary()?;
        if matches!(self.peek(), Some(Token::Dash | Token::Capture)) && self.is_adjacent() {
            let mv = self.dash_move(Some(set))?;
            return Ok(self.filter(begin, Node::Dash(mv.into())));
        }
        Ok(set)
    }

    fn unary(&mut self) -> Parsed<Filter> {
        let begin = self.span();
        self.depth += 1;
        if self.depth > 2 * DEEPEST {
            return Err(PatternError::new(begin, "filters nest too deep"));
        }
        let filter = self.unary_inner(begin);
        self.depth -= 1;
        filter
    }

    fn unary_inner(&mut self, begin: Span) -> Parsed<Filter> {
        if self.take(Token::Complement) {
            let set = self.unary()?;
            return Ok(self.filter(begin, Node::Complement(set.into())));
        }
        if self.peek() == Some(Token::Minus) && self.peek_at(1) == Some(Token::Integer) {
            self.at += 1;
            let number = -self.integer()?;
            return Ok(self.filter(begin, Node::Integer(number)));
        }
        if let Some(direction) = self.direction() {
            let (least, most) = self.distance()?;
            let of = self.unary()?.into();
            let node = Node::Direction {
                direction,
                least,
                most,
                of,
            };
            return Ok(self.filter(begin, node));
        }
        let light = self.take_word("light");
        if light || self.take_word("dark") {
            let of = self.unary()?.into();
            return Ok(self.filter(begin, Node::Shade { light, of }));
        }
        self.primary()
    }

    fn distance(&mut self) -> Parsed<(u8, u8)> {
        if self.peek() != Some(Token::Integer) {
            return Ok((1, 7));
        }
        let span = self.span();
        let least = self.integer()?;
        let most = match self.peek() {
            Some(Token::Integer) => self.integer()?,
            _ => least,
        };
        match (least, most) {
            (0..=7, 0..=7) if least <= most => Ok((least as u8, most as u8)),
            _ => Err(PatternError::new(
                span.to(self.last_span()),
                "a distance is a number from 0 to 7, or two of them, the smaller first",
            )),
        }
    }

    fn primary(&mut self) -> Parsed<Filter> {
        let begin = self.span();
        let Some(token) = self.peek() else {
            return Err(self.unexpected("a filter"));
        };
        let node = match token {
            Token::Designator => {
                self.at += 1;
                Node::Designator(designator(self.slice(begin)))
            }
            Token::AnySquare => {
                self.at += 1;
                Node::Designator(Designator {
                    pieces: None,
                    squares: Vec::new(),
                })
            }
            Token::Integer => Node::Integer(self.integer()?),
            Token::Open => {
                self.at += 1;
                let in_step = std::mem::take(&mut self.in_step);
                let inner = self.or()?;
                self.in_step = in_step;
                if !matches!(self.peek(), None | Some(Token::Close)) {
                    let error = self.unexpected("\")\"");
                    return Err(error.hint("parentheses hold one filter; write {…} for several"));
                }
                self.expect(Token::Close, "\")\"")?;
                return Ok(inner);
            }
            Token::OpenBlock => {
                self.at += 1;
                let in_step = std::mem::take(&mut self.in_step);
                let filters = self.filters()?;
                self.in_step = in_step;
                self.expect(Token::CloseBlock, "\"}\"")?;
                Node::Block(filters)
            }
            Token::Count => {
                self.at += 1;
                Node::Count(self.arrows()?.into())
            }
            Token::Result => {
                self.at += 1;
                Node::Result(result_of(self.slice(begin)))
            }
            Token::ShortCastle | Token::LongCastle => {
                self.at += 1;
                Node::Castle(castle_of(token))
            }
            Token::Named => {
                self.at += 1;
                Node::Named(self.slice(begin)[1..].to_owned())
            }
            Token::FlipColor | Token::Flip | Token::Path | Token::Word => self.keyword()?,
            _ => return Err(self.unexpected("a filter")),
        };
        Ok(self.filter(begin, node))
    }
}

fn comparison_of(token: Token) -> Option<Comparison> {
    Some(match token {
        Token::Equal => Comparison::Equal,
        Token::NotEqual => Comparison::NotEqual,
        Token::Less => Comparison::Less,
        Token::LessOrEqual => Comparison::LessOrEqual,
        Token::Greater => Comparison::Greater,
        Token::GreaterOrEqual => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

fn castle_of(token: Token) -> Castle {
    match token {
        Token::ShortCastle => Castle::Short,
        Token::LongCastle => Castle::Long,
        _ => Castle::Any,
    }
}

fn result_of(text: &str) -> GameResult {
    if text.contains("1/2") {
        GameResult::Draw
    } else if text.contains("1-0") {
        GameResult::WhiteWins
    } else {
        GameResult::BlackWins
    }
}

/// Reads the text of a designator, which the token has the shape of.
fn designator(text: &str) -> Designator {
    let is_square = |it: &str| it.starts_with(|it: char| ('a'..='h').contains(&it));
    let is_squares = |it: &str| {
        let inner = it.strip_prefix('[').unwrap_or(it);
        is_square(inner) && inner.contains(|it: char| it.is_ascii_digit())
    };
    let end_of_pieces = match text.strip_prefix('[') {
        // A list of pieces has no digits.
        Some(list) => list
            .find(']')
            .filter(|&end| !list[..end].contains(|it: char| it.is_ascii_digit()))
            .map_or(0, |it| it + 2),
        None => {
            let first = text.chars().next().map_or(0, char::len_utf8);
            let rest = &text[first..];
            let alone = rest.is_empty() || is_squares(rest) && !rest.starts_with('-');
            if alone { first } else { 0 }
        }
    };
    let (pieces, squares) = text.split_at(end_of_pieces);
    let kinds = pieces
        .chars()
        .filter_map(Kinds::from_letter)
        .fold(0, |all, it| all | it.0);
    let squares = squares.trim_matches(['[', ']']);
    Designator {
        pieces: (!pieces.is_empty()).then_some(Kinds(kinds)),
        squares: squares
            .split(',')
            .filter(|it| !it.is_empty())
            .map(rectangle)
            .collect(),
    }
}

fn rectangle(text: &str) -> Rectangle {
    let of = |first: char| {
        let all = text
            .chars()
            .filter(move |&it| it.is_ascii_digit() == first.is_ascii_digit() && it != '-');
        let places: Vec<i8> = all
            .map(|it| (it as u8).wrapping_sub(first as u8) as i8)
            .collect();
        let (one, two) = match places[..] {
            [one, two, ..] => (one, two),
            [one] => (one, one),
            [] => (0, 7),
        };
        (one.min(two), one.max(two))
    };
    Rectangle {
        files: of('a'),
        ranks: of('1'),
    }
}
