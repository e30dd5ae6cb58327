//! Positions whose statistic is close to a given one, and the distribution of the statistic in a
//! collection.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, btree_map::Entry},
    ops::RangeInclusive,
};

use serde::{Deserialize, Serialize};
use shakmaty::{Board, Chess, Position};
use tabiya_chess::{Ply, chi_square::ChiSquare, exact::Exact, wire};

use crate::index::{FormatError, GameNumber, Shard, exact::DamagedTable, sound};

/// A position whose statistic is close to the query's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Neighbor {
    /// The position.
    #[serde(with = "wire::position")]
    pub position: Chess,
    /// The number of occurrences.
    pub occurrences: u64,
    /// The first game with the position.
    pub game: GameNumber,
    /// Its ply in that game.
    pub ply: Ply,
}

impl Neighbor {
    /// The position's statistic.
    pub fn statistic(&self) -> ChiSquare {
        ChiSquare::of(self.position.board())
    }
}

/// The contribution of a group of shards to [`nearest`]: positions whose statistic differs from
/// a board's by at most `distance`. At least `limit` if there are as many, and all of the
/// greatest distance, because other groups may hold some of them as well.
pub fn rings(
    shards: &[Shard<'_>],
    board: &Board,
    distance: ChiSquare,
    limit: usize,
) -> Result<Vec<Neighbor>, FormatError> {
    let center = ChiSquare::of(board).hundredths();
    let mut found = Vec::new();
    for step in 0..=distance.hundredths() {
        if found.len() >= limit {
            break;
        }
        let mut values = vec![center.checked_sub(step), center.checked_add(step)];
        values.dedup();
        let values = values.into_iter().flatten();
        for statistic in values.filter_map(ChiSquare::from_hundredths) {
            let places = at(shards, statistic)?.into_iter();
            found.extend(places.filter_map(|(exact, (occurrences, game, ply))| {
                let position = exact.position().ok()?;
                Some(Neighbor {
                    position,
                    occurrences,
                    game,
                    ply,
                })
            }));
        }
    }
    Ok(found)
}

/// The `limit` nearest of the positions that groups of shards found with [`rings`].
pub fn nearest(
    parts: impl IntoIterator<Item = Vec<Neighbor>>,
    board: &Board,
    limit: usize,
) -> Vec<Neighbor> {
    let center = ChiSquare::of(board).hundredths();
    let mut known: BTreeMap<Exact, Neighbor> = BTreeMap::new();
    for found in parts.into_iter().flatten() {
        // Every position from a table has a record.
        let Ok(exact) = Exact::of(&found.position) else {
            continue;
        };
        match known.entry(exact) {
            Entry::Vacant(vacant) => drop(vacant.insert(found)),
            Entry::Occupied(mut occupied) => {
                let near = occupied.get_mut();
                near.occurrences += found.occurrences;
                (near.game, near.ply) = (near.game, near.ply).min((found.game, found.ply));
            }
        }
    }
    let away = |it: &Exact| it.record.key().statistic().hundredths().abs_diff(center);
    let mut ranked: Vec<(Exact, Neighbor)> = known.into_iter().collect();
    // The sort is stable: equally near and frequent ones stay in the order of the table.
    ranked.sort_by_key(|(exact, near)| (away(exact), Reverse(near.occurrences)));
    ranked.into_iter().take(limit).map(|it| it.1).collect()
}

type Places = BTreeMap<Exact, (u64, GameNumber, Ply)>;

/// All positions with one statistic: the number of occurrences, and the first game and ply.
fn at(shards: &[Shard<'_>], statistic: ChiSquare) -> Result<Places, FormatError> {
    let mut places = Places::new();
    for shard in shards {
        let table = shard.segment.exact()?;
        let mut add = || -> Result<(), DamagedTable> {
            for entry in table.scan(statistic..=statistic) {
                let entry = entry?;
                let occurrences = entry.payload.occurrences()?;
                let Some(first) = occurrences.first() else {
                    continue;
                };
                let game = shard.number(first.game);
                let place = places
                    .entry(entry.exact(shard.segment)?)
                    .or_insert((0, game, first.ply));
                place.0 += occurrences.len() as u64;
            }
            Ok(())
        };
        add().map_err(|it| shard.segment.damaged(it.to_string()))?;
    }
    sound(shards).map(|()| places)
}

/// The number of positions with a statistic in a range, counted once per segment.
pub fn count(
    shards: &[Shard<'_>],
    statistics: RangeInclusive<ChiSquare>,
) -> Result<u64, FormatError> {
    let mut positions = 0;
    for shard in shards {
        let counted = shard.segment.exact()?.count(statistics.clone());
        positions += counted.map_err(|it| shard.segment.damaged(it.to_string()))?;
    }
    sound(shards).map(|()| positions)
}

/// The ranges of the statistic in steps, from zero to the greatest.
pub fn steps(step: ChiSquare) -> impl Iterator<Item = RangeInclusive<ChiSquare>> {
    let (step, most) = (step.hundredths().max(1), ChiSquare::MAX.hundredths());
    (0..=most).step_by(step.into()).map(move |low| {
        let ends = [low, (low + (step - 1)).min(most)];
        let [low, high] = ends.map(|it| ChiSquare::from_hundredths(it).unwrap_or_default());
        low..=high
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use shakmaty::Position;

    use super::*;
    use crate::testing::collection_of;

    const GAMES: &str =
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n[White \"B\"]\n\n1. e4 c5 2. Nf3 d6 *\n";

    #[test]
    fn nearest_come_first_and_none_beyond_the_distance() {
        let (_folder, collection) = collection_of(GAMES);
        let start = Chess::default();
        let center = ChiSquare::of(start.board()).hundredths();
        let distance: ChiSquare = "10".parse().unwrap();
        let near = |limit| {
            let found = rings(&collection.shards(), start.board(), distance, limit).unwrap();
            nearest([found], start.board(), limit)
        };
        let found = near(100);
        let away = |it: &Neighbor| it.statistic().hundredths().abs_diff(center);
        assert!(found.is_sorted_by_key(away));
        assert_eq!((away(&found[0]), found[0].occurrences), (0, 2));
        let games = [1, 2].map(|it| collection.game(GameNumber(it)).unwrap().unwrap());
        let expected: BTreeSet<ChiSquare> = games
            .iter()
            .flat_map(|it| it.boards())
            .map(|it| ChiSquare::of(&it))
            .filter(|it| it.hundredths().abs_diff(center) <= distance.hundredths())
            .collect();
        assert_eq!(
            found
                .iter()
                .map(Neighbor::statistic)
                .collect::<BTreeSet<_>>(),
            expected
        );
        assert!(expected.len() > 2);
        assert_eq!((near(2).len(), near(0).len()), (2, 0));
    }

    #[test]
    fn bars_hold_every_position_once() {
        let (_folder, collection) = collection_of(GAMES);
        for step in ["0.01", "1", "5", "255.99"] {
            let bars: Vec<_> = steps(step.parse().unwrap()).collect();
            let count = |it: &RangeInclusive<_>| count(&collection.shards(), it.clone()).unwrap();
            // Seven and five positions, of which the start and 1. e4 are shared.
            assert_eq!(bars.iter().map(count).sum::<u64>(), 10, "{step}");
            assert!(bars.windows(2).all(|it| it[0].end() < it[1].start()));
        }
    }
}
