//! Which data serve to fit, to choose and to judge. The parts are fixed by names and years, so
//! that every puzzle and game stays where it is.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use clap::ValueEnum;
use tabiya_chess::{Game, pgn};
use tabiya_gametree::{Dice, mix};

use crate::draw::Draw;
use crate::games::for_each_text;
use crate::puzzle::{Puzzle, Split};

/// A part of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// For fitting models: three quarters of the puzzles for training, games up to 2018
    Fit,
    /// Both of these and what is left to them: all but the test
    Train,
    /// For choosing among them: the other quarter, games of 2019 and 2020
    Choose,
    /// For the figures to report: the test half, games from 2021 on
    #[default]
    Test,
}

impl Part {
    /// Whether a puzzle is of this part.
    pub(crate) fn holds(self, puzzle: &Puzzle) -> bool {
        let is_to_choose = || mix(puzzle.digest() ^ 1).is_multiple_of(4);
        match self {
            Part::Test => puzzle.split() == Split::Test,
            Part::Train => puzzle.split() == Split::Train,
            Part::Fit => puzzle.split() == Split::Train && !is_to_choose(),
            Part::Choose => puzzle.split() == Split::Train && is_to_choose(),
        }
    }

    /// Whether a year's games are of this part. Those before 2010 are of none: the test asks of
    /// recent ones.
    fn holds_year(self, year: u16) -> bool {
        match self {
            Part::Train => (2010..2021).contains(&year),
            Part::Fit => (2010..2019).contains(&year),
            Part::Choose => (2019..2021).contains(&year),
            Part::Test => year >= 2021,
        }
    }

    /// The seed of what is drawn by chance from data that all parts share.
    pub(crate) fn seed(self, seed: u64) -> u64 {
        match self {
            Part::Fit => mix(seed ^ 0xf17),
            Part::Choose => mix(seed ^ 0xc05e),
            Part::Train | Part::Test => seed,
        }
    }

    /// Draws games of this part from a PGN file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn games(self, path: &Path, count: usize, dice: &mut Dice) -> io::Result<Vec<Game>> {
        let mut texts = Vec::new();
        for_each_text(path, |text| {
            if year(text).is_some_and(|it| self.holds_year(it)) {
                texts.push(text.to_vec());
            }
            ControlFlow::Continue(())
        })?;
        let drawn = dice.sample(&texts, count);
        Ok(drawn.iter().filter_map(|it| pgn::read(it).game).collect())
    }
}

/// The year of a game's date, without reading the game.
fn year(text: &[u8]) -> Option<u16> {
    let tag = b"[Date \"";
    let at = text.windows(tag.len()).position(|it| it == tag)? + tag.len();
    std::str::from_utf8(text.get(at..at + 4)?)
        .ok()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_decide() {
        let holds = |part: Part, date: &str| {
            let text = format!("[Event \"x\"]\n[Date \"{date}\"]\n\n1. e4 *");
            year(text.as_bytes()).is_some_and(|it| part.holds_year(it))
        };
        assert!(holds(Part::Fit, "2018.12.31") && holds(Part::Train, "2018.12.31"));
        assert!(holds(Part::Choose, "2019.01.01") && !holds(Part::Fit, "2019.01.01"));
        assert!(holds(Part::Test, "2021.??.??") && !holds(Part::Train, "2021.??.??"));
        assert!(!holds(Part::Fit, "1999.01.01") && !holds(Part::Test, "????.??.??"));
    }
}
