//! An action: what a move does, wherever it is played.

use std::fmt;

use crate::CompactMove;
use shakmaty::{
    Bitboard, Board, CastlingSide, Color, File, Move, Piece, Rank, Role, Square, attacks, san::San,
};

/// Which piece went where, whether it took something, and what it became: the
/// move's SAN without check marks and without the letters that only tell two
/// pieces of a kind apart.
///
/// ```
/// use shakmaty::{Board, Move, Role, Square};
/// use tabiya_chess::Action;
///
/// let mv = Move::Normal { role: Role::Knight, from: Square::G1, capture: None, to: Square::F3, promotion: None };
/// assert_eq!(Action::of(&Board::new(), mv).unwrap().to_string(), "Nf3");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action(u16);

/// How the piece came to its square, in bits 9 and 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
enum Manner {
    Quiet = 0,
    /// It took something; a pawn came from the file to the left.
    Capture = 1,
    /// A pawn took something to its left.
    CaptureFromRight = 2,
    Castling = 3,
}

const ROLE_SHIFT: u16 = 6;
const MANNER_SHIFT: u16 = 9;
const PROMOTION_SHIFT: u16 = 11;
const COLOR_SHIFT: u16 = 14;

impl Action {
    /// The action of a move on the board it is played on. `None` if there is
    /// no piece to play it.
    pub fn of(board: &Board, mv: Move) -> Option<Action> {
        let from = mv.from()?;
        let color = board.color_at(from)?;
        if let Some(side) = mv.castling_side() {
            return Some(Action::castling(color, side));
        }
        let piece = Piece {
            color,
            role: mv.role(),
        };
        let origin = mv.is_capture().then(|| from.file());
        Some(Action::new(piece, mv.to(), origin, mv.promotion()))
    }

    /// The action of a stored move.
    pub fn of_compact(board: &Board, mv: CompactMove) -> Option<Action> {
        Action::of(board, mv.to_move(board)?)
    }

    /// What may have happened if a piece went from one square to another and
    /// this is the board now: the squares alone do not show whether something
    /// was taken.
    ///
    /// # Errors
    ///
    /// When no such move can have led to the board.
    pub fn that_led_to(
        board: &Board,
        mover: Color,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    ) -> Result<Vec<Action>, Impossible> {
        if let Some(side) = castled(board, mover, from, to) {
            return Ok(vec![Action::castling(mover, side)]);
        }
        let there = board.piece_at(to).filter(|it| it.color == mover);
        let there = there.ok_or(Impossible::NoPiece { mover, to })?;
        if board.occupied().contains(from) {
            return Err(Impossible::Occupied(from));
        }
        let piece = before_promotion(there, to, promotion)?;
        let manners: &[Option<File>] = match piece.role {
            Role::Pawn if from.file() == to.file() => &[None],
            Role::Pawn => &[Some(from.file())],
            _ => &[None, Some(from.file())],
        };
        let is_capture = manners == [Some(from.file())];
        if !origins(board, piece, to, is_capture).contains(from) {
            return Err(Impossible::NoWay { piece, to });
        }
        let action = |&origin| Action::new(piece, to, origin, promotion);
        Ok(manners.iter().map(action).collect())
    }

    /// What has happened if this is what players write of it and this is the
    /// board now.
    ///
    /// # Errors
    ///
    /// When no such move can have led to the board.
    pub fn written(board: &Board, mover: Color, san: &San) -> Result<Action, Impossible> {
        let action = Action::of_san(san, mover).ok_or(Impossible::NoMove)?;
        let (role, file, rank, capture, to, promotion) = match *san {
            San::Castle(side) if has_castled(board, mover, side) => return Ok(action),
            San::Castle(_) => return Err(Impossible::NotCastled(mover)),
            San::Normal {
                role,
                file,
                rank,
                capture,
                to,
                promotion,
            } => (role, file, rank, capture, to, promotion),
            _ => return Err(Impossible::NoMove),
        };
        let piece = promotion.unwrap_or(role).of(mover);
        if board.piece_at(to) != Some(piece) {
            return Err(Impossible::NotThere { piece, to });
        }
        let piece = before_promotion(piece, to, promotion)?;
        let fits = |it: &Square| {
            file.is_none_or(|file| file == it.file()) && rank.is_none_or(|rank| rank == it.rank())
        };
        // A pawn that takes names its file, or its action would be another.
        let is_named = role == piece.role && (role != Role::Pawn || file.is_some() == capture);
        let mut origins = origins(board, piece, to, capture).into_iter();
        match is_named && origins.any(|it| fits(&it)) {
            true => Ok(action),
            false => Err(Impossible::NoWay { piece, to }),
        }
    }

