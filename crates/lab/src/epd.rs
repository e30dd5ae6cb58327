//! Test positions with their answers: EPD files and puzzle tables.

use std::io::{self, BufRead};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move, Position};
use tabiya_chess::pgn::Input;
use tabiya_chess::position;

use crate::puzzle::{HEADER, Puzzle};

/// A position and what is known about it.
#[derive(Clone, Debug)]
pub(crate) struct TestPosition {
    /// Its name in the file, or its line.
    pub(crate) id: String,
    /// The position.
    pub(crate) position: Chess,
    /// Moves of which one is to be played.
    pub(crate) best: Vec<Move>,
    /// Moves that must not be played.
    pub(crate) avoid: Vec<Move>,
    /// Moves to mate, if the position is a mate.
    pub(crate) mate: Option<u32>,
    /// Points for moves, where the suite gives them.
    pub(crate) points: Vec<(Move, u32)>,
}

impl TestPosition {
    /// Reads a line of EPD: four fields of FEN, then operations up to semicolons.
    ///
    /// Skips unknown operations; `None` without a valid position.
    pub(crate) fn from_epd(line: &str) -> Option<TestPosition> {
        let mut words = line.split_whitespace();
        let fields: Vec<&str> = words.by_ref().take(4).collect();
        if fields.len() < 4 {
            return None;
        }
        let position = position::parse(&format!("{} 0 1", fields.join(" "))).ok()?;
        let rest = words.collect::<Vec<_>>().join(" ");
        let mut problem = TestPosition {
            id: String::new(),
            position,
            best: Vec::new(),
            avoid: Vec::new(),
            mate: None,
            points: Vec::new(),
        };
        let mut points = (String::new(), String::new());
        for operation in rest.split(';') {
            let (name, value) = operation
                .trim()
                .split_once(' ')
                .unwrap_or((operation.trim(), ""));
            let value = value.trim().trim_matches('"');
            match name {
                "id" => problem.id = value.to_owned(),
                "bm" => problem.best = moves(&problem.position, value),
                "am" => problem.avoid = moves(&problem.position, value),
                "dm" => problem.mate = value.parse().ok(),
                "c8" => points.0 = value.to_owned(),
                "c9" => points.1 = value.to_owned(),
                _ => {}
            }
        }
        problem.points = points
            .1
            .split(' ')
            .zip(points.0.split(' '))
            .filter_map(|(mv, points)| Some((uci(&problem.position, mv)?, points.parse().ok()?)))
            .collect();
        Some(problem)
    }

    /// Reads a row of the Lichess puzzle table: the first move leads to the problem, the second solves it.
    pub(crate) fn from_puzzle(row: &str, theme: Option<&str>) -> Option<TestPosition> {
        let puzzle = Puzzle::parse(row)?;
        if theme.is_some_and(|wanted| !puzzle.has(wanted)) {
            return None;
        }
        let in_moves = |it: &String| it.strip_prefix("mateIn")?.parse().ok();
        let mate = puzzle.themes.iter().find_map(in_moves);
        let best = vec![*puzzle.solution.first()?];
        Some(TestPosition {
            id: puzzle.id,
            position: puzzle.position,
            best,
            avoid: Vec::new(),
            mate,
            points: Vec::new(),
        })
    }
}

/// Reads a file of EPD lines or, if it begins with `PuzzleId`, of puzzles; compressed or not.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn read(path: &Path, theme: Option<&str>, most: usize) -> io::Result<Vec<TestPosition>> {
    let reader = Input::File(path.to_owned()).open(Arc::new(AtomicU64::new(0)))?;
    let mut problems = Vec::new();
    let mut puzzles = false;
    for (number, line) in reader.lines().enumerate() {
        if problems.len() >= most {
            break;
        }
        let line = line?;
        if number == 0 && line.starts_with(HEADER) {
            puzzles = true;
            continue;
        }
        let problem = if puzzles {
            TestPosition::from_puzzle(&line, theme)
        } else {
            TestPosition::from_epd(&line)
        };
        if let Some(mut problem) = problem {
            if problem.id.is_empty() {
                problem.id = format!("line {}", number + 1);
            }
            problems.push(problem);
        }
    }
    Ok(problems)
}

fn moves(position: &Chess, text: &str) -> Vec<Move> {
    text.split([' ', ','])
        .filter_map(|it| it.parse::<SanPlus>().ok()?.san.to_move(position).ok())
        .collect()
}

fn uci(position: &Chess, text: &str) -> Option<Move> {
    let mv = text.parse::<UciMove>().ok()?.to_move(position).ok()?;
    position.is_legal(mv).then_some(mv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epd_lines_are_read() {
        let problem = TestPosition::from_epd(r#"4k3/8/8/8/8/8/8/R3K2R w KQ - bm Ra8+ O-O; am Kd1; dm 3; id "two; no"; c8 "10 2"; c9 "a1a8 e1g1";"#).unwrap();
        assert_eq!(
            (problem.best.len(), problem.avoid.len(), problem.mate),
            (2, 1, Some(3))
        );
        assert_eq!(
            problem.points.iter().map(|it| it.1).collect::<Vec<_>>(),
            [10, 2]
        );
        assert!(TestPosition::from_epd("8/8/8/8 w - -").is_none());
        assert!(TestPosition::from_epd("").is_none());
    }

    #[test]
    fn puzzles_begin_with_the_opponents_move() {
        let row = "00abc,6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,h7h6 d1d8 g8h7,900,80,90,100,mate mateIn1 short,https://x,";
        let problem = TestPosition::from_puzzle(row, Some("mateIn1")).unwrap();
        assert_eq!(problem.best[0].to_string(), "Rd1-d8");
        assert_eq!(problem.mate, Some(1));
        assert!(TestPosition::from_puzzle(row, Some("fork")).is_none());
    }
}
