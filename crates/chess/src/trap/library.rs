//! The library of well-known traps, and the text it is read from.

use std::sync::LazyLock;

use shakmaty::{Chess, Move};
use tabiya_gametree::Game;

use super::{Prize, Trap};
use crate::rules::ChessRules;

/// The well-known traps, in the order of the library's text; the first four are
/// those of Evans and Turrini.
///
/// ```
/// let budapest = &tabiya_chess::trap::library()[0];
/// assert_eq!(budapest.name, "Budapest Gambit");
/// ```
pub fn library() -> &'static [Trap] {
    static LIBRARY: LazyLock<Vec<Trap>> = LazyLock::new(|| {
        parse_library(include_str!("library.txt")).expect("the tests read the same text")
    });
    &LIBRARY
}

/// Why a text is not a list of traps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct ParseTrapError {
    /// The line, counted from one.
    pub line: usize,
    reason: String,
}

/// Reads traps, one a line: name, moves to the position, bait and refutation,
/// prize, separated by `|`. Empty lines and lines that begin with `#` are skipped.
///
/// # Errors
/// If a line has other than four fields, an illegal move or an unknown prize.
pub fn parse_library(text: &str) -> Result<Vec<Trap>, ParseTrapError> {
    let lines = (1..).zip(text.lines());
    lines
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(number, line)| {
            parse_trap(line).map_err(|reason| ParseTrapError {
                line: number,
                reason,
            })
        })
        .collect()
}

fn parse_trap(line: &str) -> Result<Trap, String> {
    let fields: Vec<&str> = line.split('|').map(str::trim).collect();
    let [name, moves, play, prize] = fields[..] else {
        return Err(
            "a trap has four fields: name | moves | bait and refutation | prize".to_owned(),
        );
    };
    let (position, _) = play_out(Chess::default(), moves)?;
    let (_, line) = play_out(position.clone(), play)?;
    let (&bait, refutation) = line
        .split_first()
        .ok_or("the bait is missing; write it in the third field")?;
    Ok(Trap {
        name: name.to_owned(),
        position,
        bait,
        refutation: refutation.to_vec(),
        prize: parse_prize(prize)?,
    })
}

/// Plays moves written in SAN or UCI, separated by spaces.
fn play_out(start: Chess, moves: &str) -> Result<(Chess, Vec<Move>), String> {
    let rules = ChessRules::default();
    let mut position = start;
    let mut played = Vec::new();
    for text in moves.split_whitespace() {
        let mv = rules.find_move(&position, text).ok_or_else(|| {
            format!(
                "{text} is not legal after {} moves; check the line",
                played.len()
            )
        })?;
        position = rules.play(&position, mv);
        played.push(mv);
    }
    Ok((position, played))
}

fn parse_prize(text: &str) -> Result<Prize, String> {
    let unknown = || format!("prize {text:?} is unknown; write \"mate 2\" or \"gain 300 in 4\"");
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["mate", moves] => Ok(Prize::Mate {
            moves: moves.parse().map_err(|_| unknown())?,
        }),
        ["gain", centipawns, "in", plies] => Ok(Prize::Gain {
            centipawns: centipawns.parse().map_err(|_| unknown())?,
            plies: plies.parse().map_err(|_| unknown())?,
        }),
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use shakmaty::Position;

    use super::*;
    use crate::rules::ChessRules;

    #[test]
    fn the_library_has_many_traps_without_repeats() {
        assert!(library().len() >= 44, "{} traps", library().len());
        let names: HashSet<&str> = library().iter().map(|it| it.name.as_str()).collect();
        let positions: HashSet<&Chess> = library().iter().map(|it| &it.position).collect();
        assert_eq!(
            (names.len(), positions.len()),
            (library().len(), library().len())
        );
    }

    #[test]
    fn every_trap_is_proved_by_search() {
        let failed: Vec<_> = library()
            .iter()
            .filter(|it| it.verify().is_none())
            .map(|it| it.name.as_str())
            .collect();
        assert!(failed.is_empty(), "not proved: {failed:?}");
    }

    /// A bait is only a bait if another move would do better.
    #[test]
    fn every_bait_can_be_declined() {
        let failed: Vec<_> = library()
            .iter()
            .filter(|it| it.verify().is_some_and(|proof| proof.saved_by.is_none()))
            .map(|it| it.name.as_str())
            .collect();
        assert!(failed.is_empty(), "nothing better than: {failed:?}");
    }

    #[test]
    fn lines_that_end_in_mate_do() {
        let rules = ChessRules::default();
        for trap in library()
            .iter()
            .filter(|it| matches!(it.prize, Prize::Mate { .. }))
        {
            let taken = rules.play(&trap.position, trap.bait);
            let end = trap
                .refutation
                .iter()
                .fold(taken, |position, &mv| rules.play(&position, mv));
            let is_whole = matches!(trap.prize, Prize::Mate { moves } if 2 * moves - 1 == trap.refutation.len());
            assert_eq!(end.is_checkmate(), is_whole, "{}", trap.name);
        }
    }

    #[test]
    fn a_text_that_is_no_trap_is_refused() {
        #[track_caller]
        fn check(line: &str, word: &str) {
            let error = parse_library(line).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        check("name | e4 | e5", "four fields");
        check("name | e5 | e5 | mate 1", "not legal");
        check("name | e4 | | mate 1", "bait is missing");
        check("name | e4 | e5 | a queen", "unknown");
        check("# remark\n\nname | e4 | e5 | mate x", "line 3");
    }
}
