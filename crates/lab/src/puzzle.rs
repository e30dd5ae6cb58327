//! Puzzles in the table layout of Lichess, with the themes that people and programs
//! gave them.

use std::fs::File;
use std::io::{self, BufRead};
use std::path::Path;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move, Position};
use tabiya_chess::{pgn, position};
use tabiya_gametree::mix;

/// How the header of a table of puzzles begins.
pub(crate) const HEADER: &str = "PuzzleId";

/// A position in which something is to be found, and what it is.
#[derive(Clone, Debug)]
pub(crate) struct Puzzle {
    /// Its name.
    pub(crate) id: String,
    /// The position after the opponent's move, the solver's turn.
    pub(crate) position: Chess,
    /// The solution, the solver's move first.
    pub(crate) solution: Vec<Move>,
    /// Its themes.
    pub(crate) themes: Vec<String>,
}

impl Puzzle {
    /// Reads a row of the table: identity, position before the opponent's move, the
    /// line, four figures, themes. `None` if the row is malformed or a move illegal.
    pub(crate) fn parse(row: &str) -> Option<Puzzle> {
        let mut fields = row.split(',');
        let (id, fen, line) = (fields.next()?, fields.next()?, fields.next()?);
        let themes = fields.nth(4)?;
        let mut line = line.split(' ');
        let mut start = position::parse(fen).ok()?;
        start.play_unchecked(legal(&start, line.next()?)?);
        let mut here = start.clone();
        let mut solution = Vec::new();
        for word in line {
            let mv = legal(&here, word)?;
            here.play_unchecked(mv);
            solution.push(mv);
        }
        Some(Puzzle {
            id: id.to_owned(),
            position: start,
            solution,
            themes: themes.split(' ').map(str::to_owned).collect(),
        })
    }

    /// Whether the puzzle has a theme.
    pub(crate) fn has(&self, theme: &str) -> bool {
        self.themes.iter().any(|it| it == theme)
    }

    /// A number made of the puzzle's name.
    pub(crate) fn digest(&self) -> u64 {
        let sum = |sum: u64, byte: u8| mix(sum ^ u64::from(byte)).wrapping_add(1);
        self.id.bytes().fold(0, sum)
    }

    /// In which half the puzzle lies, by its name alone: every puzzle stays where
    /// it is, whatever else a table holds.
    pub(crate) fn split(&self) -> Split {
        if mix(self.digest()) & 1 == 0 {
            Split::Train
        } else {
            Split::Test
        }
    }
}

/// The two halves of a table: one to choose settings on, one to judge them by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// Settings are chosen here.
    Train,
    /// Figures are claimed here.
    Test,
}

/// Reads a table of puzzles, compressed or not; skips malformed rows.
///
/// # Errors
///
/// If the file cannot be read.
pub(crate) fn read(path: &Path) -> io::Result<Vec<Puzzle>> {
    let reader = pgn::decompress(File::open(path)?)?;
    let mut puzzles = Vec::new();
    for line in reader.lines() {
        puzzles.extend(Puzzle::parse(&line?));
    }
    Ok(puzzles)
}

fn legal(position: &Chess, text: &str) -> Option<Move> {
    let mv = text.parse::<UciMove>().ok()?.to_move(position).ok()?;
    position.is_legal(mv).then_some(mv)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "00abc,6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,h7h6 d1d8 g8h7,900,80,90,100,mate mateIn1 short,https://x,";

    #[test]
    fn a_puzzle_begins_with_the_opponents_move() {
        let puzzle = Puzzle::parse(ROW).unwrap();
        assert_eq!((puzzle.id.as_str(), puzzle.solution.len()), ("00abc", 2));
        assert_eq!(puzzle.solution[0].to_string(), "Rd1-d8");
        assert!(puzzle.has("mateIn1") && !puzzle.has("mate1"));
        for wrong in ["", "PuzzleId,FEN,Moves", &ROW.replace("d1d8", "d1e8")] {
            assert!(Puzzle::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn names_fall_into_both_halves_alike() {
        let puzzle = Puzzle::parse(ROW).unwrap();
        let named = |it: u32| Puzzle {
            id: format!("{it:05x}"),
            ..puzzle.clone()
        };
        let train = (0..2000).filter(|&it| named(it).split() == Split::Train);
        assert!((920..1080).contains(&train.count()));
    }
}
