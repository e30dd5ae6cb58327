//! One entry of the index: everything about a game that Scid shows in its
//! list and filters by.

use super::Format;

/// What the index says about a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// Where the game's bytes begin.
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) white: u32,
    pub(super) black: u32,
    pub(super) event: u32,
    pub(super) site: u32,
    pub(super) round: u32,
    /// None, 1-0, 0-1 or a draw, in this order.
    pub(super) result: u8,
    /// Zero, or a code of the opening with Scid's finer divisions.
    pub(super) eco: u16,
    pub(super) date: Date,
    pub(super) event_date: Date,
    /// Value and kind of the rating.
    pub(super) white_elo: (u16, u8),
    pub(super) black_elo: (u16, u8),
    pub(super) flags: u32,
    pub(super) is_chess960: bool,
    /// How many variations, comments and glyphs, roughly.
    pub(super) counts: [u8; 3],
    pub(super) facts: Facts,
}

/// What Scid derives from the moves, so that a search can skip most games
/// without reading them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) plies: u16,
    /// The pieces at the end, counted.
    pub(super) material: u32,
    /// Which pawns left their first squares, in this order: two a byte.
    pub(super) home_pawns: [u8; 8],
    pub(super) home_pawn_count: u8,
}

/// A day: 11 bits for the year, 4 for the month, 5 for the day; zero where
/// unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Date(pub(super) u32);

impl Date {
    /// The date of a PGN tag, if it has a year that fits.
    pub(super) fn parse(text: &str) -> Option<Date> {
        let mut parts = text.split(['.', '-', '/']);
        let mut part = |limit: u32| -> Option<u32> {
            let number = parts.next().unwrap_or("").trim();
            let number = number.parse().unwrap_or(0);
            (number <= limit).then_some(number)
        };
        let (year, month, day) = (part(2047)?, part(12)?, part(31)?);
        Some(Date(year << 9 | month << 5 | day))
    }

    pub(super) fn year(self) -> u32 {
        self.0 >> 9
    }

    pub(super) fn to_text(self) -> String {
        let or_unknown = |value: u32, width: usize| match value {
            0 => "?".repeat(width),
            _ => format!("{value:0width$}"),
        };
        let (month, day) = (self.0 >> 5 & 15, self.0 & 31);
        format!(
            "{}.{}.{}",
            or_unknown(self.year(), 4),
            or_unknown(month, 2),
            or_unknown(day, 2)
        )
    }
}

impl Entry {
    pub(super) const START: u32 = 1;
    pub(super) const PROMOTION: u32 = 2;
    pub(super) const UNDERPROMOTION: u32 = 4;
    const DELETED: u32 = 8;

    pub(super) fn is_deleted(&self) -> bool {
        self.flags & Entry::DELETED != 0
    }

    /// Reads an entry of [`Format::entry_size`] bytes.
    pub(super) fn read(format: Format, bytes: &[u8]) -> Entry {
        match format {
            Format::Si4 => read_si4(bytes),
            Format::Si5 => read_si5(bytes),
        }
    }

    /// Appends the entry. Every value must fit into its bits.
    pub(super) fn write(&self, format: Format, into: &mut Vec<u8>) {
        match format {
            Format::Si4 => self.write_si4(into),
            Format::Si5 => self.write_si5(into),
        }
    }

    fn write_si4(&self, into: &mut Vec<u8>) {
        let mut big = |value: u32, bytes: u32| {
            into.extend((0..bytes).rev().map(|it| (value >> (8 * it)) as u8));
        };
        big(self.offset as u32, 4);
        big(self.length & 0xffff, 2);
        big(self.length >> 16 << 7 | self.flags >> 16 & 63, 1);
        big(self.flags & 0xffff, 2);
        big(self.white >> 16 << 4 | self.black >> 16, 1);
        big(self.white & 0xffff, 2);
        big(self.black & 0xffff, 2);
        let high = self.event >> 16 << 5 | self.site >> 16 << 2 | self.round >> 16;
        big(high, 1);
        big(self.event & 0xffff, 2);
        big(self.site & 0xffff, 2);
        big(self.round & 0xffff, 2);
        let [variations, comments, glyphs] = self.counts.map(u32::from);
        let result = u32::from(self.result);
        big(result << 12 | glyphs << 8 | comments << 4 | variations, 2);
        big(u32::from(self.eco), 2);
        big(self.relative_event_date() << 20 | self.date.0, 4);
        for (elo, kind) in [self.white_elo, self.black_elo] {
            big(u32::from(kind) << 12 | u32::from(elo), 2);
        }
        let facts = &self.facts;
        big(facts.material, 4);
        big(u32::from(facts.plies & 255), 1);
        let plies = u32::from(facts.plies >> 8);
        big(plies << 6 | u32::from(facts.home_pawn_count), 1);
        into.extend(facts.home_pawns);
    }

