//! The syntax tree of a query.

use std::{
    hash::{Hash, Hasher},
    ops::{BitAnd, BitOr, Not},
};

use shakmaty::Color;

/// A part of a query's text, in bytes. All spans are equal, so that trees are compared by what they
/// say and not by where they say it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub begin: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    pub(crate) const fn new(begin: usize, end: usize) -> Span {
        Span { begin, end }
    }

    pub(crate) fn to(self, other: Span) -> Span {
        Span::new(self.begin, other.end)
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}

impl Hash for Span {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A filter of a query, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Filter {
    /// What it is.
    pub node: Node,
    /// Where it is written.
    pub span: Span,
}

/// A filter within another.
pub type Inner = Box<Filter>;

/// What a filter is. Names follow the words of the language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "each is the word of the language that it is named after"
)]
pub enum Node {
    // Sets.
    Designator(Designator),
    Variable(String),
    Union(Vec<Filter>),
    Intersection(Vec<Filter>),
    Complement(Inner),
    Attacks(Inner, Inner),
    AttackedBy(Inner, Inner),
    /// `X->Y->Z`, or `X<-Y<-Z` if backward.
    Arrows {
        backward: bool,
        sets: Vec<Filter>,
    },
    /// Squares `least` to `most` steps away.
    Direction {
        direction: Direction,
        least: u8,
        most: u8,
        of: Inner,
    },
    Ray {
        attacks: bool,
        directions: Vec<Direction>,
        sets: Vec<Filter>,
    },
    Between(Inner, Inner),
    Pin {
        parts: Vec<(PinPart, Filter)>,
    },
    Pawns(Pawns),
    Shade {
        light: bool,
        of: Inner,
    },
    Loop {
        piece: bool,
        all: bool,
        name: String,
        within: Inner,
        body: Inner,
    },
    Legal(Box<DashMove>),
    Move(MoveFilter),
    // Numbers.
    Integer(i64),
    Count(Inner),
    Power(Inner),
    Rank(Inner),
    File(Inner),
    Ply,
    MoveNumber,
    Year,
    Elo(Option<Color>),
    Arithmetic(Operator, Inner, Inner),
    Absolute(Inner),
    Line(Line),
    Path(Path),
    Find {
        backward: bool,
        times: Times,
        what: Inner,
    },
    CountMoves(Box<DashMove>),
    Sort {
        least: bool,
        label: String,
        value: Inner,
    },
    // Truths.
    Or(Vec<Filter>),
    And(Vec<Filter>),
    Not(Inner),
    Compare {
        first: Inner,
        rest: Vec<(Comparison, Filter)>,
    },
    Turn(Color),
    Check,
    Mate,
    Stalemate,
    Initial,
    Terminal,
    Boolean(bool),
    Tag(Tag, String),
    Result(GameResult),
    Dash(Box<DashMove>),
    Previous(Box<DashMove>),
    Castle(Castle),
    Comment(Vec<Remark>),
    // Values of any kind.
    Block(Vec<Filter>),
    At(Place, Inner),
    CurrentPosition,
    Assign {
        piece: bool,
        name: String,
        value: Inner,
    },
    Transform(Transform, Inner),
    /// What a transform stands for, once it is spelled out.
    Variants(Vec<Filter>),
    /// A pattern of the built-in list or of the user's, before it is put in.
    Named(String),
}

/// Pieces on squares, or squares alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Designator {
    /// The kinds of pieces; `None` for squares alone.
    pub pieces: Option<Kinds>,
    /// Where; empty for anywhere.
    pub squares: Vec<Rectangle>,
}

/// Some of the twelve kinds of pieces and the empty square, as bits: White's pawn to king, Black's, empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Kinds(pub u16);

impl Kinds {
    /// White's pieces.
    pub const WHITE: Kinds = Kinds(0x3f);
    /// Black's pieces.
    pub const BLACK: Kinds = Kinds(0x3f << 6);
    /// The pieces of both sides.
    pub const PIECES: Kinds = Kinds(0xfff);
    /// The pawns of both sides.
    pub const PAWNS: Kinds = Kinds(1 | 1 << 6);
    /// Both kings.
    pub const KINGS: Kinds = Kinds(1 << 5 | 1 << 11);
    /// The empty square.
    pub const EMPTY: Kinds = Kinds(1 << 12);
    /// All pieces and the empty square.
    pub const ALL: Kinds = Kinds(0x1fff);

    /// The kinds that a letter stands for.
    pub fn from_letter(letter: char) -> Option<Kinds> {
        Some(match letter {
            'A' | '△' => Kinds::WHITE,
            'a' | '▲' => Kinds::BLACK,
            '_' | '□' => Kinds::EMPTY,
            '♔'..='♙' => Kinds(1 << (5 - (letter as u32 - '♔' as u32))),
            '♚'..='♟' => Kinds(1 << (11 - (letter as u32 - '♚' as u32))),
            _ => Kinds(1 << LETTERS.find(letter)?),
        })
    }

