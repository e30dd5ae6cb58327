//! Games that answer with the same position.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use shakmaty::Color;
use tabiya_chess::{Ply, Symmetry};
use xxhash_rust::xxh3::xxh3_128;

use super::Hit;
use crate::index::{GameNumber, Planes, VariationNumber};

/// What makes the hits of an answer distinct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distinct {
    /// Every game is a hit of its own.
    #[default]
    Games,
    /// Games whose best position is the same are one hit: the same pieces on the same squares,
    /// the same side to move, and met by the same symmetry. Near the opening thousands of games
    /// share a few positions. The more games are found, the fewer positions are enough: once
    /// there are `games`, it is `few` positions, and with twice as many games half of them.
    Positions {
        /// This many games let fewer positions do.
        games: usize,
        /// How many positions then suffice.
        few: usize,
    },
}

/// How many groups an answer needs. A shard stops no earlier than the whole collection does: of
/// the groups before another one it has at most as many, with at most as many games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enough {
    /// Groups that suffice.
    pub(super) groups: usize,
    /// Games that let `few` groups suffice, and more games in proportion fewer.
    pub(super) games: usize,
    /// See `games`.
    pub(super) few: usize,
    /// How many games there are: when all have their group, no other can come.
    pub(super) all: usize,
}

impl Enough {
    pub(super) const fn groups(groups: usize) -> Enough {
        Enough {
            groups,
            games: usize::MAX,
            few: groups,
            all: usize::MAX,
        }
    }

    /// Whether groups with this many games suffice.
    pub fn is_met(&self, groups: usize, games: usize) -> bool {
        let weight = groups.saturating_mul(games);
        groups >= self.groups
            || games >= self.games && weight >= self.few.saturating_mul(self.games)
            || games >= self.all
    }

    /// Knows how many games there are.
    pub(super) const fn of(self, all: usize) -> Enough {
        Enough { all, ..self }
    }

    /// Needs some more groups.
    pub(super) const fn plus(self, spare: usize) -> Enough {
        Enough {
            groups: self.groups.saturating_add(spare),
            few: self.few.saturating_add(spare),
            ..self
        }
    }
}

/// Games that answer with the same position; a single one where games are distinct.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its place in an answer.
    pub rank: Rank,
    /// The best hit of each game, by game number. Similarity, score and symmetry are the same.
    pub hits: Vec<Hit>,
}

/// The place of a group in an answer: most similar first, ties by score and then by what all
/// shards agree on. So a group that is among the best of a collection is among the best of
/// every shard that has games of it, and the answers of shards merge exactly.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Rank {
    /// How similar the position is.
    pub similarity: f64,
    /// Its score.
    pub score: f64,
    tie: Tie,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Tie {
    Game(GameNumber, Option<VariationNumber>, Ply, Symmetry),
    Position(Symmetry, u128),
}

/// The first hit of each group.
pub(super) fn first_hits(groups: &[Group]) -> Vec<Hit> {
    let first = groups.iter().filter_map(|it| it.hits.first());
    first.copied().collect()
}

impl Rank {
    pub(super) fn of_game(hit: &Hit) -> Rank {
        let tie = Tie::Game(hit.game, hit.variation, hit.ply, hit.symmetry);
        Rank::new(hit, tie)
    }

    pub(super) fn of_position(hit: &Hit, digest: u128) -> Rank {
        Rank::new(hit, Tie::Position(hit.symmetry, digest))
    }

    fn new(hit: &Hit, tie: Tie) -> Rank {
        Rank {
            similarity: hit.similarity,
            score: hit.score,
            tie,
        }
    }
}

impl Distinct {
    /// When an answer with `top` groups is complete.
    pub fn enough(self, top: usize) -> Enough {
        match self {
            Distinct::Games => Enough::groups(top),
            Distinct::Positions { games, few } => Enough {
                games,
                few,
                ..Enough::groups(top)
            },
        }
    }

    /// How many more groups than needed a search keeps at first. Some of them end when a game is
    /// found in a better position; too few, and the search must begin again.
    pub(super) fn spare(self, top: usize) -> usize {
        match self {
            Distinct::Games => 0,
            Distinct::Positions { few, .. } => top.min(few) / 4 + 8,
        }
    }

    /// The rank of a hit's group. The board and the side to move are those of the game.
    pub(super) fn rank(self, hit: &Hit, board: &Planes, turn: Color) -> Rank {
        match self {
            Distinct::Games => Rank::of_game(hit),
            Distinct::Positions { .. } => Rank::of_position(hit, digest(board, turn)),
        }
    }
}

/// A hash of the board and the side to move. At this length two different positions never share
/// one by chance.
fn digest(board: &Planes, turn: Color) -> u128 {
    let mut bytes = [0; 33];
    for (bytes, plane) in bytes.chunks_exact_mut(8).zip(board.0) {
        bytes.copy_from_slice(&plane.to_le_bytes());
    }
    bytes[32] = turn.fold_wb(0, 1);
    xxh3_128(&bytes)
}

impl Ord for Rank {
    fn cmp(&self, other: &Rank) -> Ordering {
        let similarity = other.similarity.total_cmp(&self.similarity);
        let score = other.score.total_cmp(&self.score);
        similarity
            .then(score)
            .then_with(|| self.tie.cmp(&other.tie))
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Rank) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rank {
    fn eq(&self, other: &Rank) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Rank {}
