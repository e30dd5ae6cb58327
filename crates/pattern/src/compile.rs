//! From the syntax tree to a program: kinds are checked, designators become bitboards, variables get
//! places.

mod motion;
mod number;
mod sequence;
mod set;
mod variable;

use std::collections::HashMap;

use shakmaty::Bitboard;

use self::{sequence::is_there, set::designator, variable::Kind};
use crate::{
    error::PatternError,
    program::{Motion, Number, Place, PositionOf, Program, Ray, Set, SortKey, Truth, Value, Words},
    syntax::{self, Direction, Filter, Node, Remark, Span},
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

    fn truths(&mut self, filters: &[Filter]) -> Compiled<Vec<Truth>> {
        filters.iter().map(|it| self.truth(it)).collect()
    }

    fn all(&mut self, filters: &[Filter]) -> Compiled<Truth> {
        Ok(conjunction(self.truths(filters)?))
    }

    fn any(&mut self, filters: &[Filter]) -> Compiled<Truth> {
        Ok(Truth::Any(self.truths(filters)?))
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
