//! Writes a tree as text that parses to the same tree.

use std::fmt::{self, Display, Formatter, Write};

use shakmaty::Color;

use crate::syntax::{
    Castle, Constituent, DashMove, Designator, Filter, GameResult, Kinds, Line, MoveFilter,
    MovePart, Node, Operator, Path, Pawns, PinPart, Place, Rectangle, Remark, Repeat, Step,
    StepKind, Tag, Times,
};

/// Levels of precedence, loosest first.
const WHOLE: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARE: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const ARROWS: u8 = 7;
const UNION: u8 = 8;
const INTERSECTION: u8 = 9;
const ATTACKS: u8 = 10;
const DASH: u8 = 11;
const UNARY: u8 = 12;
const PRIMARY: u8 = 13;

impl Display for Filter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

/// How tightly a filter holds together. What takes all that follows is as loose as can be.
fn level(node: &Node) -> u8 {
    match node {
        Node::Or(_) | Node::Transform(..) | Node::Find { .. } | Node::Loop { .. } => WHOLE,
        Node::Line(_) | Node::Path(_) | Node::Assign { .. } | Node::Sort { .. } => WHOLE,
        Node::And(_) => AND,
        Node::Not(_) => NOT,
        Node::Compare { .. } => COMPARE,
        Node::Arithmetic(Operator::Add | Operator::Subtract, ..) => SUM,
        Node::Count(_) | Node::Power(_) | Node::Rank(_) | Node::File(_) => SUM,
        Node::Arithmetic(..) => PRODUCT,
        Node::Arrows { .. } => ARROWS,
        Node::Union(_) => UNION,
        Node::Intersection(_) => INTERSECTION,
        Node::Attacks(..) | Node::AttackedBy(..) => ATTACKS,
        Node::Dash(_) => DASH,
        Node::Complement(_) | Node::Direction { .. } | Node::Shade { .. } => UNARY,
        Node::Integer(number) if *number < 0 => UNARY,
        Node::Pin { .. } | Node::Move(_) | Node::Legal(_) | Node::Previous(_) => DASH,
        Node::CountMoves(_) => DASH,
        _ => PRIMARY,
    }
}

/// A filter where one of at least this level is expected.
struct Within<'a>(u8, &'a Filter);

impl Display for Within<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Within(least, filter) = self;
        if level(&filter.node) < *least {
            write!(f, "({filter})")
        } else {
            write!(f, "{filter}")
        }
    }
}

/// Filters with a separator.
fn joined(filters: &[Filter], least: u8, separator: &str) -> String {
    let each = filters.iter().map(|it| Within(least, it).to_string());
    each.collect::<Vec<_>>().join(separator)
}

impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Node::Designator(it) => it.fmt(f),
            Node::Variable(name) => f.write_str(name),
            Node::Named(name) => write!(f, "@{name}"),
            Node::Union(sets) => f.write_str(&joined(sets, INTERSECTION, " | ")),
            Node::Intersection(sets) => f.write_str(&joined(sets, ATTACKS, " & ")),
            Node::Complement(set) => write!(f, "~{}", Within(UNARY, set)),
            Node::Attacks(one, two) => {
                write!(f, "{} attacks {}", Within(ATTACKS, one), Within(DASH, two))
            }
            Node::AttackedBy(one, two) => {
                write!(
                    f,
                    "{} attackedby {}",
                    Within(ATTACKS, one),
                    Within(DASH, two)
                )
            }
            Node::Arrows { backward, sets } => {
                f.write_str(&joined(sets, UNION, if *backward { "<-" } else { "->" }))
            }
            Node::Direction {
                direction,
                least,
                most,
                of,
            } => {
                f.write_str(direction.name())?;
                match (least, most) {
                    (1, 7) => {}
                    _ if least == most => write!(f, " {least}")?,
                    _ => write!(f, " {least} {most}")?,
                }
                write!(f, " {}", Within(UNARY, of))
            }
            Node::Ray {
                attacks,
                directions,
                sets,
            } => {
                f.write_str(if *attacks { "xray " } else { "ray " })?;
                for direction in directions {
                    write!(f, "{} ", direction.name())?;
                }
                write!(f, "({})", joined(sets, ARROWS, " "))
            }
            Node::Between(one, two) => {
                write!(
                    f,
                    "between ({} {})",
                    Within(ARROWS, one),
                    Within(ARROWS, two)
                )
            }
            Node::Pin { parts } => {
                f.write_str("pin")?;
                for (part, set) in parts {
                    let word = match part {
                        PinPart::From => "from",
                        PinPart::Through => "through",
                        PinPart::To => "to",
                    };
                    write!(f, " {word} {}", Within(UNARY, set))?;
                }
                Ok(())
            }
            Node::Pawns(pawns) => f.write_str(match pawns {
                Pawns::Passed => "passedpawns",
                Pawns::Isolated => "isolatedpawns",
                Pawns::Doubled => "doubledpawns",
                Pawns::Connected => "connectedpawns",
            }),
            Node::Shade { light, of } => {
                let word = if *light { "light" } else { "dark" };
                write!(f, "{word} {}", Within(UNARY, of))
            }
            Node::Loop {
                piece,
                all,
                name,
                within,
                body,
            } => {
                f.write_str(if *piece { "piece " } else { "square " })?;
                f.write_str(if *all { "all " } else { "" })?;
                write!(
                    f,
                    "{name} in {} {}",
                    Within(ARROWS, within),
                    Within(WHOLE, body)
                )
            }
            Node::Legal(mv) => write!(f, "legal {mv}"),
            Node::Previous(mv) => write!(f, "previous {mv}"),
            Node::CountMoves(mv) => write!(f, "countmoves legal {mv}"),
            Node::Dash(mv) => mv.fmt(f),
            Node::Move(mv) => mv.fmt(f),
            Node::Integer(number) => number.fmt(f),
            Node::Count(set) => write!(f, "#{}", Within(ARROWS, set)),
            Node::Power(set) => write!(f, "power {}", Within(ARROWS, set)),
            Node::Rank(set) => write!(f, "rank {}", Within(ARROWS, set)),
            Node::File(set) => write!(f, "file {}", Within(ARROWS, set)),
            Node::Ply => f.write_str("ply"),
            Node::MoveNumber => f.write_str("movenumber"),
            Node::Year => f.write_str("year"),
            Node::Elo(color) => write!(f, "elo{}", of_color(*color)),
            Node::Arithmetic(operator, one, two) => {
                let (sign, left, right) = match operator {
                    Operator::Add => ("+", SUM, PRODUCT),
                    Operator::Subtract => ("-", SUM, PRODUCT),
                    Operator::Multiply => ("*", PRODUCT, ARROWS),
                    Operator::Divide => ("/", PRODUCT, ARROWS),
                    Operator::Remainder => ("%", PRODUCT, ARROWS),
                };
                write!(f, "{} {sign} {}", Within(left, one), Within(right, two))
            }
            Node::Absolute(number) => write!(f, "abs({})", Within(SUM, number)),
            Node::Line(line) => line.fmt(f),
            Node::Path(path) => path.fmt(f),
            Node::Find {
                backward,
                times,
                what,
            } => {
                f.write_str("find")?;
                f.write_str(if *backward { " <--" } else { "" })?;
                match times {
                    Times::Any => {}
                    Times::All => f.write_str(" all")?,
                    Times::Within(..) => {}
                }
                let what = Within(WHOLE, what).to_string();
                if let Times::Within(least, most) = times {
                    write!(f, " {least}")?;
                    // One number is enough, unless another would seem to be the second.
                    if least != most || what.starts_with(|it: char| it.is_ascii_digit()) {
                        write!(f, " {most}")?;
                    }
                }
                write!(f, " {what}")
            }
            Node::Sort {
                least,
                label,
                value,
            } => {
                f.write_str(if *least { "sort min " } else { "sort " })?;
                if !label.is_empty() {
                    write!(f, "\"{label}\" ")?;
                }
                write!(f, "{}", Within(SUM, value))
            }
            Node::Or(filters) => f.write_str(&joined(filters, AND, " or ")),
            Node::And(filters) => f.write_str(&joined(filters, NOT, " and ")),
            Node::Not(filter) => write!(f, "not {}", Within(NOT, filter)),
            Node::Compare { first, rest } => {
                write!(f, "{}", Within(SUM, first))?;
                for (comparison, value) in rest {
                    write!(f, " {} {}", comparison.sign(), Within(SUM, value))?;
                }
                Ok(())
            }
            Node::Turn(color) => f.write_str(color.fold_wb("wtm", "btm")),
            Node::Check => f.write_str("check"),
            Node::Mate => f.write_str("mate"),
            Node::Stalemate => f.write_str("stalemate"),
            Node::Initial => f.write_str("initial"),
            Node::Terminal => f.write_str("terminal"),
            Node::Boolean(value) => value.fmt(f),
            Node::Tag(tag, text) => {
                match tag {
                    Tag::Player(color) => write!(f, "player{}", of_color(*color))?,
                    Tag::Eco => f.write_str("eco")?,
                    Tag::Event => f.write_str("event")?,
                    Tag::Site => f.write_str("site")?,
                    Tag::Date => f.write_str("date")?,
                }
                write!(f, " \"{text}\"")
            }
            Node::Result(result) => f.write_str(match result {
                GameResult::WhiteWins => "result 1-0",
                GameResult::BlackWins => "result 0-1",
                GameResult::Draw => "result 1/2-1/2",
            }),
            Node::Castle(castle) => castle.fmt(f),
            Node::Comment(parts) => {
                f.write_str("comment(")?;
                for (at, part) in parts.iter().enumerate() {
                    f.write_str(if at > 0 { " " } else { "" })?;
                    match part {
                        Remark::Text(text) => write!(f, "\"{text}\"")?,
                        Remark::Value(value) => write!(f, "{}", Within(SUM, value))?,
                    }
                }
                f.write_char(')')
            }
            Node::Block(filters) => write!(f, "{{{}}}", joined(filters, WHOLE, " ")),
            Node::At(place, filter) => {
                f.write_str(match place {
                    Place::Parent => "parent",
                    Place::Child => "child",
                    Place::InitialPosition => "initialposition",
                    Place::Variable(name) => name,
                })?;
                write!(f, ":{}", Within(PRIMARY, filter))
            }
            Node::CurrentPosition => f.write_str("currentposition"),
            Node::Assign { piece, name, value } => {
                f.write_str(if *piece { "piece " } else { "" })?;
                write!(f, "{name}={}", Within(SUM, value))
            }
            Node::Transform(transform, filter) => {
                write!(f, "{} {}", transform.name(), Within(WHOLE, filter))
            }
            Node::Variants(filters) => write!(f, "({})", joined(filters, AND, " or ")),
        }
    }
}

