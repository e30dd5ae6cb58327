//! How far into a game a position lies.

use std::{fmt, num::ParseIntError, str::FromStr};

use serde::{Deserialize, Serialize};
use shakmaty::Color;

/// The number of half-moves played before a position; 0 is a game's first position.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Ply(pub u16);

impl Ply {
    /// A game's first position.
    pub const FIRST: Ply = Ply(0);

    /// The ply after this many half-moves; the greatest ply if there are more than it can count.
    pub fn after(half_moves: usize) -> Ply {
        Ply(u16::try_from(half_moves).unwrap_or(u16::MAX))
    }

    /// Whose turn it is in a game that this color begins.
    pub fn turn(self, first: Color) -> Color {
        if self.0.is_multiple_of(2) {
            first
        } else {
            !first
        }
    }

    /// The number of half-moves since an earlier ply; `None` if it is later.
    pub fn since(self, earlier: Ply) -> Option<usize> {
        usize::from(self).checked_sub(earlier.into())
    }
}

impl From<u16> for Ply {
    fn from(half_moves: u16) -> Ply {
        Ply(half_moves)
    }
}

impl TryFrom<u64> for Ply {
    type Error = std::num::TryFromIntError;

    fn try_from(half_moves: u64) -> Result<Ply, Self::Error> {
        half_moves.try_into().map(Ply)
    }
}

macro_rules! into_numbers {
    ($($number:ty),*) => {$(
        impl From<Ply> for $number {
            fn from(ply: Ply) -> $number {
                ply.0.into()
            }
        }
    )*};
}
into_numbers!(u16, u32, u64, usize);

impl fmt::Display for Ply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Ply {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Ply, ParseIntError> {
        text.parse().map(Ply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_take_turns() {
        let turns = [0, 1, 2, 3].map(|it| Ply(it).turn(Color::Black));
        assert_eq!(
            turns,
            [Color::Black, Color::White, Color::Black, Color::White]
        );
    }

    #[test]
    fn plies_are_numbers() {
        assert_eq!("40".parse(), Ok(Ply(40)));
        assert!("-1".parse::<Ply>().is_err() && "65536".parse::<Ply>().is_err());
        assert_eq!(Ply(40).to_string(), "40");
        assert_eq!(Ply::after(40), Ply(40));
        assert_eq!(Ply::after(1 << 20), Ply(u16::MAX));
        assert_eq!(Ply(40).since(Ply(24)), Some(16));
        assert_eq!(Ply(23).since(Ply(24)), None);
    }
}