    /// The action of a side's move in SAN.
    pub fn of_san(san: &San, mover: Color) -> Option<Action> {
        match *san {
            San::Castle(side) => Some(Action::castling(mover, side)),
            San::Normal {
                role,
                file,
                capture,
                to,
                promotion,
                ..
            } => {
                let origin = file.filter(|_| capture).or(capture.then(|| to.file()));
                Some(Action::new(role.of(mover), to, origin, promotion))
            }
            _ => None,
        }
    }

    /// A move that is not castling; `origin` is where a capture came from.
    fn new(piece: Piece, to: Square, origin: Option<File>, promotion: Option<Role>) -> Action {
        let manner = match origin {
            None => Manner::Quiet,
            Some(file) if piece.role == Role::Pawn && file > to.file() => Manner::CaptureFromRight,
            Some(_) => Manner::Capture,
        };
        Action::pack(piece, to, manner, promotion)
    }

    fn castling(color: Color, side: CastlingSide) -> Action {
        let king = Role::King.of(color);
        Action::pack(king, side.king_to(color), Manner::Castling, None)
    }

    fn pack(piece: Piece, to: Square, manner: Manner, promotion: Option<Role>) -> Action {
        let promotion = promotion.map_or(0, |it| it as u16);
        Action(
            to as u16
                | (piece.role as u16) << ROLE_SHIFT
                | (manner as u16) << MANNER_SHIFT
                | promotion << PROMOTION_SHIFT
                | u16::from(piece.color.is_black()) << COLOR_SHIFT,
        )
    }

    /// The stored bits.
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// Who acted.
    pub fn color(self) -> Color {
        Color::from_black(self.0 >> COLOR_SHIFT & 1 == 1)
    }

    fn role(self, shift: u16) -> Option<Role> {
        Role::try_from(u32::from(self.0 >> shift & 7)).ok()
    }
}

/// The piece that came to a square and became what stands there.
fn before_promotion(
    there: Piece,
    to: Square,
    promotion: Option<Role>,
) -> Result<Piece, Impossible> {
    match promotion {
        None => Ok(there),
        Some(role)
            if role == there.role
                && to.rank() == there.color.fold_wb(Rank::Eighth, Rank::First) =>
        {
            Ok(Role::Pawn.of(there.color))
        }
        Some(_) => Err(Impossible::Promotion(to)),
    }
}

/// The squares, empty now, from which a piece can have reached where it is.
fn origins(board: &Board, piece: Piece, to: Square, is_capture: bool) -> Bitboard {
    let occupied = board.occupied();
    // Where a piece can go it can come from; a pawn walks the other way.
    let from = match (piece.role, is_capture) {
        (Role::Pawn, true) => attacks::pawn_attacks(!piece.color, to),
        (Role::Pawn, false) => steps(piece.color, to, occupied),
        _ => attacks::attacks(to, piece, occupied),
    };
    let edge = match piece.role {
        Role::Pawn => Bitboard::BACKRANKS,
        _ => Bitboard::EMPTY,
    };
    from & !occupied & !edge
}

/// Where a pawn that took nothing can have come from.
fn steps(color: Color, to: Square, occupied: Bitboard) -> Bitboard {
    let back = color.fold_wb(-8, 8);
    let one = to.offset(back);
    let passed = one.filter(|it| !occupied.contains(*it));
    let leaps = to.rank() == color.fold_wb(Rank::Fourth, Rank::Fifth);
    let two = passed.filter(|_| leaps).and_then(|it| it.offset(back));
    one.into_iter().chain(two).collect()
}

