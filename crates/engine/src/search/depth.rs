//! How much further a line is searched, in fractions of a ply.
//!
//! Depth is spent, move by move, at the rate that a [`Pace`](super::Pace) sets. It is
//! not the number of moves made: that is the ply.

use std::ops::{Add, AddAssign, Sub, SubAssign};

/// A search depth in 384ths of a ply.
///
/// Integers make the node count the same on every machine. 384 is six times
/// 64: the program of the partial-depth paper counts six steps to a ply, and
/// its logarithms need a fine fraction of a step.
///
/// ```
/// use tabiya_engine::search::Depth;
///
/// let left = Depth::plies(3) - Depth::fraction(0.223);
/// assert_eq!(left.whole(), 2);
/// assert!((left - Depth::plies(3)).is_spent());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Depth(i32);

impl Depth {
    /// Nothing left to spend.
    pub const ZERO: Depth = Depth(0);
    /// One full ply.
    pub const PLY: Depth = Depth(384);
    /// The most that anyone may ask for.
    pub const GREATEST: Depth = Depth::plies(120);

    /// `count` full plies.
    pub const fn plies(count: i32) -> Depth {
        Depth(count * Self::PLY.0)
    }

    /// A part of a ply, to the nearest 384th.
    pub const fn fraction(plies: f64) -> Depth {
        let units = plies * Self::PLY.0 as f64;
        Depth(
            (if units < 0.0 {
                units - 0.5
            } else {
                units + 0.5
            }) as i32,
        )
    }

    /// The full plies in it, rounded down.
    pub const fn whole(self) -> i32 {
        self.0.div_euclid(Self::PLY.0)
    }

    /// Is there nothing left?
    pub const fn is_spent(self) -> bool {
        self.0 <= 0
    }

    /// `per_ply` for every ply of depth: margins that grow with it.
    pub const fn times(self, per_ply: i32) -> i32 {
        self.0 * per_ply / Self::PLY.0
    }

    /// This depth, or `least` if that is more.
    pub fn at_least(self, least: Depth) -> Depth {
        self.max(least)
    }

    /// In quarters of the unit's fraction, as the transposition table keeps it.
    pub(crate) const fn to_table(self) -> i16 {
        (self.0 >> 2) as i16
    }

    /// The depth that [`Depth::to_table`] kept, to 96ths of a ply.
    pub(crate) const fn from_table(stored: i16) -> Depth {
        Depth((stored as i32) << 2)
    }
}

impl Add for Depth {
    type Output = Depth;
    fn add(self, other: Depth) -> Depth {
        Depth(self.0 + other.0)
    }
}

impl Sub for Depth {
    type Output = Depth;
    fn sub(self, other: Depth) -> Depth {
        Depth(self.0 - other.0)
    }
}

impl AddAssign for Depth {
    fn add_assign(&mut self, other: Depth) {
        self.0 += other.0;
    }
}

impl SubAssign for Depth {
    fn sub_assign(&mut self, other: Depth) {
        self.0 -= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_add_up_to_plies() {
        assert_eq!(Depth::fraction(1.0), Depth::PLY);
        assert_eq!(Depth::fraction(0.5) + Depth::fraction(0.5), Depth::PLY);
        assert_eq!(Depth::fraction(-0.25) + Depth::fraction(0.25), Depth::ZERO);
        assert_eq!((Depth::plies(2) - Depth::fraction(0.1)).whole(), 1);
        assert_eq!((Depth::ZERO - Depth::fraction(0.1)).whole(), -1);
    }

    #[test]
    fn the_table_keeps_every_depth_that_a_search_reaches() {
        for depth in [
            Depth::ZERO,
            Depth::PLY,
            Depth::GREATEST,
            Depth::ZERO - Depth::plies(3),
        ] {
            assert_eq!(Depth::from_table(depth.to_table()), depth);
        }
    }
}
