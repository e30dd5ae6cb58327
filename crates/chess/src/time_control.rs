//! The time control of a game, as the PGN tag `TimeControl` writes it.

use std::fmt;

/// The moves of a game whose length is estimated.
const MOVES: u64 = 40;

/// The time that a player has for a game, estimated for a game of 40 moves: the base and 40 increments.
///
/// Without a limit, as in a game by correspondence, it is longer than any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeControl(u32);

impl TimeControl {
    /// No limit.
    pub const UNLIMITED: TimeControl = TimeControl(u32::MAX);

    /// A time control of this many seconds.
    pub const fn from_seconds(seconds: u32) -> TimeControl {
        TimeControl(seconds)
    }

    /// The estimated seconds that a player has.
    pub const fn seconds(self) -> u32 {
        self.0
    }

    /// Reads `300`, `300+3`, `40/7200:3600`, `*180` (a sandclock) and `-` (no limit); `?` and everything else is unknown.
    ///
    /// ```
    /// use tabiya_chess::TimeControl;
    ///
    /// let seconds = |text| TimeControl::parse(text).map(TimeControl::seconds);
    /// assert_eq!(seconds("300+3"), Some(420));
    /// assert_eq!(seconds("40/7200:3600"), Some(7200));
    /// assert_eq!(seconds("?"), None);
    /// ```
    pub fn parse(text: &str) -> Option<TimeControl> {
        let text = text.trim();
        if text == "-" {
            return Some(TimeControl::UNLIMITED);
        }
        let (mut left, mut seconds) = (MOVES, 0_u64);
        for period in text.split(':') {
            let period = Period::parse(period.trim())?;
            // What comes after 40 moves counts for longer games only.
            let moves = period.moves.unwrap_or(left).min(left);
            let base = match period.moves {
                Some(all) => period.base * moves / all,
                None if moves > 0 => period.base,
                None => 0,
            };
            seconds += base + period.increment * moves;
            left -= moves;
        }
        let most = TimeControl::UNLIMITED.0 - 1;
        let seconds = u32::try_from(seconds).map_or(most, |it| it.min(most));
        Some(TimeControl(seconds))
    }
}

/// A part of a game with a time of its own.
struct Period {
    /// The moves to make; none if it lasts to the end of the game.
    moves: Option<u64>,
    base: u64,
    increment: u64,
}

impl Period {
    fn parse(text: &str) -> Option<Period> {
        let (moves, time) = match text.split_once('/') {
            Some((moves, time)) => (Some(parse_number(moves)?), time),
            None => (None, text.strip_prefix('*').unwrap_or(text)),
        };
        let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
        let period = Period {
            moves,
            base: parse_number(base)?,
            increment: parse_number(increment)?,
        };
        (moves != Some(0)).then_some(period)
    }
}

/// At most 32 bits, so that sums of products do not overflow.
fn parse_number(text: &str) -> Option<u64> {
    text.parse::<u32>().ok().map(u64::from)
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TimeControl::UNLIMITED => f.write_str("-"),
            TimeControl(seconds) => seconds.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, seconds: Option<u32>) {
        let parsed = TimeControl::parse(text).map(TimeControl::seconds);
        assert_eq!(parsed, seconds, "{text}");
    }

    #[test]
    fn time_controls_are_estimated_for_forty_moves() {
        check("600", Some(600));
        check("180+2", Some(260));
        check(" 0+1 ", Some(40));
        check("40/9000", Some(9000));
        check("80/9000", Some(4500));
        check("20/3600:1800", Some(5400));
        check("40/7200+30:3600", Some(8400));
        check("*180", Some(180));
        check("-", Some(u32::MAX));
    }

    #[test]
    fn what_cannot_be_read_is_unknown() {
        for text in [
            "",
            "?",
            "x",
            "1/",
            "0/60",
            "60+",
            "60+x",
            "5 minutes",
            "99999999999",
        ] {
            check(text, None);
        }
        check("4294967295+4294967295", Some(u32::MAX - 1));
        check("4294967295/4294967295+4294967295", Some(u32::MAX - 1));
    }
}