    /// The event's date as si4 stores it: the year relative to the game's.
    fn relative_event_date(&self) -> u32 {
        if !self.has_near_event_date() {
            return 0;
        }
        let year = self.event_date.year() + 4 - self.date.year();
        year << 9 | self.event_date.0 & 0x1ff
    }

    /// Whether si4 has room for the event's date: at most three years from
    /// the game's.
    pub(super) fn has_near_event_date(&self) -> bool {
        self.event_date.0 != 0 && self.event_date.year().abs_diff(self.date.year()) <= 3
    }

    fn write_si5(&self, into: &mut Vec<u8>) {
        let [variations, comments, glyphs] = self.counts.map(u32::from);
        let facts = &self.facts;
        let kinds = u32::from(self.white_elo.1) << 5 | u32::from(self.black_elo.1) << 3;
        let high = u32::from(facts.home_pawn_count) << 8 | kinds | u32::from(self.result);
        let words = [
            comments << 28 | self.white,
            variations << 28 | self.black,
            glyphs << 28 | self.event,
            self.site,
            u32::from(self.is_chess960) << 31 | self.round,
            u32::from(self.white_elo.0) << 20 | self.date.0,
            u32::from(self.black_elo.0) << 20 | self.event_date.0,
            u32::from(facts.plies) << 22 | self.flags,
            self.length << 15 | (self.offset >> 32) as u32,
            self.offset as u32,
            facts.material,
            high << 16 | u32::from(self.eco),
        ];
        for word in words {
            into.extend(word.to_le_bytes());
        }
        into.extend(facts.home_pawns);
    }
}

fn read_si4(bytes: &[u8]) -> Entry {
    let big = |at: usize, count: usize| {
        let bytes = &bytes[at..at + count];
        bytes.iter().fold(0, |sum, &it| sum << 8 | u32::from(it))
    };
    let length_high = big(6, 1);
    let players = big(9, 1);
    let others = big(14, 1);
    let counts = big(21, 2);
    let dates = big(25, 4);
    let date = Date(dates & 0xf_ffff);
    let (event_year, event_day) = (dates >> 29, dates >> 20 & 0x1ff);
    let event_year = (date.year() + event_year).checked_sub(4);
    let event_date = match (dates >> 29, event_year) {
        (1.., Some(year)) => Date((year & 0x7ff) << 9 | event_day),
        _ => Date(0),
    };
    let elo = |at: usize| ((big(at, 2) & 0xfff) as u16, (big(at, 2) >> 12) as u8);
    let mut home_pawns = [0; 8];
    home_pawns.copy_from_slice(&bytes[39..47]);
    Entry {
        offset: u64::from(big(0, 4)),
        length: big(4, 2) | (length_high & 0x80) << 9,
        white: players >> 4 << 16 | big(10, 2),
        black: (players & 15) << 16 | big(12, 2),
        event: others >> 5 << 16 | big(15, 2),
        site: (others >> 2 & 7) << 16 | big(17, 2),
        round: (others & 3) << 16 | big(19, 2),
        result: (counts >> 12 & 3) as u8,
        eco: big(23, 2) as u16,
        date,
        event_date,
        white_elo: elo(29),
        black_elo: elo(31),
        flags: big(7, 2) | (length_high & 63) << 16,
        is_chess960: false,
        counts: [0, 4, 8].map(|it| (counts >> it & 15) as u8),
        facts: Facts {
            plies: (big(37, 1) | big(38, 1) >> 6 << 8) as u16,
            material: big(33, 4),
            home_pawns,
            home_pawn_count: (big(38, 1) & 63) as u8,
        },
    }
}

