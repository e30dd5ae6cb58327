//! Reading positions from FEN, and saying in words why one is impossible.

use shakmaty::{
    CastlingMode, Chess, EnPassantMode, Position, PositionError, PositionErrorKinds, Setup,
    fen::Fen,
};

/// Why a FEN is not a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FenError {
    /// The text does not have the form of a FEN; says which part is wrong.
    #[error(
        "not a FEN ({0}); expected for instance \
         \"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\""
    )]
    Form(String),
    /// The form is right, but no game can have this position; says why.
    #[error("impossible position: {}", .0.join("; "))]
    Impossible(Vec<&'static str>),
}

/// Reads a FEN of four or six fields (fewer are filled in) and checks that
/// the position is possible.
///
/// Castling rights and en passant squares that the board contradicts are
/// dropped rather than refused: many tools write them carelessly, and the
/// position is clear without them.
///
/// ```
/// use tabiya_chess::position;
///
/// assert!(position::parse("8/8/4k3/8/8/4K3/8/8 w - -").is_ok());
/// let error = position::parse("8/8/8/8/8/4K3/8/8 w - - 0 1").unwrap_err();
/// assert_eq!(error.to_string(), "impossible position: a king is missing");
/// ```
///
/// # Errors
///
/// A [`FenError`] that names the faulty part or all reasons at once.
pub fn parse(fen: &str) -> Result<Chess, FenError> {
    let fen: Fen = fen
        .trim()
        .parse()
        .map_err(|error| FenError::Form(format!("{error}")))?;
    // A pocket or a check counter makes it a variant's position.
    let setup = fen.into_setup();
    if setup.pockets.is_some() || setup.remaining_checks.is_some() {
        return Err(FenError::Form("it belongs to a variant".into()));
    }
    setup
        .position(CastlingMode::Standard)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .map_err(|error| FenError::Impossible(reasons(error.kinds())))
}

/// The position as a FEN of six fields, with an en passant square only where
/// the capture is legal.
pub fn to_fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// Reads back what [`to_fen`] wrote. Positions that [`parse`] refuses from a user are accepted: games may begin with them, and symmetries may lead to them.
pub fn read_back(fen: &str) -> Option<Chess> {
    lenient(fen.parse::<Fen>().ok()?.into_setup())
}

/// The position of a setup that a game may begin with or a symmetry may lead to, even where
/// [`parse`] would refuse it.
pub(crate) fn lenient(setup: Setup) -> Option<Chess> {
    setup
        .position(CastlingMode::Standard)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .ok()
}

/// The position after the side to move passes, as a null move in a PGN file
/// does; `None` if it is in check.
pub fn pass(position: &Chess) -> Option<Chess> {
    let mut setup = position.to_setup(EnPassantMode::Legal);
    if setup.turn.is_black() {
        setup.fullmoves = setup.fullmoves.saturating_add(1);
    }
    setup.halfmoves = setup.halfmoves.saturating_add(1);
    setup.ep_square = None;
    setup.swap_turn();
    let passed = setup.position(CastlingMode::Standard);
    // The start may have been accepted with more material than is possible.
    passed.or_else(PositionError::ignore_too_much_material).ok()
}

fn reasons(kinds: PositionErrorKinds) -> Vec<&'static str> {
    const WORDS: [(PositionErrorKinds, &str); 7] = [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (
            PositionErrorKinds::TOO_MANY_KINGS,
            "a side has more than one king",
        ),
        (
            PositionErrorKinds::PAWNS_ON_BACKRANK,
            "a pawn stands on the first or last rank",
        ),
        (
            PositionErrorKinds::OPPOSITE_CHECK,
            "the side not to move is in check",
        ),
        (
            PositionErrorKinds::IMPOSSIBLE_CHECK,
            "no move can have given these checks",
        ),
        (
            PositionErrorKinds::TOO_MUCH_MATERIAL,
            "a side has more pieces than promotions allow",
        ),
    ];
    let named =
        |&(kind, words): &(PositionErrorKinds, &'static str)| kinds.contains(kind).then_some(words);
    // An empty board needs no further reason.
    let last = if kinds.contains(PositionErrorKinds::EMPTY_BOARD) {
        1
    } else {
        WORDS.len()
    };
    WORDS[..last].iter().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_positions_are_named() {
        #[track_caller]
        fn check(fen: &str, reason: &str) {
            let error = parse(fen).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        check("8/8/8/8/8/8/8/8 w - - 0 1", "the board is empty");
        check("8/8/8/8/8/8/8/K7 w - - 0 1", "a king is missing");
        check("k6k/8/8/8/8/8/8/K7 w - - 0 1", "more than one king");
        check(
            "k6P/8/8/8/8/8/8/K7 w - - 0 1",
            "a pawn stands on the first or last rank",
        );
        check("k7/8/8/8/8/8/8/KR6 w - - 0 1 extra", "not a FEN");
        check(
            "k7/1R6/8/8/8/8/R7/K7 w - - 0 1",
            "the side not to move is in check",
        );
        check("rnbqkbnr/pppppppp/8/8/8/8/8 w - - 0 1", "not a FEN");
        check("", "not a FEN");
        check("k7/8/8/8/8/8/8/K7 x - - 0 1", "not a FEN");
        check(
            "kQQQQQQQ/8/QQQQQQQQ/8/8/8/8/K7 b - - 0 1",
            "more pieces than promotions allow",
        );
        check(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Q] w KQkq - 0 1",
            "variant",
        );
    }

    #[test]
    fn careless_rights_are_dropped() {
        let position = parse("4k3/8/8/8/8/8/8/4K3 w KQkq e6 0 1").unwrap();
        assert_eq!(to_fen(&position), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    }
}
