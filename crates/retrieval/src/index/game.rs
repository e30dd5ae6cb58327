//! A game as a segment keeps it: sixty bytes, and numbers that point to its
//! strings, moves and windows.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use shakmaty::{Color, KnownOutcome, Outcome};
use tabiya_chess::{CompactMove, Date, Eco, Ply, Tags};

use super::{Facts, GameIndex, Occurrence, Section, TallySource, WINDOW, string::StringId};

/// Makes size, writing and reading of a record from its fields in their order.
macro_rules! layout {
    ($($field:ident $(.$part:tt)?: $integer:ty,)*) => {
        /// The size of a stored record.
        pub(super) const SIZE: usize = 0 $(+ size_of::<$integer>())*;

        pub(super) fn write(&self, bytes: &mut Vec<u8>) {
            $(bytes.extend_from_slice(&self.$field$(.$part)?.to_le_bytes());)*
        }

        pub(super) fn read(bytes: &[u8; GameRecord::SIZE]) -> GameRecord {
            let mut record = GameRecord::default();
            let mut bytes = bytes.as_slice();
            $(record.$field$(.$part)? = <$integer>::from_le_bytes(take(&mut bytes));)*
            record
        }
    };
}

/// Where a game comes from. A tag `Source` says so in PGN, so that it is not
/// lost when games are exported, merged or imported again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// Imported.
    #[default]
    Imported,
    /// The engine played it.
    Own,
}

impl Source {
    /// The tag's name.
    pub const TAG: &'static str = "Source";

    /// The tag's value for the engine's own games.
    pub const OWN: &'static str = "self";

    /// The name in filters and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Source::Own => Source::OWN,
            Source::Imported => "archive",
        }
    }

    /// What the tags of a game say.
    pub fn of(tags: &Tags) -> Source {
        let is_own = |(name, value): &(String, String)| name == Source::TAG && value == Source::OWN;
        if tags.others.iter().any(is_own) {
            Source::Own
        } else {
            Source::Imported
        }
    }
}

/// What a segment knows about one of its games without reading its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameRecord {
    pub(crate) white: StringId,
    pub(crate) black: StringId,
    pub(crate) event: StringId,
    pub(crate) site: StringId,
    pub(crate) round: StringId,
    /// The day it was played.
    pub date: Date,
    /// White's rating, 0 if unknown.
    pub white_elo: u16,
    /// Black's rating, 0 if unknown.
    pub black_elo: u16,
    /// One more than the code's number, 0 if unknown.
    pub(super) eco: u16,
    pub(super) result: u8,
    /// The source: 0 for imported games, 1 for those of the engine.
    pub(super) origin: u8,
    /// One more than the string that holds the FEN of the start, or 0.
    pub(super) setup: u32,
    pub(super) first_move: u32,
    /// How many plies the game has.
    pub plies: Ply,
    /// The ply of the first indexed position.
    pub first_ply: Ply,
    pub(super) first_window: u32,
    pub(super) first_position: u32,
    pub(super) first_other: u32,
    pub(super) others: u32,
}

impl GameRecord {
    /// How many positions of the game are indexed.
    pub fn positions(&self) -> usize {
        self.plies.since(self.first_ply).map_or(0, |it| it + 1)
    }

    /// How many windows the game has.
    pub fn windows(&self) -> usize {
        self.positions().div_ceil(WINDOW)
    }

    /// The number of its first window.
    pub(crate) fn first_window(&self) -> usize {
        self.first_window as usize
    }

    /// The windows, counted from the game's first, that hold a position within some plies.
    pub(crate) fn windows_of(&self, from: Option<Ply>, to: Option<Ply>) -> Range<usize> {
        let window = |it: Ply| it.since(self.first_ply).map(|it| it / WINDOW);
        let first = from.and_then(window).unwrap_or(0);
        let end = match to {
            None => self.windows(),
            Some(to) => window(to).map_or(0, |it| it + 1),
        };
        let end = end.min(self.windows());
        first.min(end)..end
    }

    /// How the game ended.
    pub fn result(&self) -> Outcome {
        Outcome::from_known(match self.result {
            1 => Some(KnownOutcome::Decisive {
                winner: Color::White,
            }),
            2 => Some(KnownOutcome::Decisive {
                winner: Color::Black,
            }),
            3 => Some(KnownOutcome::Draw),
            _ => None,
        })
    }

    /// Where the game comes from.
    pub fn source(&self) -> Source {
        match self.origin {
            1 => Source::Own,
            _ => Source::Imported,
        }
    }

    pub(super) fn result_code(result: Outcome) -> u8 {
        match result {
            Outcome::Known(KnownOutcome::Decisive {
                winner: Color::White,
            }) => 1,
            Outcome::Known(KnownOutcome::Decisive {
                winner: Color::Black,
            }) => 2,
            Outcome::Known(KnownOutcome::Draw) => 3,
            Outcome::Unknown => 0,
        }
    }

    /// Whether there are tags without a field of their own, or spelled in their own way.
    pub(crate) fn has_others(&self) -> bool {
        self.others > 0
    }

    /// The opening's code.
    pub fn eco(&self) -> Option<Eco> {
        Eco::from_index(self.eco.checked_sub(1)?)
    }

    layout! {
        white: u32,
        black: u32,
        event: u32,
        site: u32,
        round: u32,
        date.year: u16,
        date.month: u8,
        date.day: u8,
        white_elo: u16,
        black_elo: u16,
        eco: u16,
        result: u8,
        origin: u8,
        setup: u32,
        first_move: u32,
        plies.0: u16,
        first_ply.0: u16,
        first_window: u32,
        first_position: u32,
        first_other: u32,
        others: u32,
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let Some((taken, rest)) = bytes.split_first_chunk() else {
        return [0; N];
    };
    *bytes = rest;
    *taken
}

/// The records and moves of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredGames<'a> {
    pub(super) records: Section<'a>,
    pub(super) moves: Section<'a>,
}

impl StoredGames<'_> {
    pub(super) fn record(&self, game: GameIndex) -> Option<GameRecord> {
        self.records.record(game.into()).map(GameRecord::read)
    }
}

impl TallySource for StoredGames<'_> {
    fn facts(&self, game: GameIndex) -> Option<Facts> {
        let record = self.record(game)?;
        let elos = [record.white_elo, record.black_elo];
        Some(Facts {
            outcome: record.result(),
            rating: match elos {
                [0, 0] => None,
                [elo, 0] | [0, elo] => Some(elo),
                [white, black] => Some(white.midpoint(black)),
            },
            date: record.date,
        })
    }

    fn move_at(&self, occurrence: Occurrence) -> Option<CompactMove> {
        let record = self.record(occurrence.game)?;
        let at = record.first_move as usize + usize::from(occurrence.ply);
        let bytes = self.moves.record(at)?;
        (occurrence.ply < record.plies).then(|| CompactMove::from_bits(u16::from_le_bytes(*bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn records_round_trip(bytes in any::<[u8; GameRecord::SIZE]>()) {
            let mut written = Vec::new();
            GameRecord::read(&bytes).write(&mut written);
            prop_assert_eq!(written, bytes);
        }
    }
}