fn of_color(color: Option<Color>) -> &'static str {
    color.map_or("", |it| it.fold_wb(" white", " black"))
}

impl Display for Castle {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Castle::Any => "castle",
            Castle::Short => "o-o",
            Castle::Long => "o-o-o",
        })
    }
}

impl Display for Designator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(kinds) = self.pieces {
            write!(f, "{}", Pieces(kinds))?;
        } else if self.squares.is_empty() {
            return f.write_char('.');
        }
        match &self.squares[..] {
            [] => Ok(()),
            [one] => one.fmt(f),
            several => {
                let several: Vec<_> = several.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", several.join(","))
            }
        }
    }
}

struct Pieces(Kinds);

impl Display for Pieces {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let letters = self.0.letters();
        if letters.len() == 1 {
            f.write_str(&letters)
        } else {
            write!(f, "[{letters}]")
        }
    }
}

impl Display for Rectangle {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut write = |(first, last): (i8, i8), zero: u8| {
            let sign = |it: i8| char::from(zero.wrapping_add(it as u8));
            f.write_char(sign(first))?;
            if first == last {
                return Ok(());
            }
            f.write_char('-')?;
            f.write_char(sign(last))
        };
        write(self.files, b'a')?;
        write(self.ranks, b'1')
    }
}

impl Display for DashMove {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(from) = &self.from {
            write!(f, "{}", Within(UNARY, from))?;
        }
        f.write_str(if self.captures { "[x]" } else { "--" })?;
        match &self.to {
            // What is in parentheses here would hold after the move.
            Some(to) if level(&to.node) < UNARY || to.to_string().starts_with('(') => {
                write!(f, "{{{to}}}")?;
            }
            Some(to) => write!(f, "{to}")?,
            None => {}
        }
        if let Some(kinds) = self.promotion {
            write!(f, "={}", Pieces(kinds))?;
        }
        match &self.after {
            Some(Filter {
                node: Node::Block(filters),
                ..
            }) if filters.len() > 1 => write!(f, "({})", joined(filters, WHOLE, " ")),
            Some(filter) => write!(f, "({filter})"),
            None => Ok(()),
        }
    }
}

