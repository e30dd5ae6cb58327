//! Who can be rated at all.
//!
//! A likelihood has its maximum at finite ratings only for players with a chain
//! of points to and from those whose ratings are known (Ford, "Solution of a
//! ranking problem from binary comparisons", 1957). A draw is half a point
//! either way.

use std::fmt;

use serde::{Serialize, Serializer};

use super::Results;

/// Why a player has no rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unrated {
    /// No chain of points leads to an anchor or from one.
    Apart,
    /// None leads to an anchor: however low a rating, a lower one fits better.
    NothingWon,
    /// None leads from an anchor: however high a rating, a higher one fits better.
    NothingLost,
}

impl fmt::Display for Unrated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unrated::Apart => "not connected to an anchor",
            Unrated::NothingWon => "no point won",
            Unrated::NothingLost => "no point lost",
        })
    }
}

impl Serialize for Unrated {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// For every player, why there is no rating, if there is none.
pub(crate) fn unrated(results: &[Results], is_anchor: &[bool]) -> Vec<Option<Unrated>> {
    let has_won = linked(results, is_anchor, |it| [it.loser, it.winner]);
    let has_lost = linked(results, is_anchor, |it| [it.winner, it.loser]);
    has_won
        .into_iter()
        .zip(has_lost)
        .map(|it| match it {
            (true, true) => None,
            (true, false) => Some(Unrated::NothingLost),
            (false, true) => Some(Unrated::NothingWon),
            (false, false) => Some(Unrated::Apart),
        })
        .collect()
}

/// Points that one player took from another.
struct Taken {
    winner: usize,
    loser: usize,
}

/// The players that a chain of points joins to `start`, each link walked from
/// the first to the second that `direction` names.
fn linked(
    results: &[Results],
    start: &[bool],
    direction: impl Fn(Taken) -> [usize; 2],
) -> Vec<bool> {
    let links: Vec<[usize; 2]> = results.iter().flat_map(taken).map(direction).collect();
    let mut is_linked = start.to_vec();
    let mut grows = true;
    while grows {
        grows = false;
        for &[from, to] in &links {
            grows |= is_linked[from] && !is_linked[to];
            is_linked[to] |= is_linked[from];
        }
    }
    is_linked
}

fn taken(it: &Results) -> impl Iterator<Item = Taken> + use<> {
    let [won, drawn, lost] = it.counts;
    let (white, black) = (it.white, it.black);
    let by_white = (won + drawn > 0).then_some(Taken {
        winner: white,
        loser: black,
    });
    let by_black = (drawn + lost > 0).then_some(Taken {
        winner: black,
        loser: white,
    });
    by_white.into_iter().chain(by_black)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairings as White, Black and counts; player 0 is the anchor.
    #[track_caller]
    fn check(pairings: &[(usize, usize, [u32; 3])], expected: &[Option<Unrated>]) {
        let results: Vec<Results> = pairings
            .iter()
            .map(|&(white, black, counts)| Results {
                white,
                black,
                counts,
            })
            .collect();
        let is_anchor: Vec<bool> = (0..=expected.len()).map(|it| it == 0).collect();
        assert_eq!(unrated(&results, &is_anchor)[1..], *expected);
    }

    #[test]
    fn points_both_ways_make_a_rating() {
        use Unrated::{Apart, NothingLost, NothingWon};
        check(&[(0, 1, [1, 0, 1])], &[None]);
        check(&[(1, 0, [0, 1, 9])], &[None]);
        check(&[(1, 0, [9, 0, 0])], &[Some(NothingLost)]);
        check(&[(1, 0, [0, 0, 9])], &[Some(NothingWon)]);
        check(&[(0, 1, [0; 3])], &[Some(Apart)]);
        // Two who met each other alone.
        check(&[(1, 2, [3, 3, 3])], &[Some(Apart), Some(Apart)]);
        // Through somebody else.
        check(&[(0, 1, [1, 1, 1]), (1, 2, [1, 1, 1])], &[None, None]);
        check(
            &[(0, 1, [5, 0, 0]), (1, 2, [1, 1, 1])],
            &[Some(NothingWon), Some(NothingWon)],
        );
        // Each took points from the next alone, in a circle.
        check(
            &[(0, 1, [1, 0, 0]), (1, 2, [1, 0, 0]), (2, 0, [1, 0, 0])],
            &[None, None],
        );
        // Below one who is above all.
        check(
            &[(1, 0, [9, 0, 0]), (1, 2, [9, 0, 0])],
            &[Some(NothingLost), Some(Apart)],
        );
    }
}
