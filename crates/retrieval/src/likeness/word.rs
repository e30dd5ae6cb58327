//! A word that a player would say of a position.

use std::fmt;

use shakmaty::{Bitboard, Board, Color, File, Piece, Role, Square};

/// What a word says. What a player names first comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The player to move mates with the piece.
    Mate,
    /// The piece attacks two others after its next move.
    Fork,
    /// The piece can be taken with gain.
    EnPrise,
    /// The piece must not leave its line.
    Pinned,
    /// The piece must leave its line and exposes what is behind it.
    Skewered,
    /// A move of the piece would uncover an attack.
    Discovery,
    /// The piece has more to protect than it can.
    Overloaded,
    /// The pawn can promote.
    Promotion,
    /// A pawn that no enemy pawn can stop.
    Passed,
    /// A pawn without own pawns on the next files.
    Isolated,
    /// Two pawns side by side without others on the next files.
    Hanging,
    /// A pawn that its neighbors have left behind.
    Backward,
    /// Two pawns on a file.
    Doubled,
    /// A piece on a file without pawns.
    OpenFile,
    /// A piece on a file without own pawns.
    HalfOpenFile,
    /// A rook or queen on the enemy's second rank.
    Seventh,
    /// Pieces that act along one line together.
    Battery,
    /// A piece that no pawn can drive away.
    Outpost,
    /// A bishop behind its knight's pawn.
    Fianchetto,
    /// Two bishops against none or one.
    BishopPair,
    /// One bishop each, on squares of different colors.
    OppositeBishops,
    /// Kings on different wings.
    OppositeKings,
    /// A king in the middle while queens are on the board.
    CentralKing,
    /// The piece can give check.
    Check,
    /// A piece that nothing protects.
    Loose,
}

/// Where a word is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Said without a place.
    Anywhere,
    /// On a file.
    File(File),
    /// On a square.
    Square(Square),
}

/// Something that a player would point at, such as a fork or an isolated pawn.
///
/// ```
/// use shakmaty::{Color, Role, Square};
/// use tabiya_retrieval::likeness::{Kind, Place, Word};
///
/// let knight = Role::Knight.of(Color::White);
/// let word = Word::new(Kind::Fork, knight, Place::Square(Square::C7));
/// assert_eq!(word.to_string(), "knight fork on c7");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Word {
    kind: Kind,
    piece: Piece,
    place: Place,
}

impl Word {
    /// A word of a piece at a place.
    pub const fn new(kind: Kind, piece: Piece, place: Place) -> Word {
        Word { kind, piece, place }
    }

    /// What it says.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Of which piece.
    pub const fn piece(&self) -> Piece {
        self.piece
    }

    /// Where.
    pub const fn place(&self) -> Place {
        self.place
    }

    /// The squares to point at on a board of which the word is said.
    pub fn squares(&self, board: &Board) -> Bitboard {
        match self.place {
            Place::Square(square) => square.into(),
            Place::File(file) => board.by_piece(self.piece) & Bitboard::from(file),
            Place::Anywhere => Bitboard::EMPTY,
        }
    }

    /// The word without its place.
    pub(super) const fn anywhere(&self) -> Word {
        Word {
            place: Place::Anywhere,
            ..*self
        }
    }

    /// Whether the word says something without its place. A pinned knight does; most positions
    /// have a half-open file or a loose pawn somewhere.
    pub(super) const fn matters_anywhere(&self) -> bool {
        let is_piece = !matches!(self.piece.role, Role::Pawn);
        match self.kind {
            Kind::Mate | Kind::Fork | Kind::Skewered | Kind::Promotion | Kind::Hanging => true,
            Kind::EnPrise | Kind::Pinned | Kind::Discovery | Kind::Overloaded => is_piece,
            Kind::Battery | Kind::Seventh => true,
            _ => false,
        }
    }

    fn order(&self) -> (Kind, u8, bool, Place) {
        // Great pieces before small ones, the player to move has no precedence.
        let rank = 6 - self.piece.role as u8;
        (self.kind, rank, self.piece.color.is_black(), self.place)
    }
}

impl Ord for Word {
    fn cmp(&self, other: &Word) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Word {
    fn partial_cmp(&self, other: &Word) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = role_name(self.piece.role);
        let color = color_name(self.piece.color);
        let on = match self.place {
            Place::Square(square) => format!(" on {square}"),
            Place::File(file) => format!(" on the {file}-file"),
            Place::Anywhere => String::new(),
        };
        let pawn = match self.place {
            Place::File(file) => format!("{color} {file}-pawn"),
            _ => format!("{color} pawn{on}"),
        };
        match self.kind {
            Kind::Mate => write!(f, "mate by the {role}{on}"),
            Kind::Fork => write!(f, "{role} fork{on}"),
            Kind::EnPrise => write!(f, "{color} {role}{on} can be taken"),
            Kind::Pinned => write!(f, "pinned {color} {role}{on}"),
            Kind::Skewered => write!(f, "skewered {color} {role}{on}"),
            Kind::Discovery => write!(f, "discovered attack by the {role}{on}"),
            Kind::Overloaded => write!(f, "overloaded {color} {role}{on}"),
            Kind::Promotion => write!(f, "{pawn} can promote"),
            Kind::Passed => write!(f, "passed {pawn}"),
            Kind::Isolated => write!(f, "isolated {pawn}"),
            Kind::Hanging => write!(f, "hanging {color} pawns"),
            Kind::Backward => write!(f, "backward {pawn}"),
            Kind::Doubled => match self.place {
                Place::File(file) => write!(f, "doubled {color} {file}-pawns"),
                _ => write!(f, "doubled {color} pawns"),
            },
            Kind::OpenFile => match self.place {
                Place::File(file) => write!(f, "{color} {role} on the open {file}-file"),
                _ => write!(f, "{color} {role} on an open file"),
            },
            Kind::HalfOpenFile => match self.place {
                Place::File(file) => write!(f, "{color} {role} on the half-open {file}-file"),
                _ => write!(f, "{color} {role} on a half-open file"),
            },
            Kind::Seventh => {
                let rank = self.piece.color.fold_wb("seventh", "second");
                write!(f, "{color} {role} on the {rank} rank")
            }
            Kind::Battery => write!(f, "{color} battery with the {role}{on}"),
            Kind::Outpost => write!(f, "{color} {role} outpost{on}"),
            Kind::Fianchetto => write!(f, "{color} fianchetto{on}"),
            Kind::BishopPair => write!(f, "{color} bishop pair"),
            Kind::OppositeBishops => f.write_str("opposite-colored bishops"),
            Kind::OppositeKings => f.write_str("kings on opposite wings"),
            Kind::CentralKing => write!(f, "{color} king in the center"),
            Kind::Loose => write!(f, "loose {color} {role}{on}"),
            Kind::Check => write!(f, "{role} check{on}"),
        }
    }
}

const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

const fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}
