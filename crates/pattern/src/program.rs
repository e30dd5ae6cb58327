//! A query ready to run: designators are bitboards, variables have places, transforms are spelled out.

use shakmaty::{Bitboard, Color};

use crate::syntax::{
    Castle, Comparison, Direction, GameResult, Kinds, MovePart, Operator, Pawns, PinPart, Repeat,
    Tag,
};

/// A set of squares of a position.
#[derive(Clone, Debug)]
pub enum Set {
    /// The same squares in every position.
    Squares(Bitboard),
    /// Pieces of some kinds on some squares.
    Pieces(Kinds, Bitboard),
    /// The set that a variable holds.
    Variable(usize),
    /// Where the piece of a variable stands.
    Piece(usize),
    /// All of these together.
    Union(Vec<Set>),
    /// What these have in common.
    Intersection(Vec<Set>),
    /// All other squares.
    Complement(Box<Set>),
    /// Those of the first that attack the second.
    Attacks(Box<Set>, Box<Set>),
    /// Those of the first that the second attacks.
    AttackedBy(Box<Set>, Box<Set>),
    /// Squares some steps away.
    Direction(Direction, u8, u8, Box<Set>),
    /// Squares in order on a line.
    Ray(Box<Ray>),
    /// Squares between two sets.
    Between(Box<Set>, Box<Set>),
    /// A part of a pin.
    Pin(Box<Pin>),
    /// Pawns of either color.
    Pawns(Pawns),
    /// The squares of a set for which something holds.
    Each(Box<Each>),
    /// The targets of legal moves.
    Legal(Box<Motion>),
    /// A square of the next move or the last.
    Moved(Box<Motion>),
    /// The set as it is elsewhere in the game.
    At(Place, Box<Set>),
    /// The set, if something holds; no squares otherwise.
    If(Box<Truth>, Box<Set>),
}

/// A number; a position may not have it.
#[derive(Clone, Debug)]
pub enum Number {
    /// Always the same.
    Integer(i64),
    /// How many squares a set has.
    Count(Set),
    /// The value of the pieces on a set.
    Power(Set),
    /// The rank of the only square of a set.
    Rank(Set),
    /// The file of the only square of a set.
    File(Set),
    /// The plies before the position.
    Ply,
    /// The number of the move.
    MoveNumber,
    /// The year of the game.
    Year,
    /// A rating, or the higher of both.
    Elo(Option<Color>),
    /// An operation on two numbers.
    Arithmetic(Operator, Box<Number>, Box<Number>),
    /// Without its sign.
    Absolute(Box<Number>),
    /// The number that a variable holds.
    Variable(usize),
    /// The length of a line or path.
    Sequence(Box<Sequence>),
    /// How often something is found from here on; none if never.
    FindAll {
        /// Against the order of play.
        backward: bool,
        /// What.
        what: Box<Truth>,
    },
    /// How many legal moves there are.
    CountMoves(Box<Motion>),
    /// A number that games are sorted by.
    Sort(usize, Box<Number>),
    /// The greatest of these.
    Greatest(Vec<Number>),
    /// The number as it is elsewhere in the game.
    At(Place, Box<Number>),
    /// The number, if something holds.
    If(Box<Truth>, Box<Number>),
}

/// What is true of a position or not.
#[derive(Clone, Debug)]
pub enum Truth {
    /// Always the same.
    Always(bool),
    /// A set has squares.
    Some(Set),
    /// A number has a value.
    Has(Number),
    /// All of these.
    All(Vec<Truth>),
    /// Any of these.
    Any(Vec<Truth>),
    /// All variants are looked at, since they leave something behind.
    AnyOfAll(Vec<Truth>),
    /// The opposite.
    Not(Box<Truth>),
    /// Two numbers compare so.
    Compare(Number, Comparison, Number),
    /// Two sets are equal.
    Equal(Set, Set),
    /// Whose turn it is.
    Turn(Color),
    /// The side to move is in check.
    Check,
    /// The side to move is mated.
    Mate,
    /// The side to move has no move.
    Stalemate,
    /// The first position.
    Initial,
    /// The last position.
    Terminal,
    /// A tag holds a text.
    Tag(Tag, String),
    /// The game's result.
    Result(GameResult),
    /// The next move, or the last one.
    Moved(Box<Motion>),
    /// What holds elsewhere in the game.
    At(Place, Box<Truth>),
    /// Something holds for every square of a set.
    Every(Box<Each>),
    /// Found from here on, this often.
    Find {
        /// Against the order of play.
        backward: bool,
        /// How often; `None` is once or more.
        times: Option<(u32, u32)>,
        /// What.
        what: Box<Truth>,
    },
    /// Gives a variable its value.
    Assign(usize, Box<Value>),
    /// Writes a comment.
    Comment(Vec<Words>),
    /// Looked at once for each position.
    Once(usize, Box<Truth>),
}