/// Whether king and rook stand as castling leaves them.
fn has_castled(board: &Board, mover: Color, side: CastlingSide) -> bool {
    let corner = match side {
        CastlingSide::KingSide => File::H,
        CastlingSide::QueenSide => File::A,
    };
    let rank = side.king_to(mover).rank();
    board.piece_at(side.king_to(mover)) == Some(Role::King.of(mover))
        && board.piece_at(side.rook_to(mover)) == Some(Role::Rook.of(mover))
        && [File::E, corner]
            .iter()
            .all(|&it| board.piece_at(Square::from_coords(it, rank)).is_none())
}

/// Why a move cannot have led to a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// It is a pass, or not a move at all.
    #[error("not a move of a piece")]
    NoMove,
    /// The side has nothing on the square.
    #[error("{mover} has no piece on {to}", mover = side(*mover))]
    NoPiece {
        /// The side.
        mover: Color,
        /// The square.
        to: Square,
    },
    /// The side has no such piece on the square.
    #[error("{} has no {} on {to}", side(piece.color), role_name(piece.role))]
    NotThere {
        /// The piece.
        piece: Piece,
        /// The square.
        to: Square,
    },
    /// Something stands where the move began.
    #[error("{0} is not empty, so no piece has left it")]
    Occupied(Square),
    /// The piece cannot have come to the square in this way.
    #[error("no {} can have reached {to} by this move", role_name(piece.role))]
    NoWay {
        /// The piece.
        piece: Piece,
        /// The square.
        to: Square,
    },
    /// No pawn has become that on the square.
    #[error("no pawn can have promoted to this piece on {0}")]
    Promotion(Square),
    /// King and rook of the side do not stand as after castling.
    #[error("{}'s king and rook are not where castling puts them", side(*.0))]
    NotCastled(Color),
}