impl Display for MoveFilter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("move")?;
        f.write_str(if self.previous { " previous" } else { "" })?;
        f.write_str(if self.legal { " legal" } else { "" })?;
        f.write_str(if self.en_passant { " enpassant" } else { "" })?;
        if let Some(castle) = self.castle {
            write!(f, " {castle}")?;
        }
        for (part, set) in &self.parts {
            let word = match part {
                MovePart::From => "from",
                MovePart::To => "to",
                MovePart::Capture => "capture",
            };
            write!(f, " {word} {}", Within(UNARY, set))?;
        }
        match self.promotion {
            Some(kinds) => write!(f, " promote {}", Pieces(kinds)),
            None => Ok(()),
        }
    }
}

impl Display for Repeat {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (1, 1) => Ok(()),
            (0, 1) => f.write_char('?'),
            (0, u32::MAX) => f.write_char('*'),
            (1, u32::MAX) => f.write_char('+'),
            (least, u32::MAX) => write!(f, "{{{least},}}"),
            (least, most) if least == most => write!(f, "{{{least}}}"),
            (least, most) => write!(f, "{{{least},{most}}}"),
        }
    }
}

impl Display for Line {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("line")?;
        match self.length {
            Some((least, most)) if least == most => write!(f, " {least}")?,
            Some((least, most)) => write!(f, " {least} {most}")?,
            None => {}
        }
        f.write_str(if self.single_color {
            " singlecolor"
        } else {
            ""
        })?;
        f.write_str(if self.nest_ban { " nestban" } else { "" })?;
        f.write_str(if self.first_match { " firstmatch" } else { "" })?;
        f.write_str(if self.last_position {
            " lastposition"
        } else {
            ""
        })?;
        write_steps(f, &self.steps, self.arrow(), true)
    }
}

impl Line {
    fn arrow(&self) -> &'static str {
        if self.backward { "<--" } else { "-->" }
    }
}

fn write_steps(f: &mut Formatter<'_>, steps: &[Step], arrow: &str, first: bool) -> fmt::Result {
    for (at, step) in steps.iter().enumerate() {
        if at > 0 || first {
            write!(f, " {arrow} ")?;
        }
        match &step.what {
            // A repetition after a loose filter would repeat only its end.
            StepKind::Filter(filter) if step.repeat != Repeat::ONCE => {
                write!(f, "{}", Within(PRIMARY, filter))?;
            }
            StepKind::Filter(filter) => match &filter.node {
                // The arrow that follows would be taken for the inner line's.
                Node::Line(_) => write!(f, "({filter})")?,
                _ => write!(f, "{}", Within(WHOLE, filter))?,
            },
            StepKind::Group(steps) => {
                f.write_char('(')?;
                write_steps(f, steps, arrow, false)?;
                f.write_char(')')?;
            }
        }
        write!(f, "{}", step.repeat)?;
    }
    Ok(())
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("path")?;
        if let Some(focus) = &self.focus {
            write!(f, " focus {}", Within(UNARY, focus))?;
        }
        f.write_str(if self.nest_ban { " nestban" } else { "" })?;
        f.write_str(if self.first_match { " firstmatch" } else { "" })?;
        f.write_str(if self.last_position {
            " lastposition"
        } else {
            ""
        })?;
        write_constituents(f, &self.parts, true)
    }
}

fn write_constituents(f: &mut Formatter<'_>, parts: &[Constituent], first: bool) -> fmt::Result {
    for (at, part) in parts.iter().enumerate() {
        if at > 0 || first {
            f.write_char(' ')?;
        }
        match part {
            Constituent::Filter(filter) => write!(f, "{filter}")?,
            Constituent::Move(mv, filters, repeat) => {
                write!(f, "{mv}")?;
                for filter in filters {
                    write!(f, " {}", Within(PRIMARY, filter))?;
                }
                write!(f, "{repeat}")?;
            }
            Constituent::Group(parts, repeat) => {
                f.write_char('(')?;
                write_constituents(f, parts, false)?;
                write!(f, "){repeat}")?;
            }
        }
    }
    Ok(())
}
