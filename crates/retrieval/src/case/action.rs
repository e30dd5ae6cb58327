//! An action: a move as an opponent's deed, wherever it was played.

use std::fmt;

use shakmaty::{Board, CastlingSide, Color, File, Move, Piece, Role, Square, san::San};
use tabiya_chess::CompactMove;

/// Which piece went where, whether it took something, and what it became: the
/// move's SAN without check marks and without the letters that only tell two
/// pieces of a kind apart.
///
/// ```
/// use shakmaty::{Board, Move, Role, Square};
/// use tabiya_retrieval::case::Action;
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
    pub(crate) fn of_compact(board: &Board, mv: CompactMove) -> Option<Action> {
        Action::of(board, mv.to_move(board)?)
    }

    /// What may have happened if a piece went from one square to another and
    /// this is the board now: the squares alone do not tell whether something
    /// was taken. Empty if no piece of the color stands there.
    pub fn that_led_to(
        board: &Board,
        mover: Color,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    ) -> Vec<Action> {
        if let Some(side) = castled(board, mover, from, to) {
            return vec![Action::castling(mover, side)];
        }
        let Some(piece) = board.piece_at(to).filter(|it| it.color == mover) else {
            return Vec::new();
        };
        let role = promotion.map_or(piece.role, |_| Role::Pawn);
        let piece = Piece { role, ..piece };
        let manners: &[Option<File>] = match role {
            Role::Pawn if from.file() == to.file() => &[None],
            Role::Pawn => &[Some(from.file())],
            _ => &[None, Some(from.file())],
        };
        let action = |&origin| Action::new(piece, to, origin, promotion);
        manners.iter().map(action).collect()
    }

    /// The action that a side's move in the notation of players stands for.
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

/// The side to which a king that went from one square to another has castled.
fn castled(board: &Board, mover: Color, from: Square, to: Square) -> Option<CastlingSide> {
    let home = Square::from_coords(File::E, mover.fold_wb(Square::E1, Square::E8).rank());
    // As the king's two steps, or as king takes rook.
    let side = match to.file() {
        File::G | File::H => CastlingSide::KingSide,
        File::C | File::A => CastlingSide::QueenSide,
        _ => return None,
    };
    let king = board.king_of(mover)?;
    (from == home && to.rank() == home.rank() && king == side.king_to(mover)).then_some(side)
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
    use crate::testing::Dice;

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
                // Letters that only tell pieces apart are no part of it.
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
                Action::that_led_to(after.board(), position.turn(), from, to, mv.promotion());
            assert!(
                found.contains(&action) && found.len() <= 2,
                "{mv:?} {found:?}"
            );
            assert!(found.iter().all(|it| it.color() == action.color()));
        });
    }

    #[test]
    fn nobody_there_means_no_action() {
        let board = Board::new();
        for (from, to) in [(Square::E7, Square::E5), (Square::E2, Square::E2)] {
            let found = Action::that_led_to(&board, Color::Black, from, to, None);
            assert_eq!(found, []);
        }
    }
}
