//! The names of openings: which named position of the books this is, with its
//! code in the Encyclopaedia of Chess Openings.
//!
//! A name belongs to a position, not to a sequence of moves, so transpositions
//! find it. The table is the `chess-openings` data set of lichess.org (CC0), by
//! way of the crate `crabchess` 0.1.15 (MIT); `data/openings.sh` makes it.

use std::{collections::HashMap, fmt, sync::LazyLock};

use shakmaty::{Chess, EnPassantMode, fen::Epd};

/// An opening's code and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Opening {
    eco: &'static str,
    name: &'static str,
}

impl Opening {
    /// The opening whose named position this is.
    ///
    /// ```
    /// use shakmaty::{CastlingMode, Chess, fen::Fen};
    /// use tabiya_chess::opening::Opening;
    ///
    /// let fen: Fen = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2".parse()?;
    /// let position: Chess = fen.into_position(CastlingMode::Standard)?;
    /// assert_eq!(Opening::of(&position).unwrap().to_string(), "B20 Sicilian Defense");
    /// assert_eq!(Opening::of(&Chess::default()), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(position: &Chess) -> Option<&'static Opening> {
        let epd = Epd::from_position(position, EnPassantMode::Legal);
        TABLE.get(epd.to_string().as_str())
    }

    /// The code, `A00` to `E99`.
    pub const fn eco(&self) -> &'static str {
        self.eco
    }

    /// The English name, such as `Sicilian Defense: Najdorf Variation`.
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.eco, self.name)
    }
}

/// The named positions, by EPD. Cutting the text into lines is all that is
/// done at the first look-up; no position is parsed.
static TABLE: LazyLock<HashMap<&'static str, Opening>> = LazyLock::new(|| {
    include_str!("../data/openings.tsv")
        .lines()
        .filter_map(|line| {
            let (eco, rest) = line.split_once('\t')?;
            let (name, epd) = rest.split_once('\t')?;
            Some((epd, Opening { eco, name }))
        })
        .collect()
});

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Position, san::San};

    use super::*;

    fn line(moves: &str) -> Vec<Chess> {
        let mut line = vec![Chess::default()];
        for san in moves.split_whitespace() {
            let mut next = line[line.len() - 1].clone();
            let mv = san.parse::<San>().unwrap().to_move(&next).unwrap();
            next.play_unchecked(mv);
            line.push(next);
        }
        line
    }

    #[track_caller]
    fn check(moves: &str, expected: Option<&str>) {
        let found = line(moves)
            .last()
            .and_then(Opening::of)
            .map(Opening::to_string);
        assert_eq!(found.as_deref(), expected, "{moves}");
    }

    #[test]
    fn named_positions_are_found() {
        check("", None);
        check("e4", Some("B00 King's Pawn Game"));
        check("e4 e5 Nf3 Nc6 Bb5", Some("C60 Ruy Lopez"));
        check("d4 d5 c4", Some("D06 Queen's Gambit"));
        check(
            "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6",
            Some("B90 Sicilian Defense: Najdorf Variation"),
        );
        check("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Rb1 b6 Ra1", None);
    }

    #[test]
    fn transpositions_find_the_name() {
        check("c4 Nf6 d4", line_name("d4 Nf6 c4").as_deref());
        check("Nf3 Nc6 e4 e5 Bb5", Some("C60 Ruy Lopez"));
    }

    fn line_name(moves: &str) -> Option<String> {
        let opening = line(moves).iter().rev().find_map(Opening::of);
        opening.map(Opening::to_string)
    }

    #[test]
    fn a_game_has_the_name_of_its_last_named_position() {
        let moves = "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Rb1 b6 Ra1";
        assert_eq!(
            line_name(moves).as_deref(),
            Some("B90 Sicilian Defense: Najdorf Variation")
        );
        assert_eq!(line_name(""), None);
    }

    #[test]
    fn every_line_of_the_table_is_sound_and_found() {
        let text = include_str!("../data/openings.tsv");
        assert_eq!(
            TABLE.len(),
            text.lines().count(),
            "a position has two names"
        );
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [eco, name, epd] = fields[..] else {
                panic!("not three fields: {line}");
            };
            assert!(
                matches!(eco.as_bytes(), [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9']),
                "{line}"
            );
            assert!(!name.is_empty() && name.trim() == name, "{line}");
            let epd: Epd = epd.parse().expect(line);
            let position: Chess = epd.into_position(CastlingMode::Standard).expect(line);
            assert_eq!(
                Opening::of(&position),
                Some(&Opening { eco, name }),
                "{line}"
            );
        }
    }
}
