//! Named rankings, and the pool of documents that several of them find.
//!
//! A run is a way to rank, compared with others on the same queries. Six are the
//! paper's ("Retrieval of similar chess positions", table 2), which differ in the
//! families that take part; the seventh is ours.

use std::collections::BTreeMap;

use shakmaty::Chess;
use tabiya_chess::{Ply, Symmetry, named};

use crate::{
    index::GameNumber,
    rank::Ranking,
    search::{Filter, Hit, Query, SideToMove},
    term::{ByFamily, Family},
};

named! {
    /// A named way to rank; the paper's first, in its order.
    pub enum Run: "run" {
        /// Pieces on the same squares only.
        TruePos = "TruePos",
        /// Also pieces that could move to the square.
        RchblePos = "RchblePos",
        /// `RchblePos` and attacks.
        Attk = "Attk",
        /// `RchblePos` and defenses.
        Def = "Def",
        /// `RchblePos` and x-rays.
        RayAttk = "RayAttk",
        /// Everything.
        CombAll = "CombAll",
        /// Everything, with weights found on puzzles and games (`docs/ranking.md`):
        /// places count most, the player to move is the same, and colors may be
        /// swapped. A moved piece changes one place and several relations, so
        /// relations count less.
        Tabiya = "Tabiya",
    }
}

impl Run {
    /// The run with this name, upper and lower case being one.
    pub fn from_name(name: &str) -> Option<Run> {
        let mut runs = Run::ALL.into_iter();
        runs.find(|it| it.name().eq_ignore_ascii_case(name))
    }

    /// Whether the run is one of the paper's.
    pub fn is_of_the_paper(self) -> bool {
        self != Run::Tabiya
    }

    /// The weights of the families: one and zero in the paper's runs.
    pub fn weights(self) -> ByFamily<f64> {
        let families: &[Family] = match self {
            Run::Tabiya => return tabiya_weights(),
            Run::TruePos => &[Family::Place],
            Run::RchblePos => &[Family::Place, Family::Reach],
            Run::Attk => &[Family::Place, Family::Reach, Family::Attack],
            Run::Def => &[Family::Place, Family::Reach, Family::Defense],
            Run::RayAttk => &[Family::Place, Family::Reach, Family::Ray],
            Run::CombAll => &Family::ALL,
        };
        let mut weights = ByFamily::all(0.0);
        families.iter().for_each(|&it| weights[it] = 1.0);
        weights
    }

    /// The run's ranking with the usual k1 and b.
    pub fn ranking(self) -> Ranking {
        Ranking {
            weights: self.weights(),
            ..Ranking::default()
        }
    }

    /// In which ways the run turns a position. The paper knows no symmetries.
    pub fn symmetries(self) -> &'static [Symmetry] {
        match self {
            Run::Tabiya => &[Symmetry::None, Symmetry::Swap],
            _ => &[Symmetry::None],
        }
    }

    /// Whether only positions answer in which, after turning, the same player is
    /// to move.
    pub fn same_side(self) -> bool {
        self == Run::Tabiya
    }

    /// The run's query for a position.
    pub fn query(self, position: Chess, top: usize) -> Query {
        let filter = Filter {
            side_to_move: self.same_side().then_some(SideToMove::Same),
            ..Filter::default()
        };
        Query {
            top,
            symmetries: self.symmetries().to_vec(),
            ranking: self.ranking(),
            same_first: !self.is_of_the_paper(),
            filter,
            ..Query::new(position)
        }
    }
}

fn tabiya_weights() -> ByFamily<f64> {
    let mut weights = ByFamily::all(1.0);
    weights[Family::Reach] = 0.3;
    weights[Family::Attack] = 0.4;
    weights[Family::Defense] = 0.2;
    weights[Family::Ray] = 0.12;
    weights
}

/// The positions to be judged for a query: of all that the runs' answers hold,
/// the `size` with the greatest score as a part of their run's best.
///
/// They are sorted by game and ply, which hides from the judge which run found them
/// and at what rank. A position that several runs found appears once, as found by
/// the run that scored it highest.
pub fn pool<'a>(answers: impl IntoIterator<Item = &'a [Hit]>, size: usize) -> Vec<Hit> {
    let mut found = BTreeMap::<(GameNumber, Ply), (f64, Hit)>::new();
    for answer in answers {
        let best = answer.iter().map(|it| it.score).fold(0.0, f64::max);
        for &hit in answer.iter().filter(|it| it.score > 0.0) {
            let part = hit.score / best;
            let entry = found.entry((hit.game, hit.ply)).or_insert((part, hit));
            if part > entry.0 {
                *entry = (part, hit);
            }
        }
    }
    let mut pool: Vec<(f64, Hit)> = found.into_values().collect();
    // The sort is stable, so equal parts stay in the order of games.
    pool.sort_by(|one, two| two.0.total_cmp(&one.0));
    pool.truncate(size);
    let mut pool: Vec<Hit> = pool.into_iter().map(|it| it.1).collect();
    pool.sort_by_key(|it| (it.game, it.ply));
    pool
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::Ply;

    #[test]
    fn runs_are_found_by_name() {
        for run in Run::ALL {
            assert_eq!(Run::from_name(run.name()), Some(run));
            assert_eq!(Run::from_name(&run.name().to_lowercase()), Some(run));
            assert_eq!(run.ranking().check(), Ok(()));
        }
        assert_eq!(Run::from_name("Everything"), None);
    }

    fn hit(game: u64, ply: u16, score: f64) -> Hit {
        Hit {
            score,
            similarity: 0.0,
            symmetry: Symmetry::None,
            game: GameNumber(game),
            variation: None,
            ply: Ply(ply),
        }
    }

    #[test]
    fn a_pool_takes_the_best_of_each_run_by_its_own_scale() {
        let large = [hit(9, 40, 100.0), hit(3, 30, 90.0), hit(5, 30, 10.0)];
        let small = [hit(7, 25, 2.0), hit(3, 30, 1.9), hit(3, 31, 1.0)];
        let names = |size| {
            let pool = pool([&large[..], &small[..]], size);
            let names = pool.iter().map(|it| (it.game.0, it.ply.0, it.score));
            names.collect::<Vec<_>>()
        };
        // 3.30 counts by its 95 per cent of the second run's best.
        assert_eq!(names(3), [(3, 30, 1.9), (7, 25, 2.0), (9, 40, 100.0)]);
        assert_eq!(names(4)[1], (3, 31, 1.0));
        assert_eq!(names(99).len(), 5);
        assert!(pool([], 200).is_empty());
    }
}
