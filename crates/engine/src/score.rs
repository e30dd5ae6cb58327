//! The worth of a position to the side to move.
//!
//! A score is centipawns, a tablebase result or a distance to mate, all on one
//! line so that they compare. It is not a probability and not seen from White.

use std::fmt;
use std::ops::{Add, Neg, Sub};

use serde::{Deserialize, Serialize};

/// A worth in centipawns for the side to move; mates lie beyond every evaluation.
///
/// ```
/// use tabiya_engine::Score;
///
/// assert!(Score::mates_in(3) > Score::mates_in(5));
/// assert_eq!(-Score::mates_in(3), Score::mated_in(3));
/// assert_eq!(Score::mates_in(3).mate_distance(), Some(2));
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Score(i32);

/// The evaluation at which the side to move wins every other game.
const EVEN_CHANCE: f64 = 105.0;
/// How many centipawns further the odds of a win are e to 1.
const SPREAD: f64 = 160.0;

impl Score {
    /// Neither side is better, or the game is drawn.
    pub const DRAW: Score = Score(0);
    /// More than any score of a position.
    pub const INFINITE: Score = Score(32_001);
    /// The side to move has just been mated, negated.
    pub const MATE: Score = Score(32_000);
    /// A tablebase says won; less than any mate the search has seen.
    pub const TABLE_WIN: Score = Score(30_500);
    /// The greatest static evaluation.
    pub const GREATEST_EVALUATION: Score = Score(29_000);

    /// The longest line that a search follows, in plies.
    pub const LONGEST_LINE: usize = 200;

    /// A static evaluation, kept clear of the scores for mates and tablebase wins.
    pub const fn evaluation(centipawns: i32) -> Score {
        let most = Self::GREATEST_EVALUATION.0;
        Score(if centipawns > most {
            most
        } else if centipawns < -most {
            -most
        } else {
            centipawns
        })
    }

    /// The side to move is mated after `ply` more plies from the root.
    pub const fn mated_in(ply: usize) -> Score {
        Score(ply as i32 - Self::MATE.0)
    }

    /// The side to move mates after `ply` plies from the root.
    pub const fn mates_in(ply: usize) -> Score {
        Score(Self::MATE.0 - ply as i32)
    }

    /// The plain number.
    pub const fn value(self) -> i32 {
        self.0
    }

    /// Is this a forced mate for either side?
    pub const fn is_mate(self) -> bool {
        self.0.abs() > Self::MATE.0 - 2 * Self::LONGEST_LINE as i32
    }

    /// Is this decided, by mate or by tablebase?
    pub const fn is_decided(self) -> bool {
        self.0.abs() > Self::GREATEST_EVALUATION.0
    }

    /// Moves (not plies) to mate, negative if the side to move is mated.
    pub const fn mate_distance(self) -> Option<i32> {
        if !self.is_mate() {
            return None;
        }
        let plies = Self::MATE.0 - self.0.abs();
        Some(if self.0 > 0 {
            (plies + 1) / 2
        } else {
            -((plies + 1) / 2)
        })
    }

    /// Chances to win, draw and lose, in thousandths, for the side to move.
    ///
    /// Fitted to games; see `docs/engine.md`.
    pub fn chances(self) -> [u16; 3] {
        let share = |score: i32| {
            let odds = (f64::from(score) - EVEN_CHANCE) / SPREAD;
            (1000.0 / (1.0 + (-odds).exp())).round() as u16
        };
        let (won, lost) = match self.is_decided() {
            true if self.0 > 0 => (1000, 0),
            true => (0, 1000),
            false => (share(self.0), share(-self.0)),
        };
        [won, 1000 - won - lost, lost]
    }

    /// The score as a transposition table keeps it: mates counted from the
    /// position itself, not from the root.
    pub(crate) const fn seen_from_here(self, ply: usize) -> Score {
        self.moved(ply as i32)
    }

    /// A score of the transposition table seen from the root again.
    pub(crate) const fn seen_from_root(self, ply: usize) -> Score {
        self.moved(-(ply as i32))
    }

    const fn moved(self, plies: i32) -> Score {
        if !self.is_decided() {
            self
        } else if self.0 > 0 {
            Score(self.0 + plies)
        } else {
            Score(self.0 - plies)
        }
    }

    /// The score with some centipawns more; what is decided stays as it is.
    pub(crate) const fn with(self, centipawns: i32) -> Score {
        if self.is_decided() {
            self
        } else {
            Score::evaluation(self.0 + centipawns)
        }
    }

    /// The score with some centipawns less, as [`Score::with`].
    pub(crate) const fn without(self, centipawns: i32) -> Score {
        self.with(-centipawns)
    }

    /// A score from the number that [`Score::value`] gave.
    pub(crate) const fn from_value(value: i32) -> Score {
        Score(value)
    }
}

impl Neg for Score {
    type Output = Score;
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Score;
    fn add(self, margin: i32) -> Score {
        Score(self.0 + margin)
    }
}

impl Sub<i32> for Score {
    type Output = Score;
    fn sub(self, margin: i32) -> Score {
        Score(self.0 - margin)
    }
}

impl Sub for Score {
    type Output = i32;
    fn sub(self, other: Score) -> i32 {
        self.0 - other.0
    }
}

/// As UCI writes it: `cp 31` or `mate -2`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mate_distance() {
            Some(moves) => write!(f, "mate {moves}"),
            None => write!(f, "cp {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_in_the_table_is_the_same_mate_from_anywhere() {
        let seen_at_ply_4 = Score::mates_in(9);
        let stored = seen_at_ply_4.seen_from_here(4);
        assert_eq!(stored, Score::mates_in(5));
        assert_eq!(stored.seen_from_root(2), Score::mates_in(7));
        assert_eq!((-seen_at_ply_4).seen_from_here(4), Score::mated_in(5));
        assert_eq!(
            Score::evaluation(77).seen_from_here(4),
            Score::evaluation(77)
        );
    }

    #[test]
    fn evaluations_stay_clear_of_mates() {
        assert!(!Score::evaluation(i32::MAX).is_decided());
        assert!(!Score::evaluation(i32::MIN).is_decided());
        assert!(Score::TABLE_WIN.is_decided() && !Score::TABLE_WIN.is_mate());
    }

    #[test]
    fn chances_are_shares() {
        for value in [-29_000, -600, -50, 0, 1, 105, 29_000] {
            let [won, drawn, lost] = Score::evaluation(value).chances();
            assert_eq!(won + drawn + lost, 1000);
            assert_eq!(Score::evaluation(-value).chances(), [lost, drawn, won]);
        }
        assert_eq!(Score::mates_in(3).chances(), [1000, 0, 0]);
        assert_eq!(Score::mated_in(0).chances(), [0, 0, 1000]);
    }

    #[test]
    fn distances_are_in_moves() {
        assert_eq!(Score::mates_in(1).to_string(), "mate 1");
        assert_eq!(Score::mated_in(2).to_string(), "mate -1");
        assert_eq!(Score::mated_in(0).to_string(), "mate 0");
        assert_eq!(Score::evaluation(-31).to_string(), "cp -31");
    }
}
