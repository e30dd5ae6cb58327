//! A line: a position and legal moves played from it.
//!
//! A [`Line`] cannot hold an illegal move, so code that takes one need not check it again.
//!
//! ```
//! use shakmaty::Chess;
//! use tabiya_chess::Line;
//!
//! let line = Line::read(Chess::default(), "1. e4 e5 2. g1f3").unwrap();
//! assert_eq!(line.to_san(), ["e4", "e5", "Nf3"]);
//! let error = Line::read(Chess::default(), "1. e4 e5 2. Nf4").unwrap_err();
//! assert_eq!(error.to_string(), "move 2. \"Nf4\" is not legal");
//! ```

use shakmaty::{
    Chess, Color, Move, Position,
    san::{San, SanError, SanPlus},
    uci::UciMove,
};

use crate::{Game, game::parse_result};

/// A position, legal moves played from it, and the position after them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    start: Chess,
    moves: Vec<Move>,
    end: Chess,
}

impl Line {
    /// A line without moves.
    pub fn new(start: Chess) -> Line {
        Line {
            end: start.clone(),
            moves: Vec::new(),
            start,
        }
    }

    /// The line of these moves.
    ///
    /// # Errors
    ///
    /// When a move is not legal.
    pub fn of_moves(
        start: Chess,
        moves: impl IntoIterator<Item = Move>,
    ) -> Result<Line, IllegalMove> {
        let mut line = Line::new(start);
        moves.into_iter().try_for_each(|mv| line.push(mv))?;
        Ok(line)
    }

    /// The first `plies` moves of a game; `None` if it is shorter, or has a null
    /// move or an illegal one among them.
    pub fn of_game(game: &Game, plies: usize) -> Option<Line> {
        let mut line = Line::new(game.start());
        for compact in game.moves.get(..plies)? {
            line.push(compact.to_move(line.end.board())?).ok()?;
        }
        Some(line)
    }

    /// Reads moves separated by spaces or commas, each as SAN (`Nf3`) or as UCI
    /// (`g1f3`). Move numbers and results are ignored.
    ///
    /// # Errors
    ///
    /// A [`LineError`] that names the first word that is not a legal move.
    pub fn read(start: Chess, text: &str) -> Result<Line, LineError> {
        let mut line = Line::new(start);
        for word in text.split(|it: char| it.is_whitespace() || it == ',') {
            let word = without_number(word);
            if word.is_empty() || word == "*" || parse_result(word).is_some() {
                continue;
            }
            let mv = read_move(&line.end, word).map_err(|reason| LineError {
                number: move_number(&line.end),
                word: word.to_owned(),
                reason,
            })?;
            line.play(mv);
        }
        Ok(line)
    }

    /// Adds a move.
    ///
    /// # Errors
    ///
    /// When it is not legal; the line stays as it was.
    pub fn push(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.end.is_legal(mv) {
            return Err(IllegalMove(mv));
        }
        self.play(mv);
        Ok(())
    }

    fn play(&mut self, mv: Move) {
        self.end.play_unchecked(mv);
        self.moves.push(mv);
    }

    /// Drops all moves after the first `plies`.
    pub fn truncate(&mut self, plies: usize) {
        if plies < self.moves.len() {
            self.moves.truncate(plies);
            self.end = after(&self.start, &self.moves);
        }
    }

    /// The position before the first move.
    pub fn start(&self) -> &Chess {
        &self.start
    }

    /// The moves.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position after the last move.
    pub fn position(&self) -> &Chess {
        &self.end
    }

    /// The last move and the position before it.
    pub fn last(&self) -> Option<(Move, Chess)> {
        let (&last, before) = self.moves.split_last()?;
        Some((last, after(&self.start, before)))
    }

    /// The positions in order, from the start to the end.
    pub fn positions(&self) -> impl Iterator<Item = Chess> + '_ {
        let moves = self.moves.iter();
        let later = moves.scan(self.start.clone(), |here, &mv| {
            here.play_unchecked(mv);
            Some(here.clone())
        });
        std::iter::once(self.start.clone()).chain(later)
    }

    /// The moves in UCI notation.
    pub fn to_uci(&self) -> Vec<String> {
        let moves = self.moves.iter();
        moves
            .map(|&mv| UciMove::from_standard(mv).to_string())
            .collect()
    }

    /// The moves in standard algebraic notation.
    pub fn to_san(&self) -> Vec<String> {
        let mut here = self.start.clone();
        let san = |&mv| SanPlus::from_move_and_play_unchecked(&mut here, mv).to_string();
        self.moves.iter().map(san).collect()
    }
}

/// A move that is not legal where it was to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not legal")]
pub struct IllegalMove(pub Move);

/// The first word of a text that is not a legal move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {number} \"{word}\" {reason}")]
pub struct LineError {
    /// The number where the move should be, such as `3.` or `3...`.
    pub number: String,
    /// The word.
    pub word: String,
    /// What is wrong with it.
    pub reason: MoveError,
}

/// Why a word is not a legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// It is written neither as SAN nor as UCI.
    #[error("is not a move; write it as Nf3 or g1f3")]
    Unreadable,
    /// It is a move, but the rules forbid it here.
    #[error("is not legal")]
    Illegal,
    /// Two pieces can make it.
    #[error("is ambiguous; add the file or the rank the piece comes from")]
    Ambiguous,
}

