//! The order of a game's tags in its source.

use serde::{Deserialize, Serialize};

/// The tags that [`Tags`](crate::Tags) and [`Game`](crate::Game) hold as fields, in the usual order. The first seven
/// are the Seven Tag Roster, which every game has. All other tags follow.
pub(crate) const NAMES: [&str; 12] = [
    "Event", "Site", "Date", "Round", "White", "Black", "Result", "WhiteElo", "BlackElo", "ECO",
    "SetUp", "FEN",
];

/// How many of the names are the roster.
const ROSTER: u8 = 7;

/// The letter of all other tags.
const OTHER: u8 = b'z';

/// The order of a game's tags in its source: a letter for each tag, `a` to `l` for those that are fields, in the order
/// Event, Site, Date, Round, White, Black, Result, WhiteElo, BlackElo, ECO, SetUp, FEN, and `z` for any other. Empty
/// if the order is this one.
///
/// Archives have few different orders, so layouts are worth sharing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Layout(String);

impl Layout {
    /// The layout of a source whose tags have these letters. Adds what a writer adds: tags of the roster that the
    /// source lacks go behind their predecessors, and SetUp before the FEN of a set-up game.
    pub(crate) fn of(letters: &str, has_setup: bool) -> Layout {
        let is_usual = |pair: &[u8]| pair[0] < pair[1] || pair == [OTHER, OTHER];
        if letters.as_bytes().windows(2).all(is_usual) {
            return Layout::default();
        }
        let mut layout = letters.to_owned();
        for letter in b'a'..b'a' + ROSTER {
            if !layout.contains(char::from(letter)) {
                let predecessor = layout.find(char::from(letter - 1));
                layout.insert(predecessor.map_or(0, |it| it + 1), char::from(letter));
            }
        }
        if let Some(fen) = layout
            .find('l')
            .filter(|_| has_setup && !layout.contains('k'))
        {
            layout.insert(fen, 'k');
        }
        Layout(layout)
    }

    /// The letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The places of the tags in [`NAMES`], in order; those of other tags are its length.
    pub(crate) fn ranks(&self) -> impl Iterator<Item = usize> {
        let rank = |letter: u8| usize::from(letter.wrapping_sub(b'a')).min(NAMES.len());
        self.0.bytes().map(rank)
    }

    /// The letter of a tag at this place of [`NAMES`], or of any other tag.
    pub(crate) fn letter(rank: Option<usize>) -> char {
        char::from(rank.map_or(OTHER, |it| b'a' + it as u8))
    }
}

/// The layout of these letters. Other characters are left out.
impl From<&str> for Layout {
    fn from(letters: &str) -> Layout {
        let is_letter = |it: &char| matches!(it, 'a'..='l' | 'z');
        Layout(letters.chars().filter(is_letter).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(letters: &str, layout: &str) {
        assert_eq!(Layout::of(letters, true).as_str(), layout);
        assert_eq!(Layout::from(layout).as_str(), layout);
    }

    #[test]
    fn the_usual_order_needs_no_letters() {
        check("", "");
        check("abcdefghijklzzz", "");
        check("aefglz", "");
        check("z", "");
    }

    #[test]
    fn tags_that_a_writer_adds_have_their_places() {
        check("abcdefgzzhij", "abcdefgzzhij");
        check("efza", "efgzabcd");
        check("zl", "abcdefgzkl");
        check("aab", "aabcdefg");
        assert_eq!(Layout::of("zl", false).as_str(), "abcdefgzl");
    }
}