/// A value of any kind.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "plain")]
pub enum Value {
    Set(Set),
    /// The piece on the square of a set, wherever it goes.
    Piece(Set),
    Number(Number),
    Truth(Truth),
    Position(PositionOf),
}

/// A position of the game.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "plain")]
pub enum PositionOf {
    Here,
    Variable(usize),
    /// Where a line or path ends.
    End(Box<Sequence>),
}

/// A part of a comment.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "plain")]
pub enum Words {
    Text(String),
    Set(Set),
    Number(Number),
}

/// Another position of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "plain")]
pub enum Place {
    Parent,
    Child,
    First,
    Variable(usize),
}

/// Squares in order on a line with nothing else between.
#[derive(Clone, Debug)]
pub struct Ray {
    /// Whether the piece on the first square moves along the line.
    pub attacks: bool,
    /// Whether the value is the set of first squares, not of last ones.
    pub first: bool,
    /// The directions.
    pub directions: Direction,
    /// The sets in order.
    pub sets: Vec<Set>,
}

/// A pin.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "parts of a pin")]
pub struct Pin {
    pub from: Option<Set>,
    pub through: Option<Set>,
    pub to: Option<Set>,
    /// The part that is the value.
    pub value: PinPart,
}

/// A loop over the squares of a set.
#[derive(Clone, Debug)]
pub struct Each {
    /// The variable that holds the square.
    pub variable: usize,
    /// Whether the variable follows the piece.
    pub piece: bool,
    /// The squares.
    pub within: Set,
    /// What is to hold.
    pub body: Truth,
}

/// What is asked of a move.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    /// The move just made.
    pub previous: bool,
    /// A legal move, whether it is played or not.
    pub legal: bool,
    /// Where from.
    pub from: Option<Set>,
    /// Where to.
    pub to: Option<Set>,
    /// What is captured.
    pub capture: Option<Set>,
    /// Captures only.
    pub captures: bool,
    /// En passant only.
    pub en_passant: bool,
    /// Castling only.
    pub castle: Option<Castle>,
    /// Castling is a move of the rook as well.
    pub rook_castles: bool,
    /// What a pawn becomes.
    pub promotion: Option<Kinds>,
    /// What holds after the move.
    pub after: Option<Truth>,
    /// The part that is the value.
    pub value: Option<MovePart>,
}

/// A line or a path.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// Against the order of play.
    pub backward: bool,
    /// How many plies a step takes.
    pub stride: usize,
    /// Counts positions (a line), not plies (a path).
    pub counts_positions: bool,
    /// The length that is asked for.
    pub length: Option<(u32, u32)>,
    /// The place of its last match, if none may begin inside.
    pub nest_ban: Option<usize>,
    /// The shortest way counts.
    pub shortest: bool,
    /// The pieces whose moves count.
    pub focus: Option<Set>,
    /// The elements in order.
    pub elements: Vec<Element>,
}

/// A part of a line or path.
#[derive(Clone, Debug)]
pub enum Element {
    /// Holds at a position, and the next one is looked at.
    Step(Truth),
    /// Holds where the path has arrived.
    Here(Truth),
    /// A move.
    Move(Box<Motion>),
    /// Several elements, repeated.
    Group(Vec<Element>, Repeat),
}

/// A key that games are sorted by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The label.
    pub label: String,
    /// The smallest value comes first.
    pub least: bool,
}

/// A compiled query.
#[derive(Clone, Debug)]
pub struct Program {
    /// What is to hold.
    pub root: Truth,
    pub(crate) variables: usize,
    pub(crate) once: usize,
    pub(crate) nest_bans: usize,
    /// The keys that games are sorted by.
    pub sorts: Vec<SortKey>,
    /// What holds at all positions that must be looked at, in order, because they leave something behind for later
    /// ones; `None` if none does.
    pub effect: Option<Truth>,
    /// Whether it reads tags.
    pub reads_tags: bool,
    /// Whether comments are written.
    pub writes_comments: bool,
}
