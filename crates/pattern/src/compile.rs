//! From the syntax tree to a program: kinds are checked, designators become bitboards, variables get
//! places.

use std::collections::HashMap;

use shakmaty::{Bitboard, Square};

use crate::{
    error::PatternError,
    program::{
        Each, Element, Motion, Number, Pin, Place, PositionOf, Program, Ray, Sequence, Set,
        SortKey, Truth, Value, Words,
    },
    syntax::{
        self, Comparison, Constituent, DashMove, Designator, Direction, Filter, Kinds, MovePart,
        Node, PinPart, Remark, Repeat, Span, Step, StepKind, Times,
    },
};

type Compiled<T> = Result<T, PatternError>;

/// Compiles a tree whose transforms are spelled out.
pub(crate) fn compile(filter: &Filter) -> Compiled<Program> {
    let mut compiler = Compiler::default();
    let root = compiler.top(filter)?;
    let Compiler {
        variables,
        once,
        nest_bans,
        sorts,
        reads_tags,
        writes_comments,
        ..
    } = compiler;
    Ok(Program {
        variables,
        once,
        nest_bans,
        effect: root.effect(),
        root,
        sorts: sorts.into_iter().map(|it| it.1).collect(),
        reads_tags,
        writes_comments,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Set,
    Piece,
    Number,
    Position,
}

#[derive(Default)]
struct Compiler {
    names: HashMap<String, (Kind, usize)>,
    variables: usize,
    once: usize,
    nest_bans: usize,
    /// The keys, by where they are written.
    sorts: Vec<(usize, SortKey)>,
    reads_tags: bool,
    writes_comments: bool,
}

impl Value {
    fn kind(&self) -> &'static str {
        match self {
            Value::Set(_) | Value::Piece(_) => "a set of squares",
            Value::Number(_) => "a number",
            Value::Truth(_) => "true or false",
            Value::Position(_) => "a position",
        }
    }
}

fn wrong_kind(span: Span, wanted: &str, found: &Value) -> PatternError {
    let message = format!("expected {wanted}, but this is {}", found.kind());
    let error = PatternError::new(span, message);
    match found {
        Value::Set(_) if wanted == "a number" => error.hint("count a set with #"),
        _ => error,
    }
}

impl Compiler {
    /// The whole query. What costs little comes before variables that it does not read: if it fails, nobody asks for
    /// their values any more.
    fn top(&mut self, filter: &Filter) -> Compiled<Truth> {
        let mut all = match self.truth(filter)? {
            Truth::All(all) => all,
            other => return Ok(other),
        };
        let stays = |it: &Truth| !it.is_pure() && !matches!(it, Truth::Assign(..));
        let movable = all.iter().position(stays).unwrap_or(all.len());
        all[..movable].sort_by_key(|it| match it.is_pure() && !it.reads_variables() {
            true => it.cost(),
            false => u32::MAX,
        });
        Ok(Truth::All(all))
    }

    fn truth(&mut self, filter: &Filter) -> Compiled<Truth> {
        if let Node::Integer(_) = filter.node {
            let error = PatternError::new(filter.span, "a number alone says nothing");
            return Err(error.hint("compare it with something, as in R==2"));
        }
        Ok(match self.value(filter)? {
            Value::Truth(truth) => truth,
            Value::Set(set) | Value::Piece(set) => Truth::Some(set),
            Value::Number(number) => Truth::Has(number),
            Value::Position(position) => is_there(position),
        })
    }

    fn set(&mut self, filter: &Filter) -> Compiled<Set> {
        match self.value(filter)? {
            Value::Set(set) | Value::Piece(set) => Ok(set),
            other => Err(wrong_kind(filter.span, "a set of squares", &other)),
        }
    }

    fn boxed(&mut self, filter: &Filter) -> Compiled<Box<Set>> {
        self.set(filter).map(Box::new)
    }

    fn sets(&mut self, filters: &[Filter]) -> Compiled<Vec<Set>> {
        filters.iter().map(|it| self.set(it)).collect()
    }

    fn number(&mut self, filter: &Filter) -> Compiled<Number> {
        match self.value(filter)? {
            Value::Number(number) => Ok(number),
            other => Err(wrong_kind(filter.span, "a number", &other)),
        }
    }

    /// A number, or a set that is counted.
    fn counted(&mut self, filter: &Filter) -> Compiled<Number> {
        match self.value(filter)? {
            Value::Number(number) => Ok(number),
            Value::Set(set) | Value::Piece(set) => Ok(Number::Count(set)),
            other => Err(wrong_kind(filter.span, "a number", &other)),
        }
    }

    fn value(&mut self, filter: &Filter) -> Compiled<Value> {
        let span = filter.span;
        Ok(match &filter.node {
            Node::Designator(it) => Value::Set(designator(it)),
            Node::Variable(name) => self.variable(name, span)?,
            Node::Union(sets) => Value::Set(Set::Union(self.sets(sets)?)),
            Node::Intersection(sets) => Value::Set(Set::Intersection(self.sets(sets)?)),
            Node::Complement(set) => Value::Set(Set::Complement(self.boxed(set)?)),
            Node::Attacks(one, two) => Value::Set(Set::Attacks(self.boxed(one)?, self.boxed(two)?)),
            Node::AttackedBy(one, two) => {
                Value::Set(Set::AttackedBy(self.boxed(one)?, self.boxed(two)?))
            }
            Node::Arrows { backward, sets } => Value::Set(self.arrows(*backward, sets)?),
            Node::Direction {
                direction,
                least,
                most,
                of,
            } => Value::Set(Set::Direction(*direction, *least, *most, self.boxed(of)?)),
            Node::Ray {
                attacks,
                directions,
                sets,
            } => {
                let all = directions.iter().fold(0, |all, it| all | it.0);
                Value::Set(Set::Ray(Box::new(Ray {
                    attacks: *attacks,
                    first: false,
                    directions: if all == 0 {
                        Direction::ANY
                    } else {
                        Direction(all)
                    },
                    sets: self.sets(sets)?,
                })))
            }
            Node::Between(one, two) => Value::Set(Set::Between(self.boxed(one)?, self.boxed(two)?)),
            Node::Pin { parts } => Value::Set(self.pin(parts)?),
            Node::Pawns(pawns) => Value::Set(Set::Pawns(*pawns)),
            Node::Shade { light, of } => {
                let squares = match light {
                    true => Bitboard::LIGHT_SQUARES,
                    false => Bitboard::DARK_SQUARES,
                };
                Value::Set(Set::Intersection(vec![
                    Set::Squares(squares),
                    self.set(of)?,
                ]))
            }
            Node::Loop {
                piece,
                all,
                name,
                within,
                body,
            } => self.each(*piece, *all, name, within, body, span)?,
            Node::Legal(mv) => Value::Set(Set::Legal(self.legal(mv, span)?)),
            Node::CountMoves(mv) => Value::Number(Number::CountMoves(self.legal(mv, span)?)),
            Node::Move(mv) => self.move_filter(mv)?,
            Node::Dash(mv) => Value::Truth(Truth::Moved(self.dash(mv)?)),
            Node::Previous(mv) => {
                let mut motion = self.dash(mv)?;
                motion.previous = true;
                Value::Truth(Truth::Moved(motion))
            }
            Node::Castle(castle) => Value::Truth(Truth::Moved(Box::new(Motion {
                previous: true,
                castle: Some(*castle),
                ..Motion::default()
            }))),
            Node::Integer(number) => Value::Number(Number::Integer(*number)),
            Node::Count(set) => Value::Number(Number::Count(self.set(set)?)),
            Node::Power(set) => Value::Number(Number::Power(self.set(set)?)),
            Node::Rank(set) => Value::Number(Number::Rank(self.set(set)?)),
            Node::File(set) => Value::Number(Number::File(self.set(set)?)),
            Node::Ply => Value::Number(Number::Ply),
            Node::MoveNumber => Value::Number(Number::MoveNumber),
            Node::Year => {
                self.reads_tags = true;
                Value::Number(Number::Year)
            }
            Node::Elo(color) => {
                self.reads_tags = true;
                Value::Number(Number::Elo(*color))
            }
            Node::Arithmetic(operator, one, two) => self.arithmetic(*operator, one, two, span)?,
            Node::Absolute(number) => {
                Value::Number(Number::Absolute(Box::new(self.number(number)?)))
            }
            Node::Line(line) => self.line(line)?,
            Node::Path(path) => self.path(path)?,
            Node::Find {
                backward,
                times,
                what,
            } => self.find(*backward, *times, what)?,
            Node::Sort {
                least,
                label,
                value,
            } => self.sort(*least, label, value, span)?,
            Node::Or(filters) => Value::Truth(self.any(filters)?),
            Node::And(filters) => Value::Truth(self.all(filters)?),
            Node::Not(filter) => Value::Truth(Truth::Not(Box::new(self.truth(filter)?))),
            Node::Compare { first, rest } => Value::Truth(self.compare(first, rest)?),
            Node::Turn(color) => Value::Truth(Truth::Turn(*color)),
            Node::Check => Value::Truth(Truth::Check),
            Node::Mate => Value::Truth(Truth::Mate),
            Node::Stalemate => Value::Truth(Truth::Stalemate),
            Node::Initial => Value::Truth(Truth::Initial),
            Node::Terminal => Value::Truth(Truth::Terminal),
            Node::Boolean(value) => Value::Truth(Truth::Always(*value)),
            Node::Tag(tag, text) => {
                self.reads_tags = true;
                Value::Truth(Truth::Tag(*tag, text.clone()))
            }
            Node::Result(result) => {
                self.reads_tags = true;
                Value::Truth(Truth::Result(*result))
            }
            Node::Comment(parts) => Value::Truth(self.comment(parts)?),
            Node::Block(filters) => self.block(filters)?,
            Node::At(place, filter) => self.at(place, filter, span)?,
            Node::CurrentPosition => Value::Position(PositionOf::Here),
            Node::Assign { piece, name, value } => self.assign(*piece, name, value, span)?,
            Node::Transform(_, inner) => self.value(inner)?,
            Node::Variants(variants) => self.variants(variants)?,
            Node::Named(name) => {
                let message = format!("there is no pattern named @{name}");
                return Err(PatternError::new(span, message));
            }
        })
    }

    fn variable(&mut self, name: &str, span: Span) -> Compiled<Value> {
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

    fn unknown(&self, name: &str, span: Span) -> PatternError {
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

    fn arrows(&mut self, backward: bool, sets: &[Filter]) -> Compiled<Set> {
        let mut sets = self.sets(sets)?;
        if let [_, _] = &sets[..] {
            let (two, one) = (sets.pop(), sets.pop());
            let sets = one.zip(two).map(|it| (Box::new(it.0), Box::new(it.1)));
            let none = || Set::Squares(Bitboard::EMPTY);
            return Ok(sets.map_or_else(none, |(one, two)| match backward {
                true => Set::AttackedBy(one, two),
                false => Set::Attacks(one, two),
            }));
        }
        // The first written set is the value; backward, the line is seen from its other end.
        if backward {
            sets.reverse();
        }
        Ok(Set::Ray(Box::new(Ray {
            attacks: true,
            first: !backward,
            directions: Direction::ANY,
            sets,
        })))
    }

    fn pin(&mut self, parts: &[(PinPart, Filter)]) -> Compiled<Set> {
        let mut pin = Pin {
            from: None,
            through: None,
            to: None,
            value: parts.first().map_or(PinPart::Through, |it| it.0),
        };
        for (part, filter) in parts {
            let set = Some(self.set(filter)?);
            match part {
                PinPart::From => pin.from = set,
                PinPart::Through => pin.through = set,
                PinPart::To => pin.to = set,
            }
        }
        Ok(Set::Pin(Box::new(pin)))
    }

    fn each(
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

    fn legal(&mut self, mv: &DashMove, span: Span) -> Compiled<Box<Motion>> {
        if mv.captures {
            let error = PatternError::new(span, "legal moves are written with --, not [x]");
            return Err(error);
        }
        let mut motion = self.dash(mv)?;
        motion.legal = true;
        Ok(motion)
    }

    fn dash(&mut self, mv: &DashMove) -> Compiled<Box<Motion>> {
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

    fn move_filter(&mut self, mv: &syntax::MoveFilter) -> Compiled<Value> {
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

    fn arithmetic(
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

    fn find(&mut self, backward: bool, times: Times, what: &Filter) -> Compiled<Value> {
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

    fn sort(&mut self, least: bool, label: &str, value: &Filter, span: Span) -> Compiled<Value> {
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

    fn truths(&mut self, filters: &[Filter]) -> Compiled<Vec<Truth>> {
        filters.iter().map(|it| self.truth(it)).collect()
    }

    fn all(&mut self, filters: &[Filter]) -> Compiled<Truth> {
        Ok(conjunction(self.truths(filters)?))
    }

    fn any(&mut self, filters: &[Filter]) -> Compiled<Truth> {
        Ok(Truth::Any(self.truths(filters)?))
    }

    fn compare(&mut self, first: &Filter, rest: &[(Comparison, Filter)]) -> Compiled<Truth> {
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

    fn comment(&mut self, parts: &[Remark]) -> Compiled<Truth> {
        self.writes_comments = true;
        let words = parts.iter().map(|part| {
            Ok(match part {
                Remark::Text(text) => Words::Text(text.clone()),
                Remark::Value(value) => match self.value(value)? {
                    Value::Set(set) | Value::Piece(set) => Words::Set(set),
                    Value::Number(number) => Words::Number(number),
                    other => return Err(wrong_kind(value.span, "a set or a number", &other)),
                },
            })
        });
        Ok(Truth::Comment(words.collect::<Compiled<_>>()?))
    }

    fn block(&mut self, filters: &[Filter]) -> Compiled<Value> {
        let Some((last, before)) = filters.split_last() else {
            return Ok(Value::Truth(Truth::Always(true)));
        };
        let before = self.truths(before)?;
        if let Node::Integer(_) = last.node {
            // Refused like any other number alone.
            self.truth(last)?;
        }
        Ok(match self.value(last)? {
            Value::Truth(truth) => {
                let all = before.into_iter().chain([truth]).collect();
                Value::Truth(conjunction(all))
            }
            value if before.is_empty() => value,
            Value::Set(set) | Value::Piece(set) => {
                Value::Set(Set::If(conjunction(before).into(), set.into()))
            }
            Value::Number(number) => {
                Value::Number(Number::If(conjunction(before).into(), number.into()))
            }
            Value::Position(position) => {
                let all = before.into_iter().chain([is_there(position)]).collect();
                Value::Truth(conjunction(all))
            }
        })
    }

    fn at(&mut self, place: &syntax::Place, filter: &Filter, span: Span) -> Compiled<Value> {
        let place = match place {
            syntax::Place::Parent => Place::Parent,
            syntax::Place::Child => Place::Child,
            syntax::Place::InitialPosition => Place::First,
            syntax::Place::Variable(name) => match self.names.get(name) {
                Some(&(Kind::Position, place)) => Place::Variable(place),
                Some(_) => {
                    let error = PatternError::new(span, format!("\"{name}\" is not a position"));
                    return Err(error.hint(format!("set it with {name}=currentposition")));
                }
                None => return Err(self.unknown(name, span)),
            },
        };
        Ok(match self.value(filter)? {
            Value::Set(set) | Value::Piece(set) => Value::Set(Set::At(place, set.into())),
            Value::Number(number) => Value::Number(Number::At(place, number.into())),
            Value::Truth(truth) => Value::Truth(Truth::At(place, truth.into())),
            other => return Err(wrong_kind(filter.span, "a filter", &other)),
        })
    }

    fn assign(&mut self, piece: bool, name: &str, value: &Filter, span: Span) -> Compiled<Value> {
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

    /// What a transform stands for: any truth, the union of sets, the greatest number.
    fn variants(&mut self, variants: &[Filter]) -> Compiled<Value> {
        let (mut sets, mut numbers, mut truths) = (Vec::new(), Vec::new(), Vec::new());
        for variant in variants {
            match self.value(variant)? {
                Value::Set(set) | Value::Piece(set) => sets.push(set),
                Value::Number(number) => numbers.push(number),
                Value::Truth(truth) => truths.push(truth),
                Value::Position(position) => truths.push(is_there(position)),
            }
        }
        Ok(if !sets.is_empty() {
            Value::Set(Set::Union(sets))
        } else if !numbers.is_empty() {
            Value::Number(Number::Greatest(numbers))
        } else if truths.iter().all(Truth::is_pure) {
            Value::Truth(Truth::Any(truths))
        } else {
            Value::Truth(Truth::AnyOfAll(truths))
        })
    }

    fn line(&mut self, line: &syntax::Line) -> Compiled<Value> {
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

    fn path(&mut self, path: &syntax::Path) -> Compiled<Value> {
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
fn is_there(position: PositionOf) -> Truth {
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

fn designator(designator: &Designator) -> Set {
    let mut squares = Bitboard::EMPTY;
    for it in &designator.squares {
        let inside = |square: &Square| {
            let (file, rank) = (square.file() as i8, square.rank() as i8);
            (it.files.0..=it.files.1).contains(&file) && (it.ranks.0..=it.ranks.1).contains(&rank)
        };
        squares |= Square::ALL.into_iter().filter(inside).collect::<Bitboard>();
    }
    if designator.squares.is_empty() {
        squares = Bitboard::FULL;
    }
    match designator.pieces {
        Some(kinds) => Set::Pieces(kinds, squares),
        None => Set::Squares(squares),
    }
}

/// All of these. What leaves nothing behind is looked at in the order of its cost.
fn conjunction(truths: Vec<Truth>) -> Truth {
    let mut flat = Vec::new();
    for truth in truths {
        match truth {
            Truth::All(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    for run in flat.chunk_by_mut(|one, two| one.is_pure() && two.is_pure()) {
        run.sort_by_key(Truth::cost);
    }
    match flat.len() {
        1 => flat.remove(0),
        _ => Truth::All(flat),
    }
}
