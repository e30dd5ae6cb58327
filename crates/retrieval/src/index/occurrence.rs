//! Where a position occurred, and what is asked of the games it occurred in.

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Outcome};
use tabiya_chess::{CompactMove, Date, Ply, wire};

use super::{GameIndex, varint};

/// A position's place in a segment: the game and how many plies were played before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Occurrence {
    /// The game.
    pub game: GameIndex,
    /// The plies played before the position; 0 is the game's first position.
    pub ply: Ply,
}

/// What a tally needs to know of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The result.
    #[serde(with = "wire::outcome")]
    pub outcome: Outcome,
    /// The mean rating of the players, of one of them if the other's is
    /// unknown.
    pub rating: Option<u16>,
    /// When it was played.
    pub date: Date,
}

impl Default for Facts {
    fn default() -> Facts {
        Facts {
            outcome: Outcome::Unknown,
            rating: None,
            date: Date::default(),
        }
    }
}

/// The games of a segment, as far as a tally asks.
pub trait TallySource {
    /// The facts of a game; `None` if there is no such game.
    fn facts(&self, game: GameIndex) -> Option<Facts>;

    /// The move played at an occurrence; `None` if the game ended there.
    fn move_at(&self, occurrence: Occurrence) -> Option<CompactMove>;
}

/// Games that can be played through.
pub trait Replay {
    /// The position at an occurrence; `None` if the game has no such ply.
    fn position_at(&self, occurrence: Occurrence) -> Option<Chess>;
}

/// Appends occurrences, which must be sorted, as their number and then the
/// steps from game to game with the plies.
pub(crate) fn put_all(occurrences: &[Occurrence], bytes: &mut Vec<u8>) {
    debug_assert!(occurrences.is_sorted());
    varint::put(occurrences.len() as u64, bytes);
    let mut last = 0;
    for occurrence in occurrences {
        varint::put(u64::from(occurrence.game.0 - last), bytes);
        varint::put(u64::from(occurrence.ply), bytes);
        last = occurrence.game.0;
    }
}

/// Takes what [`put_all`] appended off the front.
pub(crate) fn take_all(bytes: &mut &[u8]) -> Option<Vec<Occurrence>> {
    let count: usize = varint::take_as(bytes)?;
    // Each takes two bytes at least, so a damaged count asks for no more
    // memory than the table has.
    if count > bytes.len() / 2 {
        return None;
    }
    let mut occurrences = Vec::with_capacity(count);
    let mut game = GameIndex(0);
    for _ in 0..count {
        game.0 = game.0.checked_add(varint::take_as(bytes)?)?;
        let ply = varint::take_as(bytes)?;
        occurrences.push(Occurrence { game, ply });
    }
    Some(occurrences)
}

/// The last occurrence in each game of a sorted list: a game that comes back to
/// a position counts once, with the move it played there in the end.
pub(crate) fn last_in_each_game(occurrences: &[Occurrence]) -> impl Iterator<Item = Occurrence> {
    occurrences
        .chunk_by(|a, b| a.game == b.game)
        .filter_map(|visits| visits.last().copied())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn occurrences() -> impl Strategy<Value = Vec<Occurrence>> {
        let pair = (any::<u32>().prop_map(GameIndex), any::<u16>().prop_map(Ply));
        proptest::collection::btree_set(pair, 0..50).prop_map(|pairs| {
            let occurrence = |(game, ply)| Occurrence { game, ply };
            pairs.into_iter().map(occurrence).collect()
        })
    }

    proptest! {
        #[test]
        fn occurrences_come_back(occurrences in occurrences()) {
            let mut bytes = Vec::new();
            put_all(&occurrences, &mut bytes);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(take_all(&mut rest), Some(occurrences));
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn any_bytes_are_safe(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = take_all(&mut bytes.as_slice());
        }
    }

    #[test]
    fn a_game_counts_once() {
        let visit = |game, ply| Occurrence {
            game: GameIndex(game),
            ply: Ply(ply),
        };
        let visits = [
            visit(1, 10),
            visit(1, 14),
            visit(2, 10),
            visit(7, 3),
            visit(7, 9),
        ];
        let last: Vec<Occurrence> = last_in_each_game(&visits).collect();
        assert_eq!(last, [visit(1, 14), visit(2, 10), visit(7, 9)]);
    }
}
