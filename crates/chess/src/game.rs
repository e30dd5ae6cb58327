//! A game: who played, how it ended, and the moves.

use std::fmt;

use serde::{Deserialize, Serialize};
use shakmaty::{Board, Chess, Color, KnownOutcome, Outcome, Position};

use crate::{Annotations, CompactMove, Layout, annotation::Variations, position, wire};

/// A game as it was played: tags, where it began, and the main line; and what annotators added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Game {
    /// Who, when, where, and the result.
    pub tags: Tags,
    /// The set-up position the game began from, if not the usual one.
    pub setup: Option<Box<Chess>>,
    /// The main line.
    pub moves: Vec<CompactMove>,
    /// Glyphs, comments and variations.
    pub annotations: Annotations,
}

impl Game {
    /// The position the game began from.
    pub fn start(&self) -> Chess {
        self.setup.as_deref().cloned().unwrap_or_default()
    }

    /// All variations as lines of their own, nested ones included, in the order of the source.
    pub fn variations(&self) -> Variations<'_> {
        self.annotations.variations(&self.moves)
    }

    /// Cuts the main line after this many moves, and returns how many of its notes are cut off.
    pub fn truncate(&mut self, plies: usize) -> usize {
        self.moves.truncate(plies);
        self.annotations.truncate(self.moves.len())
    }

    /// The positions of the game in order, the first one included; ends early
    /// at a move that is not legal.
    pub fn positions(&self) -> impl Iterator<Item = Chess> + '_ {
        self.positions_along(&self.moves)
    }

    /// The positions of a line from the game's start, such as a variation.
    pub fn positions_along(&self, moves: &[CompactMove]) -> impl Iterator<Item = Chess> {
        let mut next = Some(self.start());
        let mut moves = moves.iter();
        std::iter::from_fn(move || {
            let position = next.take()?;
            next = moves.next().and_then(|mv| mv.play(position.clone()));
            Some(position)
        })
    }

    /// The position after `ply` plies, or `None` if the game is shorter
    /// or cannot be played that far.
    ///
    /// Trusts the moves to be legal, as those of a collection are, and is
    /// much cheaper than [`Game::positions`] for that.
    pub fn position(&self, ply: usize) -> Option<Chess> {
        self.position_along(&self.moves, ply)
    }

    /// The position after `ply` plies of a line from the game's start.
    pub fn position_along(&self, moves: &[CompactMove], ply: usize) -> Option<Chess> {
        let mut position = self.start();
        for compact in moves.get(..ply)? {
            if compact.is_null() {
                position = position::pass(&position)?;
                continue;
            }
            let mv = compact.to_move(position.board())?;
            let is_own = |square| position.us().contains(square);
            if !is_own(compact.origin()) || (is_own(compact.target()) && !mv.is_castle()) {
                return None;
            }
            position.play_unchecked(mv);
        }
        Some(position)
    }

    /// The boards of the game in order, the first one included. Much cheaper
    /// than [`Game::positions`], since no rule is asked.
    pub fn boards(&self) -> impl Iterator<Item = Board> + '_ {
        self.boards_along(&self.moves)
    }

    /// The boards of a line from the game's start.
    pub fn boards_along(&self, moves: &[CompactMove]) -> impl Iterator<Item = Board> {
        let start = self
            .setup
            .as_ref()
            .map_or_else(Board::new, |it| it.board().clone());
        std::iter::once(start.clone()).chain(moves.iter().scan(start, |board, mv| {
            mv.play_on(board);
            Some(board.clone())
        }))
    }
}

/// What is known about a game apart from its moves.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tags {
    /// The tournament or match.
    pub event: String,
    /// The place, or a link to the game.
    pub site: String,
    /// The day it was played.
    pub date: Date,
    /// The round of the event.
    pub round: String,
    /// The player of the white pieces.
    pub white: String,
    /// The player of the black pieces.
    pub black: String,
    /// How it ended.
    #[serde(with = "wire::outcome")]
    pub result: Outcome,
    /// White's rating.
    pub white_elo: Option<u16>,
    /// Black's rating.
    pub black_elo: Option<u16>,
    /// The opening's code.
    pub eco: Option<Eco>,
    /// All other tags, in the order of the source. A tag that has a field of its own is here as well if the source
    /// spells its value in another way than a writer would, such as the date `1972` or the rating `2500?`, or has it
    /// several times. Writers prefer this text as long as it means what the field says.
    pub others: Vec<(String, String)>,
    /// The order of all tags in the source.
    pub layout: Layout,
}

impl Default for Tags {
    fn default() -> Tags {
        let unknown = || "?".to_owned();
        Tags {
            event: unknown(),
            site: unknown(),
            date: Date::default(),
            round: unknown(),
            white: unknown(),
            black: unknown(),
            result: Outcome::Unknown,
            white_elo: None,
            black_elo: None,
            eco: None,
            others: Vec::new(),
            layout: Layout::default(),
        }
    }
}

impl Tags {
    /// The rating of a side.
    pub fn elo(&self, color: Color) -> Option<u16> {
        color.fold_wb(self.white_elo, self.black_elo)
    }

