//! Openings: how the games of a contest begin.

use std::io;
use std::path::Path;

use shakmaty::san::SanPlus;
use shakmaty::{Chess, Move, Position};

/// Reads openings: a table with a `moves` column, or a line of moves a line; SAN
/// with or without numbers. Empty lines are skipped.
///
/// # Errors
/// If the file cannot be read, or a line has something else than legal moves.
pub(crate) fn read_openings(path: &Path) -> io::Result<Vec<Vec<Move>>> {
    let text = std::fs::read_to_string(path)?;
    let column = text
        .lines()
        .next()
        .and_then(|head| head.split('\t').position(|it| it == "moves"));
    let mut openings = Vec::new();
    for (number, line) in (1..).zip(text.lines()).skip(usize::from(column.is_some())) {
        if line.trim().is_empty() {
            continue;
        }
        let cell = line.split('\t').nth(column.unwrap_or(0));
        let moves = cell
            .ok_or_else(|| "the column of moves is missing".to_owned())
            .and_then(read_line);
        openings.push(moves.map_err(|reason| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("line {number}: {reason}"),
            )
        })?);
    }
    Ok(openings)
}

/// Moves in SAN from the start; else what is wrong with them.
pub(crate) fn read_line(text: &str) -> Result<Vec<Move>, String> {
    let mut here = Chess::default();
    let mut moves = Vec::new();
    for word in text.split_whitespace() {
        let san = word.trim_start_matches(|it: char| it.is_ascii_digit() || it == '.');
        // A number of a move, or the end of a line of PGN.
        if san.is_empty() || san == "*" {
            continue;
        }
        let mv = san
            .parse::<SanPlus>()
            .ok()
            .and_then(|it| it.san.to_move(&here).ok())
            .ok_or_else(|| format!("\"{word}\" is not a legal move after {} plies", moves.len()))?;
        here.play_unchecked(mv);
        moves.push(mv);
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_lines_of_san() {
        assert_eq!(read_line("1. e4 e5 2.Nf3 Nc6 *").unwrap().len(), 4);
        for (line, wrong) in [("e4 e5 Ke3", "\"Ke3\""), ("garbage", "\"garbage\"")] {
            assert!(read_line(line).unwrap_err().contains(wrong));
        }
    }
}
