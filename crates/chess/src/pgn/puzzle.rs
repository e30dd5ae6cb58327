//! Lichess puzzles as games: the table of puzzles in, PGN out.
//!
//! A puzzle is a position, the opponent's move that makes it a puzzle, and the solution. Each
//! becomes a game that begins in the position. A line that cannot be read becomes a game that
//! cannot be read either, so the import counts and names it.

use std::io::{self, BufRead, Read};

use crate::pgn;
use shakmaty::{Chess, Position, san::San, uci::UciMove};

/// How the first line of a table begins.
pub(crate) const HEAD: &[u8] = b"PuzzleId,";

/// No line is longer.
const LONGEST_LINE: u64 = 1 << 16;

/// The columns that are used, by their names in the first line.
const COLUMNS: [&str; 6] = ["PuzzleId", "FEN", "Moves", "Rating", "Themes", "GameUrl"];

/// Reads the puzzles of a table as PGN.
pub struct Puzzles<R> {
    lines: R,
    /// The place of each column, when the first line has been read.
    columns: Option<[usize; COLUMNS.len()]>,
    number: u64,
    text: Vec<u8>,
    /// The bytes of the text that were read.
    read: usize,
}

impl<R: BufRead> Puzzles<R> {
    /// The games of a table.
    pub fn new(lines: R) -> Puzzles<R> {
        Puzzles {
            lines,
            columns: None,
            number: 0,
            text: Vec::new(),
            read: 0,
        }
    }

    fn next_line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        let mut limited = (&mut self.lines).take(LONGEST_LINE);
        if limited.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.len() as u64 == LONGEST_LINE {
            return Err(damaged("a line of the table of puzzles never ends"));
        }
        self.number += 1;
        Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()))
    }

    /// Writes the next puzzle to the text; nothing at the end of the table.
    fn next_game(&mut self) -> io::Result<()> {
        self.text.clear();
        self.read = 0;
        let columns = match self.columns {
            Some(columns) => columns,
            None => {
                let first = self.next_line()?.unwrap_or_default();
                let columns = columns_of(&first)?;
                *self.columns.insert(columns)
            }
        };
        while let Some(line) = self.next_line()? {
            if !line.is_empty() {
                let fields: Vec<&str> = line.split(',').collect();
                let fields = columns.map(|it| fields.get(it).copied().unwrap_or_default());
                self.text = game(fields, self.number).into_bytes();
                break;
            }
        }
        Ok(())
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl<R: BufRead> Read for Puzzles<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.text.len() {
            self.next_game()?;
        }
        let count = (&self.text[self.read..]).read(buffer)?;
        self.read += count;
        Ok(count)
    }
}

fn columns_of(line: &str) -> io::Result<[usize; COLUMNS.len()]> {
    let names: Vec<&str> = line.split(',').collect();
    let mut columns = [0; COLUMNS.len()];
    for (column, wanted) in columns.iter_mut().zip(COLUMNS) {
        let place = names.iter().position(|&it| it == wanted);
        *column = place.ok_or_else(|| {
            damaged(&format!(
                "not the table of puzzles: it has no column {wanted}"
            ))
        })?;
    }
    Ok(columns)
}

/// The game of a line.
fn game([id, fen, moves, rating, themes, url]: [&str; COLUMNS.len()], line: u64) -> String {
    let start = pgn::read_start(fen);
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        if !value.is_empty() {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            text.push_str(&format!("[{name} \"{value}\"]\n"));
        }
    };
    tag("Event", &format!("Lichess puzzle {id}"));
    tag("Site", url);
    if start.is_err() {
        // It will not be indexed; the name is for the message.
        tag("White", &format!("puzzle {id} in line {line}"));
    }
    tag("Result", "*");
    tag("SetUp", "1");
    tag("FEN", if fen.is_empty() { "missing" } else { fen });
    tag("PuzzleId", id);
    tag("Rating", rating);
    tag("Themes", themes);
    let movetext = start.map_or(String::new(), |it| movetext(it, moves));
    text + "\n" + &movetext + "*\n\n"
}