    /// The letters, White's king first.
    pub fn letters(self) -> String {
        let groups = [
            (Kinds::WHITE, 'A'),
            (Kinds::BLACK, 'a'),
            (Kinds::EMPTY, '_'),
        ];
        let mut letters = String::new();
        let mut left = self.0;
        for (group, letter) in groups {
            if left & group.0 == group.0 {
                letters.push(letter);
                left &= !group.0;
            }
        }
        let each = LETTERS.char_indices().rev();
        letters.extend(each.filter(|it| left >> it.0 & 1 == 1).map(|it| it.1));
        letters
    }

    /// With colors exchanged.
    pub fn swapped(self) -> Kinds {
        Kinds((self.0 & 0x3f) << 6 | self.0 >> 6 & 0x3f | self.0 & Kinds::EMPTY.0)
    }

    /// Whether the two have a kind in common.
    pub fn meets(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitAnd for Kinds {
    type Output = Kinds;

    fn bitand(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }
}

impl BitOr for Kinds {
    type Output = Kinds;

    fn bitor(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

impl Not for Kinds {
    type Output = Kinds;

    fn not(self) -> Kinds {
        Kinds(Kinds::ALL.0 & !self.0)
    }
}

const LETTERS: &str = "PNBRQKpnbrqk";

/// A rectangle of squares: files and ranks counted from zero, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rectangle {
    /// The first and the last file.
    pub files: (i8, i8),
    /// The first and the last rank.
    pub ranks: (i8, i8),
}

/// A direction or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Direction(pub u8);

impl Direction {
    /// The steps by file and rank; bit n of a direction is the n-th of them.
    pub const STEPS: [(i8, i8); 8] = [
        (0, 1),
        (1, 1),
        (1, 0),
        (1, -1),
        (0, -1),
        (-1, -1),
        (-1, 0),
        (-1, 1),
    ];

    /// All eight.
    pub const ANY: Direction = Direction(0xff);

    /// The directions by name.
    pub const NAMES: [(&'static str, Direction); 15] = [
        ("up", Direction(1)),
        ("northeast", Direction(1 << 1)),
        ("right", Direction(1 << 2)),
        ("southeast", Direction(1 << 3)),
        ("down", Direction(1 << 4)),
        ("southwest", Direction(1 << 5)),
        ("left", Direction(1 << 6)),
        ("northwest", Direction(1 << 7)),
        ("vertical", Direction(0x11)),
        ("horizontal", Direction(0x44)),
        ("orthogonal", Direction(0x55)),
        ("diagonal", Direction(0xaa)),
        ("anydirection", Direction::ANY),
        ("maindiagonal", Direction(0x22)),
        ("offdiagonal", Direction(0x88)),
    ];

    /// The steps of the direction.
    pub fn steps(self) -> impl Iterator<Item = (i8, i8)> {
        let each = Direction::STEPS.into_iter().enumerate();
        each.filter(move |it| self.0 >> it.0 & 1 == 1)
            .map(|it| it.1)
    }

    /// With every step changed.
    pub fn map(self, change: impl Fn((i8, i8)) -> (i8, i8)) -> Direction {
        let bit = |step: (i8, i8)| {
            let changed = change(step);
            let place = Direction::STEPS.iter().position(|it| *it == changed);
            place.map_or(0, |it| 1 << it)
        };
        Direction(self.steps().map(bit).fold(0, |all, it| all | it))
    }

    /// The name.
    pub fn name(self) -> &'static str {
        let named = Direction::NAMES.iter().find(|it| it.1 == self);
        named.map_or("anydirection", |it| it.0)
    }
}

/// A part of a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PinPart {
    /// The pinning piece.
    From,
    /// The pinned piece.
    Through,
    /// What it is pinned to.
    To,
}

/// A kind of pawns, of either color.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "words of the language")]
pub enum Pawns {
    Passed,
    Isolated,
    Doubled,
    Connected,
}

/// An operator between numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "signs of the language")]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "signs of the language")]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    /// Whether it holds.
    pub fn holds(self, one: i64, two: i64) -> bool {
        match self {
            Comparison::Equal => one == two,
            Comparison::NotEqual => one != two,
            Comparison::Less => one < two,
            Comparison::LessOrEqual => one <= two,
            Comparison::Greater => one > two,
            Comparison::GreaterOrEqual => one >= two,
        }
    }

    pub(crate) const fn sign(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

/// How often something is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Times {
    /// Once or more.
    Any,
    /// The number is the value.
    All,
    /// Between two numbers.
    Within(u32, u32),
}

/// A tag that is searched for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "words of the language")]
pub enum Tag {
    Player(Option<Color>),
    Eco,
    Event,
    Site,
    Date,
}

/// A result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "plain")]
pub enum GameResult {
    WhiteWins,
    BlackWins,
    Draw,
}

/// Castling: any, short or long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "plain")]
pub enum Castle {
    Any,
    Short,
    Long,
}

/// Where a filter is looked at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// One ply earlier.
    Parent,
    /// One ply later.
    Child,
    /// The first position of the game.
    InitialPosition,
    /// The position of a variable.
    Variable(String),
}

/// `X--Y=T(F)` and `X[x]Y=T(F)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DashMove {
    /// Whether only captures match.
    pub captures: bool,
    /// What moves.
    pub from: Option<Filter>,
    /// Where to, or what is captured.
    pub to: Option<Filter>,
    /// What a pawn becomes.
    pub promotion: Option<Kinds>,
    /// What holds after the move.
    pub after: Option<Filter>,
}

