//! Positions with the engine's own judgment: what a network learns from.
//!
//! A label is an EPD line: the position, `ce` (centipawns for the side to move by
//! a search of some hundred nodes) and, where a game was played on from there,
//! its result in `c0`. Every other position is led astray by a few random moves first:
//! masters do not leave queens hanging, but a search looks at little else.

use std::fmt;
use std::sync::Mutex;

use rayon::prelude::*;
use shakmaty::fen::Epd;
use shakmaty::{Chess, Color, EnPassantMode, Move, Position};
use tabiya_chess::{Game, position};
use tabiya_engine::search::{Engine, Limits, Settings, Signal, Task};
use tabiya_gametree::Dice;

use crate::drawing::Drawing;

/// Beyond this a game is decided, and how much so says nothing.
const GREATEST: i32 = 3_000;
/// Random moves at most.
const ASTRAY: usize = 3;

/// A position and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The position.
    pub position: Chess,
    /// Centipawns for the side to move.
    pub score: i32,
    /// The score of the side to move in its game, if it comes from one.
    pub result: Option<f32>,
}

impl Label {
    /// Reads what [`fmt::Display`] writes; none if the line is no label.
    pub fn from_epd(line: &str) -> Option<Label> {
        let mut operations = line.split(';').map(str::trim);
        let (fields, score) = operations.next()?.split_once(" ce ")?;
        let position = position::parse(&format!("{fields} 0 1")).ok()?;
        let result = operations
            .find_map(|it| it.strip_prefix("c0 "))
            .and_then(|it| it.trim_matches('"').parse().ok());
        Some(Label {
            position,
            score: score.parse().ok()?,
            result,
        })
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let epd = Epd::from_position(&self.position, EnPassantMode::Legal);
        write!(f, "{epd} ce {};", self.score)?;
        match self.result {
            Some(result) => write!(f, " c0 \"{result}\";"),
            None => Ok(()),
        }
    }
}

/// Gives positions of games to engines and keeps what they say.
pub struct Labeler {
    drawing: Drawing,
    nodes: u64,
    settings: Settings,
    idle: Mutex<Vec<Engine>>,
}

impl Labeler {
    /// Labels by so many nodes a position.
    pub fn new(drawing: Drawing, nodes: u64, settings: Settings) -> Labeler {
        Labeler {
            drawing,
            nodes,
            settings: Settings {
                hash: 1,
                threads: 1,
                ..settings
            },
            idle: Mutex::default(),
        }
    }

    /// The labels of some games, in order; the same for the same games and numbers.
    pub fn label(&self, games: &[(usize, Game)]) -> Vec<Label> {
        let labels = games.par_iter().flat_map_iter(|(number, game)| {
            let mut engine = self.borrow();
            let labels = self.label_game(&mut engine, *number, game);
            self.give_back(engine);
            labels
        });
        labels.collect()
    }

    fn borrow(&self) -> Engine {
        let idle = self.idle.lock().ok().and_then(|mut it| it.pop());
        let mut engine = idle.unwrap_or_else(|| Engine::new(self.settings.clone()));
        // What was learned from another game must not show.
        engine.clear();
        engine
    }

    fn give_back(&self, engine: Engine) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(engine);
        }
    }

    fn label_game(&self, engine: &mut Engine, number: usize, game: &Game) -> Vec<Label> {
        let mut dice = Dice::new(number as u64);
        let mut labels = Vec::new();
        for drawn in self.drawing.positions(game) {
            let turn = drawn.position.turn();
            let result = match turn {
                Color::White => drawn.result,
                Color::Black => 1.0 - drawn.result,
            };
            let (position, result) = if dice.below(2) == 0 {
                (drawn.position, Some(result))
            } else {
                (astray(drawn.position, &mut dice), None)
            };
            labels.extend(self.judge(engine, position, result));
        }
        labels
    }

    /// Nothing if the position is in turmoil: a network judges quiet positions, search does the rest.
    fn judge(&self, engine: &mut Engine, position: Chess, result: Option<f32>) -> Option<Label> {
        if position.is_check() {
            return None;
        }
        let task = Task::new(position.clone(), Limits::nodes(self.nodes));
        let answer = engine.search(&task, &Signal::new(false), &mut |_| {});
        let quiet = |mv: Move| !mv.is_capture() && !mv.is_promotion();
        let score = answer.score.value();
        (answer.best.is_some_and(quiet) && score.abs() < GREATEST).then_some(Label {
            position,
            score,
            result,
        })
    }
}

fn astray(mut position: Chess, dice: &mut Dice) -> Chess {
    for _ in 0..=dice.below(ASTRAY) {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        position.play_unchecked(moves[dice.below(moves.len())]);
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::pgn;

    const GAME: &str = "[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 7. Re1 a6 1-0";

    fn labels() -> Vec<Label> {
        let drawing = Drawing {
            games: 1,
            positions: 20,
            skip: 2,
        };
        let game = pgn::read(GAME.as_bytes()).game.unwrap();
        Labeler::new(drawing, 200, Settings::default()).label(&[(1, game.clone()), (2, game)])
    }

    #[test]
    fn labels_are_read_back_and_repeat() {
        let labels = labels();
        assert!(labels.len() > 10);
        assert!(labels.iter().any(|it| it.result.is_none()));
        for label in &labels {
            let again = Label::from_epd(&label.to_string()).unwrap();
            assert_eq!(again.score, label.score);
            assert_eq!(again.result, label.result);
            assert_eq!(again.position.board(), label.position.board());
        }
        assert_eq!(labels, super::tests::labels());
    }

    #[test]
    fn results_are_for_the_side_to_move() {
        for label in labels() {
            let expected = label.position.turn().fold_wb(1.0, 0.0);
            assert!(label.result.is_none_or(|it| it == expected));
        }
    }

    #[test]
    fn other_lines_are_no_labels() {
        for line in [
            "",
            "ce 3;",
            "8/8/8/8/8/8/8/8 w - - ce 3;",
            "4k3/8/8/8/8/8/8/4K3 w - - bm Kd2;",
        ] {
            assert_eq!(Label::from_epd(line), None, "{line}");
        }
    }
}