const fn side(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// The name of a piece, such as `knight`.
pub const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// The side to which a king that went from one square to another has castled.
fn castled(board: &Board, mover: Color, from: Square, to: Square) -> Option<CastlingSide> {
    let home = Square::from_coords(File::E, mover.fold_wb(Square::E1, Square::E8).rank());
    // As the king's two steps, or as king takes rook.
    let side = match to.file() {
        File::G | File::H => CastlingSide::KingSide,
        File::C | File::A => CastlingSide::QueenSide,
        _ => return None,
    };
    let is_told = from == home && to.rank() == home.rank();
    (is_told && has_castled(board, mover, side)).then_some(side)
}

/// As the move is written, White's and Black's alike.
impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = Square::new(u32::from(self.0 & 63));
        let role = self.role(ROLE_SHIFT).unwrap_or(Role::Pawn);
        let manner = self.0 >> MANNER_SHIFT & 3;
        if manner == Manner::Castling as u16 {
            let short = to.file() == File::G;
            return f.write_str(if short { "O-O" } else { "O-O-O" });
        }
        if role != Role::Pawn {
            write!(f, "{}", role.upper_char())?;
        } else if manner != Manner::Quiet as u16 {
            let step = if manner == Manner::Capture as u16 {
                -1
            } else {
                1
            };
            let file = to.file().offset(step).unwrap_or(to.file());
            write!(f, "{}", file.char())?;
        }
        if manner != Manner::Quiet as u16 {
            f.write_str("x")?;
        }
        write!(f, "{to}")?;
        match self.role(PROMOTION_SHIFT) {
            Some(role) => write!(f, "={}", role.upper_char()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Chess, Position, san::San};

    use super::*;
    use tabiya_gametree::Dice;

    /// Walks through random games.
    fn for_each_move(mut visit: impl FnMut(&Chess, Move)) {
        let mut dice = Dice::new(11);
        for _ in 0..60 {
            let mut position = Chess::default();
            for _ in 0..120 {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    break;
                }
                legal.iter().for_each(|&mv| visit(&position, mv));
                position.play_unchecked(legal[dice.below(legal.len())]);
            }
        }
    }

    #[test]
    fn an_action_reads_like_its_move() {
        for_each_move(|position, mv| {
            let action = Action::of(position.board(), mv).unwrap();
            assert_eq!(action.color(), position.turn());
            let mut san = San::from_move(position, mv);
            if let San::Normal {
                role, file, rank, ..
            } = &mut san
            {
                // Letters that only distinguish pieces are not part of it.
                if *role != Role::Pawn {
                    (*file, *rank) = (None, None);
                }
            }
            assert_eq!(action.to_string(), san.to_string());
            assert_eq!(Action::of_san(&san, position.turn()), Some(action));
        });
    }

    #[test]
    fn squares_and_the_board_after_tell_the_action_or_its_twin() {
        for_each_move(|position, mv| {
            let action = Action::of(position.board(), mv).unwrap();
            let after = position.clone().play(mv).unwrap();
            let to = match mv.castling_side() {
                Some(side) => side.king_to(position.turn()),
                None => mv.to(),
            };
            let from = mv.from().unwrap();
            let found =
                Action::that_led_to(after.board(), position.turn(), from, to, mv.promotion())
                    .unwrap();
            assert!(
                found.contains(&action) && found.len() <= 2,
                "{mv:?} {found:?}"
            );
            assert!(found.iter().all(|it| it.color() == action.color()));
            let san = San::from_move(position, mv);
            let written = Action::written(after.board(), position.turn(), &san);
            assert_eq!(written, Ok(action), "{san}");
        });
    }

    /// Checks why squares and a notation cannot have led to a position.
    #[track_caller]
    fn check_impossible(fen: &str, text: &str, expected: &str) {
        let after = crate::position::parse(fen).unwrap();
        let (board, mover) = (after.board(), !after.turn());
        let error = match text.parse() {
            Ok(shakmaty::uci::UciMove::Normal {
                from,
                to,
                promotion,
            }) => Action::that_led_to(board, mover, from, to, promotion).map(|_| ()),
            _ => Action::written(board, mover, &text.parse().unwrap()).map(|_| ()),
        };
        let words = error.expect_err(text).to_string();
        assert!(words.contains(expected), "{text}: {words}");
    }

    #[test]
    fn a_move_that_cannot_have_led_here_is_refused_with_the_reason() {
        let open = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        for (text, expected) in [
            ("d4", "Black has no pawn on d4"),
            ("Ne5", "Black has no knight on e5"),
            ("e4", "Black has no pawn on e4"),
            ("O-O", "are not where castling puts them"),
            ("e5=Q", "Black has no queen on e5"),
            ("xe5", "no pawn can have reached e5"),
            ("axe5", "no pawn can have reached e5"),
            ("exe5", "no pawn can have reached e5"),
            ("a8e5", "a8 is not empty"),
            ("e4e5", "e4 is not empty"),
            ("h1e5", "h1 is not empty"),
            ("e3e5", "no pawn can have reached e5"),
            ("c6e5", "no pawn can have reached e5"),
            ("e7e5q", "no pawn can have promoted"),
            ("e7e6", "Black has no piece on e6"),
            ("e7e4", "Black has no piece on e4"),
        ] {
            check_impossible(open, text, expected);
        }
        let rook = "4k3/8/8/8/8/8/3P4/R3K2R b - - 0 1";
        for (text, expected) in [
            ("O-O", "are not where castling puts them"),
            ("e1g1", "White has no piece on g1"),
            ("Rfa1", "no rook can have reached a1"),
            ("a2h1", "no rook can have reached h1"),
            ("d1d2", "no pawn can have reached d2"),
        ] {
            check_impossible(rook, text, expected);
        }
    }

    #[test]
    fn nobody_there_means_no_action() {
        let (board, mover) = (Board::new(), Color::Black);
        for (from, to) in [(Square::E7, Square::E5), (Square::E2, Square::E2)] {
            let found = Action::that_led_to(&board, mover, from, to, None);
            assert_eq!(found, Err(Impossible::NoPiece { mover, to }));
        }
    }
}
