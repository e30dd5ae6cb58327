//! The notebook: the game that is being played, until it can be retained.

use shakmaty::{Chess, Color, KnownOutcome, Move, Outcome, Position};
use tabiya_chess::{Date, Game, Line, Tags};

use crate::Score;

/// The game so far, as a conversation shows it: positions that are set, and
/// moves that are chosen.
///
/// A protocol does not say when a game ends or how. A game ends when another
/// begins; its result is what the last position says by the rules, or what the
/// last search was sure of.
#[derive(Clone, Debug, Default)]
pub struct Notebook {
    line: Line,
    /// What the engine has chosen, in order.
    choices: Vec<Choice>,
    /// The side that resigned.
    resigned: Option<Color>,
}

/// A move that the engine has chosen.
#[derive(Clone, Copy, Debug)]
struct Choice {
    /// How many moves were played before.
    ply: usize,
    side: Color,
    /// What the search thought of it, for White.
    outlook: i32,
}

/// The fewest choices of the engine that make a game worth retaining.
pub const FEWEST_CHOICES: usize = 5;

/// The most plies that may be taken back, two moves of each side; going
/// back further begins another game.
const MOST_TAKEN_BACK: usize = 4;

/// The last search was sure of a win from this many centipawns on.
const SURE: i32 = 600;

impl Notebook {
    /// A position was set. Returns the game that this one does not continue.
    pub fn set(&mut self, line: &Line) -> Option<Game> {
        let moves = self.line.moves().iter().zip(line.moves());
        let common = moves.take_while(|(a, b)| a == b).count();
        let taken_back = self.line.moves().len() - common;
        let continues = self.line.start() == line.start() && taken_back <= MOST_TAKEN_BACK;
        let ended = if continues { None } else { self.close() };
        self.choices.retain(|it| it.ply < common);
        self.line = line.clone();
        ended
    }

    /// All moves but the first `plies` are taken back and forgotten.
    pub fn take_back_to(&mut self, plies: usize) {
        self.line.truncate(plies);
        self.choices.retain(|it| it.ply < plies);
    }

    /// The engine chose a move in the position last set, and scored it so. A
    /// move that is not legal there is ignored.
    pub fn chose(&mut self, mv: Move, score: Score) {
        let (ply, side) = (self.line.moves().len(), self.line.position().turn());
        if self.line.push(mv).is_ok() {
            self.choices.push(Choice {
                ply,
                side,
                outlook: side.fold_wb(score.value(), -score.value()),
            });
        }
    }

    /// A side resigns.
    pub fn resign(&mut self, loser: Color) {
        self.resigned = Some(loser);
    }

    /// Ends the game: returns it, if it was one, and starts an empty notebook.
    ///
    /// Moves chosen for both sides are an analysis, not a game.
    pub fn close(&mut self) -> Option<Game> {
        let book = std::mem::take(self);
        let side = book.choices.first()?.side;
        let is_game =
            book.choices.len() >= FEWEST_CHOICES && book.choices.iter().all(|it| it.side == side);
        is_game.then(|| book.to_game(side))
    }

    fn to_game(&self, side: Color) -> Game {
        let name = |color| if color == side { "Tabiya" } else { "?" };
        let start = self.line.start();
        let is_usual = *start == Chess::default();
        Game {
            tags: Tags {
                event: "Retained game".to_owned(),
                white: name(Color::White).to_owned(),
                black: name(Color::Black).to_owned(),
                date: Date::default(),
                result: self.outcome(),
                ..Tags::default()
            },
            setup: (!is_usual).then(|| Box::new(start.clone())),
            moves: self.line.moves().iter().map(|&it| it.into()).collect(),
            ..Game::default()
        }
    }

    fn outcome(&self) -> Outcome {
        let last = self.line.position();
        if let Outcome::Known(known) = last.outcome() {
            return Outcome::Known(known);
        }
        if last.halfmoves() >= 100 || self.is_repeated() {
            return Outcome::Known(KnownOutcome::Draw);
        }
        if let Some(loser) = self.resigned {
            return Outcome::Known(KnownOutcome::Decisive { winner: !loser });
        }
        let winner = match self.choices.last().map(|it| it.outlook) {
            Some(SURE..) => Color::White,
            Some(score) if score <= -SURE => Color::Black,
            _ => return Outcome::Unknown,
        };
        Outcome::Known(KnownOutcome::Decisive { winner })
    }