    /// The mean of the ratings that are known.
    pub fn mean_elo(&self) -> Option<f64> {
        match (self.white_elo, self.black_elo) {
            (Some(white), Some(black)) => Some(f64::midpoint(white.into(), black.into())),
            (Some(elo), None) | (None, Some(elo)) => Some(elo.into()),
            (None, None) => None,
        }
    }
}

/// A calendar day of which parts may be unknown (zero).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Date {
    /// The year, 0 if unknown.
    pub year: u16,
    /// The month 1 to 12, 0 if unknown.
    pub month: u8,
    /// The day 1 to 31, 0 if unknown.
    pub day: u8,
}

impl Date {
    /// Reads `2022.05.31`, `2022.05.??`, `2022`, and the same with dashes or
    /// slashes. What cannot be read is unknown.
    ///
    /// ```
    /// use tabiya_chess::Date;
    ///
    /// assert_eq!(Date::parse("1972.??.??").to_string(), "1972.??.??");
    /// assert_eq!(Date::parse("2022-05-31").to_string(), "2022.05.31");
    /// assert_eq!(Date::parse("long ago").to_string(), "????.??.??");
    /// ```
    pub fn parse(text: &str) -> Date {
        let mut parts = text.split(['.', '-', '/']).map(str::trim);
        let mut number = |greatest: u16| {
            let value = parts
                .next()
                .and_then(|it| it.parse::<u16>().ok())
                .unwrap_or(0);
            if value <= greatest { value } else { 0 }
        };
        let (year, month, day) = (number(9999), number(12), number(31));
        Date {
            year,
            month: month as u8,
            day: day as u8,
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |value: u16, width: usize| {
            if value == 0 {
                "?".repeat(width)
            } else {
                format!("{value:0width$}")
            }
        };
        write!(
            f,
            "{}.{}.{}",
            part(self.year, 4),
            part(self.month.into(), 2),
            part(self.day.into(), 2)
        )
    }
}

/// A code of the Encyclopaedia of Chess Openings, A00 to E99.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Eco(u16);

impl Eco {
    /// How many codes there are.
    pub const COUNT: u16 = 500;

    /// Reads `B90`; what follows the three characters is ignored.
    pub fn parse(text: &str) -> Option<Eco> {
        let bytes = text.trim().as_bytes();
        let (&[volume, tens, ones], _) = bytes.split_first_chunk::<3>()?;
        let volume = volume.to_ascii_uppercase();
        let valid = volume.is_ascii_uppercase()
            && volume <= b'E'
            && tens.is_ascii_digit()
            && ones.is_ascii_digit();
        valid.then(|| {
            Eco(u16::from(volume - b'A') * 100
                + u16::from(tens - b'0') * 10
                + u16::from(ones - b'0'))
        })
    }

    /// The code's number, A00 being 0 and E99 being 499.
    pub const fn index(self) -> u16 {
        self.0
    }

    /// The code with this number.
    pub const fn from_index(index: u16) -> Option<Eco> {
        if index < Eco::COUNT {
            Some(Eco(index))
        } else {
            None
        }
    }
}

impl fmt::Display for Eco {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{:02}",
            char::from(b'A' + (self.0 / 100) as u8),
            self.0 % 100
        )
    }
}

/// Reads a rating; 0 is unknown.
pub(crate) fn parse_elo(text: &str) -> Option<u16> {
    text.trim().parse().ok().filter(|&elo| elo > 0)
}

/// Reads a result as PGN writes it, and in a few careless ways.
pub fn parse_result(text: &str) -> Option<KnownOutcome> {
    match text.trim() {
        "1-0" | "1:0" => Some(KnownOutcome::Decisive {
            winner: Color::White,
        }),
        "0-1" | "0:1" => Some(KnownOutcome::Decisive {
            winner: Color::Black,
        }),
        "1/2-1/2" | "1/2" | "½-½" | "0.5-0.5" => Some(KnownOutcome::Draw),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eco_codes_round_trip() {
        for index in 0..Eco::COUNT {
            let eco = Eco::from_index(index).unwrap();
            assert_eq!(Eco::parse(&eco.to_string()), Some(eco));
        }
        assert_eq!(Eco::parse("B90a").unwrap().to_string(), "B90");
        for text in ["", "F00", "A1", "?", "Ä00"] {
            assert_eq!(Eco::parse(text), None, "{text}");
        }
    }

    #[test]
    fn positions_agree_however_they_are_reached() {
        let text = "1. e4 -- 2. d4 d5 3. exd5 Nf6 4. Nf3 Nxd5 5. Be2 g6 6. O-O *";
        let game = crate::pgn::read(text.as_bytes()).game.unwrap();
        let positions: Vec<Chess> = game.positions().collect();
        assert_eq!(positions.len(), game.moves.len() + 1);
        for (ply, (expected, board)) in positions.iter().zip(game.boards()).enumerate() {
            assert_eq!(game.position(ply).as_ref(), Some(expected));
            assert_eq!(expected.board(), &board);
        }
        assert_eq!(game.position(positions.len()), None);
    }

    #[test]
    fn dates_round_trip() {
        for text in ["2022.05.31", "1475.??.??", "????.??.??", "1851.06.??"] {
            assert_eq!(Date::parse(text).to_string(), text);
        }
        assert_eq!(Date::parse("2022.13.32").to_string(), "2022.??.??");
    }
}
