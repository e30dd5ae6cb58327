//! A game as a segment keeps it: sixty bytes, and numbers that point to its
//! strings, moves and windows.

use shakmaty::{Color, KnownOutcome, Outcome};
use tabiya_chess::{CompactMove, Date, Eco, Tags};

use super::{
    Facts, Games, Occurrence, WINDOW,
    format::{u16_at, u32_at},
    string::StringId,
};

/// The size of a record.
pub(super) const RECORD: usize = 60;

/// Where a game comes from. A tag `Source` says so in PGN, so that it is not
/// lost when games are exported, merged or imported again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Somebody's archive.
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
    /// Where the game came from: 0 an archive, 1 the engine.
    pub(super) origin: u8,
    /// One more than the string that holds the FEN of the start, or 0.
    pub(super) setup: u32,
    pub(super) first_move: u32,
    /// How many half-moves the game has.
    pub plies: u16,
    /// The ply of the first indexed position.
    pub first_ply: u16,
    pub(super) first_window: u32,
    pub(super) first_position: u32,
    pub(super) first_other: u32,
    pub(super) others: u32,
}

impl GameRecord {
    /// How many positions of the game are indexed.
    pub fn positions(&self) -> usize {
        (usize::from(self.plies) + 1).saturating_sub(usize::from(self.first_ply))
    }

    /// How many windows the game has.
    pub fn windows(&self) -> usize {
        self.positions().div_ceil(WINDOW)
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

    /// The opening's code.
    pub fn eco(&self) -> Option<Eco> {
        Eco::from_index(self.eco.checked_sub(1)?)
    }

    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        for id in [self.white, self.black, self.event, self.site, self.round] {
            bytes.extend_from_slice(&id.to_le_bytes());
        }
        bytes.extend_from_slice(&self.date.year.to_le_bytes());
        bytes.extend_from_slice(&[self.date.month, self.date.day]);
        for value in [self.white_elo, self.black_elo, self.eco] {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        bytes.extend_from_slice(&[self.result, self.origin]);
        bytes.extend_from_slice(&self.setup.to_le_bytes());
        bytes.extend_from_slice(&self.first_move.to_le_bytes());
        bytes.extend_from_slice(&self.plies.to_le_bytes());
        bytes.extend_from_slice(&self.first_ply.to_le_bytes());
        for value in [
            self.first_window,
            self.first_position,
            self.first_other,
            self.others,
        ] {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        debug_assert_eq!(bytes.len() - start, RECORD);
    }

    pub(super) fn read(bytes: &[u8]) -> GameRecord {
        let [id_0, id_1, id_2, id_3, id_4] = [0, 4, 8, 12, 16].map(|at| u32_at(bytes, at));
        GameRecord {
            white: id_0,
            black: id_1,
            event: id_2,
            site: id_3,
            round: id_4,
            date: Date {
                year: u16_at(bytes, 20),
                month: bytes.get(22).copied().unwrap_or(0),
                day: bytes.get(23).copied().unwrap_or(0),
            },
            white_elo: u16_at(bytes, 24),
            black_elo: u16_at(bytes, 26),
            eco: u16_at(bytes, 28),
            result: bytes.get(30).copied().unwrap_or(0),
            origin: bytes.get(31).copied().unwrap_or(0),
            setup: u32_at(bytes, 32),
            first_move: u32_at(bytes, 36),
            plies: u16_at(bytes, 40),
            first_ply: u16_at(bytes, 42),
            first_window: u32_at(bytes, 44),
            first_position: u32_at(bytes, 48),
            first_other: u32_at(bytes, 52),
            others: u32_at(bytes, 56),
        }
    }
}

/// The records and moves of a segment, as the explorer asks for them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredGames<'a> {
    pub(super) records: &'a [u8],
    pub(super) moves: &'a [u8],
}

impl StoredGames<'_> {
    fn record(&self, game: u32) -> Option<GameRecord> {
        let bytes = self.records.get(game as usize * RECORD..)?;
        (bytes.len() >= RECORD).then(|| GameRecord::read(bytes))
    }
}

impl Games for StoredGames<'_> {
    fn facts(&self, game: u32) -> Option<Facts> {
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
        let bytes = self.moves.get(2 * at..)?.first_chunk()?;
        (occurrence.ply < record.plies).then(|| CompactMove::from_bits(u16::from_le_bytes(*bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn records_round_trip(bytes in proptest::collection::vec(any::<u8>(), RECORD)) {
            let mut written = Vec::new();
            GameRecord::read(&bytes).write(&mut written);
            prop_assert_eq!(written, bytes);
        }
    }
}
