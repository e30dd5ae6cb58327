//! Which games of a text become part of a collection.

use tabiya_chess::{Tags, TimeControl};

use crate::search::{Filter, Range};

/// The games to import. The default takes all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// Players, ratings, date, opening, result and event; the same meaning as in a search.
    pub filter: Filter,
    /// The time control; an unknown one lies only in the open range.
    pub time_control: Range<TimeControl>,
    /// The greatest number of games that are taken, duplicates included: with
    /// them an import that is run again takes the same games.
    pub limit: Option<u64>,
}

impl Selection {
    /// Whether a game with these tags is taken.
    pub(super) fn admits(&self, tags: &Tags) -> bool {
        self.filter.admits_tags(tags) && self.admits_time_control(tags)
    }

    /// The selection without results, which the tags of a game may leave open
    /// or get wrong. What it refuses need not be read further.
    pub(super) fn by_tags(&self) -> Selection {
        let mut selection = self.clone();
        selection.filter.results.clear();
        selection
    }

    /// Whether every game is taken, up to the limit.
    pub(super) fn admits_all(&self) -> bool {
        let open = Selection {
            limit: self.limit,
            ..Selection::default()
        };
        *self == open
    }

    fn admits_time_control(&self, tags: &Tags) -> bool {
        if self.time_control.is_open() {
            return true;
        }
        let mut others = tags.others.iter();
        let tag = others.find(|(name, _)| name == "TimeControl");
        let time = tag.and_then(|(_, value)| TimeControl::parse(value));
        self.time_control.admits(time)
    }
}

#[cfg(test)]
mod tests {
    use tabiya_chess::pgn;

    use super::*;

    #[track_caller]
    fn check(from: Option<u32>, to: Option<u32>, tag: &str, expected: bool) {
        let second = |it: Option<u32>| it.map(TimeControl::from_seconds);
        let (from, to) = (second(from), second(to));
        let selection = Selection {
            time_control: Range { from, to },
            ..Selection::default()
        };
        let tags = pgn::read_tags(format!("{tag}\n\n1. e4 *\n").as_bytes());
        assert_eq!(
            selection.admits(&tags),
            expected,
            "{tag} in {from:?} to {to:?}"
        );
    }

    #[test]
    fn games_are_selected_by_their_time_control() {
        let (rapid, blitz) = ("[TimeControl \"600+5\"]", "[TimeControl \"180+0\"]");
        check(Some(600), None, rapid, true);
        check(Some(600), None, blitz, false);
        check(None, Some(479), blitz, true);
        check(None, Some(479), rapid, false);
        check(Some(800), Some(800), rapid, true);
        check(Some(600), None, "[TimeControl \"-\"]", true);
        check(Some(600), None, "[TimeControl \"?\"]", false);
        check(Some(600), None, "[White \"A\"]", false);
        check(None, None, "[White \"A\"]", true);
    }
}
