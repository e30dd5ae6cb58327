//! The best groups: of each game its best position, games with the same position together.
//!
//! A game that is found in a better position leaves its group, which may end that group. So the
//! number of groups can fall, and with it the similarity of the last group that matters. What was
//! dropped until then may have been too much: [`Best::into_groups`] notices that.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{
    Hit,
    group::{Enough, Group, Rank},
};
use crate::index::GameNumber;

/// Keeps the top groups.
#[derive(Debug)]
pub(super) struct Best {
    room: Enough,
    /// How many games each group has.
    groups: BTreeMap<Rank, usize>,
    /// How many games all groups have.
    games: usize,
    /// The best hit of each game that was offered. Games of dropped groups stay here: nothing worse
    /// than what was dropped can help them.
    by_game: FxHashMap<GameNumber, (Hit, Rank)>,
    /// The greatest threshold so far: hits below it may be missing.
    cut: f64,
    /// The best of the groups that were dropped.
    dropped: Option<Rank>,
}

impl Best {
    /// Keeps groups until they are enough.
    pub(super) fn new(room: Enough) -> Best {
        Best {
            room,
            groups: BTreeMap::new(),
            games: 0,
            by_game: FxHashMap::default(),
            cut: 0.0,
            dropped: None,
        }
    }

    /// The similarity below which a hit can no longer enter; 0 until all
    /// places are taken.
    pub(super) fn threshold(&self) -> f64 {
        self.cut
    }

    /// Adds a hit, unless it shares nothing with the query.
    pub(super) fn offer(&mut self, hit: Hit, rank: Rank) {
        if hit.score <= 0.0 {
            return;
        }
        if let Some((known, old)) = self.by_game.get(&hit.game) {
            if known.rank(&hit).is_le() {
                return;
            }
            let old = *old;
            self.leave(old);
        }
        self.by_game.insert(hit.game, (hit, rank));
        *self.groups.entry(rank).or_default() += 1;
        self.games += 1;
        while self.is_enough_without_last() {
            self.drop_last();
        }
        if self.room.is_met(self.groups.len(), self.games)
            && let Some((last, _)) = self.groups.last_key_value()
        {
            self.cut = self.cut.max(last.similarity);
        }
    }

    fn is_enough_without_last(&self) -> bool {
        let last = self.groups.last_key_value();
        last.is_some_and(|(_, games)| {
            let games = self.games - games;
            self.room.is_met(self.groups.len() - 1, games)
        })
    }

    fn leave(&mut self, rank: Rank) {
        let Some(games) = self.groups.get_mut(&rank) else {
            return;
        };
        *games -= 1;
        if *games == 0 {
            self.groups.remove(&rank);
        }
        self.games -= 1;
    }

    fn drop_last(&mut self) {
        let Some((rank, games)) = self.groups.pop_last() else {
            return;
        };
        self.games -= games;
        self.dropped = Some(self.dropped.map_or(rank, |it| it.min(rank)));
    }

    /// The first groups until they are enough; `None` if something dropped could be among them.
    pub(super) fn into_groups(self, enough: Enough) -> Option<Vec<Group>> {
        let (mut groups, mut games) = (0, 0);
        let mut last = None;
        for (rank, members) in &self.groups {
            if enough.is_met(groups, games) {
                break;
            }
            (groups, games) = (groups + 1, games + members);
            last = Some(*rank);
        }
        let is_whole = match last.filter(|_| enough.is_met(groups, games)) {
            Some(last) => {
                last.similarity >= self.cut && self.dropped.is_none_or(|dropped| last < dropped)
            }
            None => self.cut == 0.0 && self.dropped.is_none(),
        };
        is_whole.then(|| self.first_groups(groups))
    }