/// Reads a legal move as SAN or as UCI.
///
/// # Errors
///
/// When the text is not a move, or not a legal or an unambiguous one.
pub fn read_move(position: &Chess, text: &str) -> Result<Move, MoveError> {
    let text = text.trim_end_matches(['!', '?']);
    if let Ok(uci) = text.parse::<UciMove>() {
        return uci.to_move(position).map_err(|_| MoveError::Illegal);
    }
    let zeros_mended = text.replace("0-0", "O-O").replace("O-0", "O-O");
    let san = zeros_mended.parse::<SanPlus>().map(|it| it.san);
    let san: San = san.map_err(|_| MoveError::Unreadable)?;
    san.to_move(position).map_err(|error| match error {
        SanError::IllegalSan => MoveError::Illegal,
        SanError::AmbiguousSan => MoveError::Ambiguous,
    })
}

/// The position after moves that are known to be legal.
fn after(start: &Chess, moves: &[Move]) -> Chess {
    let mut position = start.clone();
    for &mv in moves {
        position.play_unchecked(mv);
    }
    position
}

/// A word without the move number it begins with, or nothing if it is one.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|it: char| it.is_ascii_digit());
    // `0000` is the null move of UCI, which is not legal.
    let is_number = (rest.is_empty() && word != "0000") || rest.starts_with('.');
    if is_number {
        rest.trim_start_matches('.')
    } else {
        word
    }
}

fn move_number(position: &Chess) -> String {
    let dots = match position.turn() {
        Color::White => ".",
        Color::Black => "...",
    };
    format!("{}{dots}", position.fullmoves())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{position, random_line};
    use crate::{CompactMove, pgn};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_line_is_read_as_it_was_written(seed: u64, comma: bool) {
            let line = Line::of_moves(Chess::default(), random_line(seed, 120)).unwrap();
            let separator = if comma { "," } else { " " };
            for text in [line.to_uci().join(separator), line.to_san().join(separator)] {
                prop_assert_eq!(Line::read(Chess::default(), &text), Ok(line.clone()));
            }
        }

        #[test]
        fn a_line_knows_its_positions(seed: u64, plies in 0..120usize) {
            let mut line = Line::of_moves(Chess::default(), random_line(seed, 120)).unwrap();
            let positions: Vec<Chess> = line.positions().collect();
            prop_assert_eq!(positions.len(), line.moves().len() + 1);
            prop_assert_eq!(positions.last(), Some(line.position()));
            let before = line.last().map(|it| it.1);
            prop_assert_eq!(before.as_ref(), positions.iter().rev().nth(1));
            let moves = line.moves().iter().map(|&it| CompactMove::from(it)).collect();
            let game = Game { moves, ..Game::default() };
            line.truncate(plies);
            prop_assert_eq!(line.position(), &positions[plies.min(positions.len() - 1)]);
            prop_assert_eq!(Line::of_game(&game, line.moves().len()), Some(line));
            prop_assert_eq!(Line::of_game(&game, positions.len()), None);
        }

        #[test]
        fn any_text_is_a_line_or_an_error(text in "\\PC{0,60}") {
            let _ = Line::read(Chess::default(), &text);
        }
    }

    #[test]
    fn numbers_results_and_marks_are_ignored() {
        let expected = Line::read(Chess::default(), "e4 e5 Nf3").unwrap();
        for text in [
            "1. e4 e5 2. Nf3 *",
            "1.e4 e5 2.Nf3",
            "1.e2e4,1...e7e5,2.g1f3 1/2-1/2",
            "1 e4! e5?! 2 Nf3!? 0-1",
            "  e2e4, e7e5, 2... Nf3\n1-0",
        ] {
            assert_eq!(
                Line::read(Chess::default(), text),
                Ok(expected.clone()),
                "{text}"
            );
        }
        assert_eq!(Line::read(Chess::default(), "1. *"), Ok(Line::default()));
        let castling = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        let line = Line::read(castling, "0-0 0-0-0").unwrap();
        assert_eq!(line.to_san(), ["O-O", "O-O-O"]);
    }

    #[test]
    fn errors_name_the_move_its_number_and_the_reason() {
        #[track_caller]
        fn check(fen: &str, text: &str, expected: &str) {
            let error = Line::read(position(fen), text).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        check(start, "1. e4 Ke7", "move 1... \"Ke7\" is not legal");
        check(start, "e2e4 e7e5 e4e5", "move 2. \"e4e5\" is not legal");
        check(start, "e4 0000", "move 1... \"0000\" is not legal");
        check(start, "e4 --", "move 1... \"--\" is not legal");
        check(
            start,
            "e4, hello",
            "move 1... \"hello\" is not a move; write it as Nf3 or g1f3",
        );
        check(
            "4k3/8/8/8/8/8/8/RN2KN2 w - - 0 30",
            "Kf2 Ke7 Nd2",
            "move 31. \"Nd2\" is ambiguous; add the file or the rank the piece comes from",
        );
    }

    #[test]
    fn an_illegal_move_leaves_the_line_as_it_was() {
        let mut line = Line::read(Chess::default(), "e4 e5").unwrap();
        let again = line.moves()[0];
        assert_eq!(line.push(again), Err(IllegalMove(again)));
        assert_eq!(line.to_uci(), ["e2e4", "e7e5"]);
        assert_eq!(IllegalMove(again).to_string(), "e2-e4 is not legal");
    }

    #[test]
    fn a_game_with_a_null_move_is_a_line_only_before_it() {
        let game = pgn::read(b"1. e4 e5 2. -- Nf6 *").game.unwrap();
        assert_eq!(Line::of_game(&game, 2).unwrap().to_san(), ["e4", "e5"]);
        assert_eq!(Line::of_game(&game, 3), None);
    }
}