    fn is_repeated(&self) -> bool {
        let last = self.line.position();
        self.line.positions().filter(|it| it == last).count() >= 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<Move> {
        let line = Line::read(Chess::default(), text).unwrap();
        line.moves().to_vec()
    }

    fn set(notebook: &mut Notebook, moves: &[Move]) -> Option<Game> {
        let moves = moves.iter().copied();
        notebook.set(&Line::of_moves(Chess::default(), moves).unwrap())
    }

    /// Plays a line, choosing the moves of one side or both.
    fn noted(text: &str, sides: [bool; 2], score: i32) -> Notebook {
        let moves = line(text);
        let mut notebook = Notebook::default();
        for at in 0..moves.len() {
            if sides[at % 2] {
                assert!(set(&mut notebook, &moves[..at]).is_none());
                notebook.chose(moves[at], Score::evaluation(score));
            }
        }
        notebook
    }

    const SHUFFLE: &str = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4 e7e5";

    #[test]
    fn a_game_is_noted_with_its_result() {
        let drawn = noted(SHUFFLE.split(" e2e4").next().unwrap(), [true, false], 0).close();
        // Seven moves: the last choice was White's.
        assert!(drawn.is_none(), "four choices are not a game");
        let mut won = noted(SHUFFLE, [true, false], 900);
        let game = won.close().unwrap();
        assert_eq!((game.tags.white.as_str(), game.moves.len()), ("Tabiya", 9));
        assert_eq!(game.tags.result.as_str(), "1-0");
        assert!(won.close().is_none(), "a game is given once");
        let game = noted(SHUFFLE, [false, true], 900).close().unwrap();
        assert_eq!(game.tags.result.as_str(), "0-1");
        let open = noted(SHUFFLE, [false, true], 20).close().unwrap();
        assert_eq!(
            (open.tags.result.as_str(), open.tags.white.as_str()),
            ("*", "?")
        );
    }

    #[test]
    fn who_resigns_has_lost() {
        let mut notebook = noted(SHUFFLE, [false, true], 20);
        notebook.resign(Color::White);
        assert_eq!(notebook.close().unwrap().tags.result.as_str(), "0-1");
        let mut drawn = noted(&SHUFFLE[..SHUFFLE.len() - 10], [true, false], 0);
        drawn.resign(Color::White);
        assert!(drawn.close().is_none(), "too short to be a game");
    }

    #[test]
    fn an_analysis_of_both_sides_is_not_a_game() {
        assert!(noted(SHUFFLE, [true, true], 0).close().is_none());
    }

    #[test]
    fn another_line_ends_the_game_and_a_take_back_does_not() {
        let moves = line(SHUFFLE);
        let mut notebook = noted(SHUFFLE, [true, false], 0);
        let goes_on = |moves: &[Move]| set(&mut notebook.clone(), moves).is_none();
        assert!(goes_on(&moves) && goes_on(&moves[..6]));
        // Taken back, and something else played.
        let mended = line("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 b8c6");
        assert!(goes_on(&mended));
        let other = line("d2d4 d7d5");
        assert!(set(&mut notebook, &other).is_some());
    }

    #[test]
    fn going_far_back_is_another_game() {
        let moves = line(SHUFFLE);
        for left in 0..5 {
            let mut notebook = noted(SHUFFLE, [true, false], 900);
            let game = set(&mut notebook, &moves[..left]).unwrap();
            assert_eq!((game.moves.len(), game.tags.result.as_str()), (9, "1-0"));
            notebook.chose(moves[left], Score::evaluation(0));
            assert!(notebook.close().is_none(), "one choice is not a game");
        }
    }

    #[test]
    fn what_was_taken_back_was_not_chosen() {
        let moves = line(SHUFFLE);
        let mut notebook = noted(SHUFFLE, [true, false], 900);
        set(&mut notebook, &moves[..6]);
        assert!(notebook.close().is_none(), "three choices are left of five");
        let mut notebook = noted(SHUFFLE, [true, false], 900);
        set(&mut notebook, &moves[..8]);
        notebook.chose(moves[8], Score::evaluation(0));
        assert_eq!(notebook.close().unwrap().tags.result.as_str(), "*");
        // By mistake a move of the other side's, taken back.
        let mut notebook = noted(SHUFFLE, [true, false], 0);
        notebook.chose(moves[9], Score::evaluation(0));
        set(&mut notebook, &moves[..8]);
        notebook.chose(moves[8], Score::evaluation(0));
        assert!(notebook.close().is_some());
    }

    #[test]
    fn a_third_repetition_is_a_draw() {
        let text = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3";
        let mut notebook = noted(text, [true, false], 0);
        let moves = line(&format!("{text} g8f6"));
        set(&mut notebook, &moves);
        assert_eq!(notebook.close().unwrap().tags.result.as_str(), "1/2-1/2");
    }
}