fn read_si5(bytes: &[u8]) -> Entry {
    let word = |index: usize| {
        let bytes = &bytes[4 * index..4 * index + 4];
        bytes
            .iter()
            .rev()
            .fold(0, |sum, &it| sum << 8 | u32::from(it))
    };
    let low = |index: usize, bits: u32| word(index) & ((1 << bits) - 1);
    let high = word(11) >> 16;
    let mut home_pawns = [0; 8];
    home_pawns.copy_from_slice(&bytes[48..56]);
    Entry {
        offset: u64::from(low(8, 15)) << 32 | u64::from(word(9)),
        length: word(8) >> 15,
        white: low(0, 28),
        black: low(1, 28),
        event: low(2, 28),
        site: word(3),
        round: low(4, 31),
        result: (high & 3) as u8,
        eco: low(11, 16) as u16,
        date: Date(low(5, 20)),
        event_date: Date(low(6, 20)),
        white_elo: ((word(5) >> 20) as u16, (high >> 5 & 7) as u8),
        black_elo: ((word(6) >> 20) as u16, (high >> 3 & 7) as u8),
        flags: low(7, 22),
        is_chess960: word(4) >> 31 == 1,
        counts: [word(1), word(0), word(2)].map(|it| (it >> 28) as u8),
        facts: Facts {
            plies: (word(7) >> 22) as u16,
            material: word(10),
            home_pawns,
            home_pawn_count: (high >> 8) as u8,
        },
    }
}

/// The opening of a code: `B90`. Scid's finer divisions are left out.
pub(super) fn eco_to_text(eco: u16) -> Option<String> {
    let number = u32::from(eco).checked_sub(1)? / 131;
    let letter = char::from(b'A' + u8::try_from(number / 100).ok().filter(|&it| it < 5)?);
    Some(format!("{letter}{:02}", number % 100))
}

/// The code of an opening: `B90`.
pub(super) fn parse_eco(text: &str) -> Option<u16> {
    let (letter, number) = text.split_at_checked(1)?;
    let letter = u16::from(letter.as_bytes()[0]).checked_sub(u16::from(b'A'))?;
    let number: u16 = number.get(..2)?.parse().ok()?;
    (letter < 5).then_some((letter * 100 + number) * 131 + 1)
}

/// A count in four bits, rounded as Scid does.
pub(super) fn round_count(count: u32) -> u8 {
    match count {
        0..=10 => count as u8,
        11..=12 => 10,
        13..=17 => 11,
        18..=24 => 12,
        25..=34 => 13,
        35..=44 => 14,
        _ => 15,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_entry_is_read_and_written_back(bytes in proptest::collection::vec(any::<u8>(), 56)) {
            let entry = Entry::read(Format::Si5, &bytes);
            let mut written = Vec::new();
            entry.write(Format::Si5, &mut written);
            prop_assert_eq!(Entry::read(Format::Si5, &written), entry);
            let entry = Entry::read(Format::Si4, &bytes[..47]);
            written.clear();
            entry.write(Format::Si4, &mut written);
            prop_assert_eq!(written.len(), 47);
            let again = Entry::read(Format::Si4, &written);
            prop_assert_eq!(Entry { event_date: entry.event_date, ..again }, entry);
        }
    }

    #[test]
    fn dates_and_openings_have_codes() {
        for text in ["1997.05.11", "1851.06.??", "????.??.??"] {
            assert_eq!(Date::parse(text).unwrap().to_text(), text);
        }
        assert_eq!(Date::parse("2048.01.01"), None);
        for text in ["A00", "B90", "E99"] {
            assert_eq!(eco_to_text(parse_eco(text).unwrap()).unwrap(), text);
        }
        assert_eq!(
            (parse_eco("F00"), parse_eco(""), parse_eco("é9")),
            (None, None, None)
        );
        assert_eq!((eco_to_text(0), eco_to_text(u16::MAX)), (None, None));
    }
}