/// `move from X to Y ...`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MoveFilter {
    /// The move just made.
    pub previous: bool,
    /// A legal move, whether it is played or not.
    pub legal: bool,
    /// En passant captures only.
    pub en_passant: bool,
    /// Castling only.
    pub castle: Option<Castle>,
    /// What a pawn becomes.
    pub promotion: Option<Kinds>,
    /// The sets in the order they are written; the first one gives the value.
    pub parts: Vec<(MovePart, Filter)>,
}

/// A set that a move is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "words of the language")]
pub enum MovePart {
    From,
    To,
    Capture,
}

/// How often a step repeats; no end is written as the greatest number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Repeat {
    /// At least.
    pub least: u32,
    /// At most.
    pub most: u32,
}

impl Repeat {
    /// Once.
    pub const ONCE: Repeat = Repeat { least: 1, most: 1 };
    /// `*`
    pub const STAR: Repeat = Repeat {
        least: 0,
        most: u32::MAX,
    };
    /// `+`
    pub const PLUS: Repeat = Repeat {
        least: 1,
        most: u32::MAX,
    };
    /// `?`
    pub const MAYBE: Repeat = Repeat { least: 0, most: 1 };
}

/// `line --> F --> G`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// Against the order of play.
    pub backward: bool,
    /// The length that is asked for.
    pub length: Option<(u32, u32)>,
    /// Every second position.
    pub single_color: bool,
    /// No match within an earlier one.
    pub nest_ban: bool,
    /// The shortest way counts.
    pub first_match: bool,
    /// The value is the last position.
    pub last_position: bool,
    /// The steps.
    pub steps: Vec<Step>,
}

/// A step of a line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// What it asks.
    pub what: StepKind,
    /// How often.
    pub repeat: Repeat,
}

/// What a step of a line asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// A filter of one position.
    Filter(Filter),
    /// Several steps together.
    Group(Vec<Step>),
}

/// `path c1 c2 ...`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    /// The pieces whose moves count.
    pub focus: Option<Inner>,
    /// No match within an earlier one.
    pub nest_ban: bool,
    /// The shortest way counts.
    pub first_match: bool,
    /// The value is the last position.
    pub last_position: bool,
    /// The constituents.
    pub parts: Vec<Constituent>,
}

/// A constituent of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constituent {
    /// What holds where the path has arrived.
    Filter(Filter),
    /// A move, the filters that repeat with it, and how often.
    Move(Box<DashMove>, Vec<Filter>, Repeat),
    /// Several constituents together.
    Group(Vec<Constituent>, Repeat),
}

/// A part of a comment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Remark {
    /// Plain text.
    Text(String),
    /// A value.
    Value(Filter),
}

/// A transform of the board or the colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "words of the language")]
pub enum Transform {
    FlipColor,
    FlipVertical,
    FlipHorizontal,
    Rotate90,
    Flip,
    Shift,
    ShiftHorizontal,
    ShiftVertical,
    NoTransform,
}

impl Transform {
    /// The transforms by name.
    pub const NAMES: [(&'static str, Transform); 9] = [
        ("flipcolor", Transform::FlipColor),
        ("flipvertical", Transform::FlipVertical),
        ("fliphorizontal", Transform::FlipHorizontal),
        ("rotate90", Transform::Rotate90),
        ("flip", Transform::Flip),
        ("shift", Transform::Shift),
        ("shifthorizontal", Transform::ShiftHorizontal),
        ("shiftvertical", Transform::ShiftVertical),
        ("notransform", Transform::NoTransform),
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        let named = Transform::NAMES.iter().find(|it| it.1 == self);
        named.map_or("", |it| it.0)
    }
}