    fn first_groups(self, count: usize) -> Vec<Group> {
        let group = |(rank, games)| (rank, Vec::with_capacity(games));
        let first = self.groups.into_iter().take(count);
        let mut groups: BTreeMap<Rank, Vec<Hit>> = first.map(group).collect();
        self.by_game.into_values().for_each(|(hit, rank)| {
            if let Some(hits) = groups.get_mut(&rank) {
                hits.push(hit);
            }
        });
        let group = |(rank, mut hits): (Rank, Vec<Hit>)| {
            hits.sort_unstable_by_key(|it| it.game);
            Group { rank, hits }
        };
        groups.into_iter().map(group).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::testing::Dice;
    use proptest::prelude::*;
    use tabiya_chess::Ply;
    use tabiya_chess::Symmetry;

    /// A hit in one of thirty positions, of which three each have the same similarity, and its
    /// rank.
    fn random_hit(dice: &mut Dice, by_position: bool) -> (Hit, Rank) {
        let (game, ply) = (dice.below(12), dice.below(5));
        let position = ((7 * game + 11 * ply) % 30) as u128;
        let symmetry = Symmetry::ALL[dice.below(4)];
        let score = (position / 3) as f64;
        let hit = Hit {
            score,
            similarity: score
                / if symmetry == Symmetry::None {
                    10.0
                } else {
                    20.0
                },
            symmetry,
            game: GameNumber(game as u64),
            variation: None,
            ply: Ply::after(ply),
        };
        let rank = match by_position {
            true => Rank::of_position(&hit, position),
            false => Rank::of_game(&hit),
        };
        (hit, rank)
    }

    /// Sorts everything.
    fn slowly(mut all: Vec<(Hit, Rank)>, enough: Enough) -> Vec<Group> {
        all.retain(|it| it.0.score > 0.0);
        all.sort_by(|one, two| one.0.rank(&two.0));
        let mut seen = BTreeSet::new();
        all.retain(|it| seen.insert(it.0.game));
        let mut groups = BTreeMap::<Rank, Vec<Hit>>::new();
        all.sort_by_key(|it| it.0.game);
        for (hit, rank) in all {
            groups.entry(rank).or_default().push(hit);
        }
        let mut first = Vec::new();
        let mut games = 0;
        for (rank, hits) in groups {
            if enough.is_met(first.len(), games) {
                break;
            }
            games += hits.len();
            first.push(Group { rank, hits });
        }
        first
    }

    proptest! {
        #[test]
        fn agrees_with_sorting_everything(seed: u64, top in 1usize..8, spare in 0usize..8, few in 0usize..8, by_position: bool) {
            let mut dice = Dice::new(seed);
            let enough = match by_position {
                true => Enough { games: 1 + few % 5, few, ..Enough::groups(top) },
                false => Enough::groups(top),
            };
            let mut best = Best::new(enough.plus(if by_position { spare } else { 0 }));
            let mut all = Vec::new();
            for _ in 0..60 {
                let (hit, rank) = random_hit(&mut dice, by_position);
                all.push((hit, rank));
                // A search offers nothing below the threshold.
                if hit.similarity >= best.threshold() {
                    best.offer(hit, rank);
                }
            }
            match best.into_groups(enough) {
                Some(groups) => prop_assert_eq!(groups, slowly(all, enough)),
                None => prop_assert!(by_position),
            }
        }
    }

    #[test]
    fn a_group_that_ended_was_not_counted() {
        let hit = |game: u64, score: f64| Hit {
            score,
            similarity: score,
            symmetry: Symmetry::None,
            game: GameNumber(game),
            variation: None,
            ply: Ply::FIRST,
        };
        let offer = |best: &mut Best, hit: Hit, position| {
            best.offer(hit, Rank::of_position(&hit, position));
        };
        // Two games in two groups close the door for a third. Then they meet.
        let ask = |room| {
            let mut best = Best::new(Enough::groups(room));
            offer(&mut best, hit(1, 0.9), 1);
            offer(&mut best, hit(2, 0.8), 2);
            if best.threshold() <= 0.7 {
                offer(&mut best, hit(3, 0.7), 3);
            }
            offer(&mut best, hit(2, 0.9), 1);
            best.into_groups(Enough::groups(2))
        };
        assert_eq!(ask(2), None);
        let groups = ask(3).unwrap();
        let games: Vec<usize> = groups.iter().map(|it| it.hits.len()).collect();
        assert_eq!(games, [2, 1]);
    }
}