/// The moves as PGN writes them. A move that is not legal is written as it is and ends them.
fn movetext(mut position: Chess, moves: &str) -> String {
    let mut text = String::new();
    for word in moves.split_ascii_whitespace() {
        let uci = UciMove::from_ascii(word.as_bytes()).ok();
        let Some(mv) = uci.and_then(|it| it.to_move(&position).ok()) else {
            return text + &format!("\"{word}\" ");
        };
        text.push_str(&format!("{} ", San::from_move(&position, mv)));
        position.play_unchecked(mv);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;
    use crate::pgn::Splitter;

    const HEAD: &str =
        "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n";
    const PUZZLE: &str = "00sHx,q3k1nr/1pp1nQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 b k - 0 17,\
        e8d7 a2e6 d7d8 f7f8,1760,80,83,72,mate mateIn2,https://lichess.org/yyznGmXs/black#34,Italian_Game\n";

    fn read(table: &str) -> io::Result<String> {
        let mut text = String::new();
        let mut puzzles = Puzzles::new(BufReader::with_capacity(9, table.as_bytes()));
        puzzles.read_to_string(&mut text).map(|_| text)
    }

    fn readings(table: &str) -> Vec<pgn::Reading> {
        let text = read(table).unwrap();
        let mut splitter = Splitter::new(text.as_bytes());
        let mut readings = Vec::new();
        loop {
            let mut game = Vec::new();
            if splitter.next_into(&mut game).unwrap().is_none() {
                return readings;
            }
            readings.push(pgn::read(&game));
        }
    }

    #[test]
    fn a_puzzle_becomes_a_game() {
        let text = read(&format!("{HEAD}{PUZZLE}")).unwrap();
        let expected = "[Event \"Lichess puzzle 00sHx\"]\n\
            [Site \"https://lichess.org/yyznGmXs/black#34\"]\n\
            [Result \"*\"]\n\
            [SetUp \"1\"]\n\
            [FEN \"q3k1nr/1pp1nQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 b k - 0 17\"]\n\
            [PuzzleId \"00sHx\"]\n\
            [Rating \"1760\"]\n\
            [Themes \"mate mateIn2\"]\n\n\
            Kd7 Be6 Kd8 Qf8 *\n\n";
        assert_eq!(text, expected);
        let readings = readings(&format!("{HEAD}{PUZZLE}\n{PUZZLE}"));
        assert_eq!(readings.len(), 2);
        assert!(readings.iter().all(|it| it.fault.is_none()));
        assert_eq!(readings[0].game.as_ref().unwrap().moves.len(), 4);
    }

    #[test]
    fn bad_lines_become_games_that_cannot_be_read() {
        let bad = [
            "x\n".to_owned(),
            PUZZLE.replace("q3k1nr", "q3k1nrrr"),
            PUZZLE.replace("a2e6", "a2e7"),
            PUZZLE.replace("a2e6", "\"] 1. e4"),
            ",,,,,,,,,\n".to_owned(),
        ];
        let table = format!("{HEAD}{}{PUZZLE}", bad.concat());
        let readings = readings(&table);
        assert_eq!(readings.len(), bad.len() + 1);
        for reading in &readings[..bad.len()] {
            assert!(reading.fault.is_some(), "{reading:?}");
        }
        let last = readings.last().unwrap();
        assert_eq!((&last.fault, last.game.is_some()), (&None, true));
        let name = &readings[1].refused.as_ref().unwrap().white;
        assert_eq!(name, "puzzle 00sHx in line 3");
    }

    #[test]
    fn columns_are_found_by_name() {
        let table = "FEN,PuzzleId,GameUrl,Themes,Rating,Moves\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1,id,url,end,900,e2e4\n";
        assert!(read(table).unwrap().contains("\n\ne4 *\n"));
        for table in ["", "a,b\n", PUZZLE] {
            let error = read(table).unwrap_err().to_string();
            assert!(error.contains("no column PuzzleId"), "{error}");
        }
        let endless = "x".repeat(1 << 17);
        assert!(
            read(&endless)
                .unwrap_err()
                .to_string()
                .contains("never ends")
        );
    }
}
