//! A weight for the middlegame and one for the endgame, and how far the game
//! is between the two.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use shakmaty::Board;

/// A pair of centipawn weights, middlegame and endgame, added in one instruction.
///
/// The endgame's number sits in the upper half of an `i32`, the middlegame's
/// in the lower; a borrow from the lower half is given back on reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taper(i32);

impl Taper {
    /// No weight at all.
    pub const ZERO: Taper = Taper(0);

    /// The pair; both must fit sixteen bits, as must every sum of them. A board
    /// with sixty queens does not keep to that: sums then wrap around.
    pub const fn new(middlegame: i32, endgame: i32) -> Taper {
        Taper((endgame << 16) + middlegame)
    }

    /// The weight in the middlegame.
    pub const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The weight in the endgame.
    pub const fn endgame(self) -> i32 {
        self.0.wrapping_add(0x8000) >> 16
    }

    /// The weight at a phase of the game, the endgame scaled by `scale` of [`FULL_SCALE`].
    pub const fn at(self, phase: Phase, scale: i32) -> i32 {
        let middlegame = self.middlegame() * phase.0;
        let endgame = self.endgame() * (Phase::OPENING.0 - phase.0) * scale / FULL_SCALE;
        (middlegame + endgame) / Phase::OPENING.0
    }
}

/// The endgame's weight counts in full.
pub const FULL_SCALE: i32 = 64;

impl Add for Taper {
    type Output = Taper;
    fn add(self, other: Taper) -> Taper {
        Taper(self.0.wrapping_add(other.0))
    }
}

impl Sub for Taper {
    type Output = Taper;
    fn sub(self, other: Taper) -> Taper {
        Taper(self.0.wrapping_sub(other.0))
    }
}

impl AddAssign for Taper {
    fn add_assign(&mut self, other: Taper) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

impl SubAssign for Taper {
    fn sub_assign(&mut self, other: Taper) {
        self.0 = self.0.wrapping_sub(other.0);
    }
}

impl Mul<i32> for Taper {
    type Output = Taper;
    fn mul(self, count: i32) -> Taper {
        Taper(self.0.wrapping_mul(count))
    }
}

impl Neg for Taper {
    type Output = Taper;
    fn neg(self) -> Taper {
        Taper(self.0.wrapping_neg())
    }
}

/// How much of the opening's force is left, from 0 (pawns only) to 24.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase(i32);

impl Phase {
    /// All pieces are on the board.
    pub const OPENING: Phase = Phase(24);

    /// A minor piece counts 1, a rook 2, a queen 4; promotions do not exceed the opening.
    pub fn of(board: &Board) -> Phase {
        let minors = (board.knights() | board.bishops()).count() as i32;
        let force = minors + 2 * board.rooks().count() as i32 + 4 * board.queens().count() as i32;
        Phase(force.min(Self::OPENING.0))
    }

    /// From 0 to 24.
    pub const fn value(self) -> i32 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_survive_arithmetic() {
        let sum = Taper::new(-120, 45) * 3 - Taper::new(7, -300) + -Taper::new(1, 1);
        assert_eq!((sum.middlegame(), sum.endgame()), (-368, 434));
    }

    #[test]
    fn the_phase_interpolates() {
        let weight = Taper::new(240, -240);
        assert_eq!(weight.at(Phase::OPENING, FULL_SCALE), 240);
        assert_eq!(weight.at(Phase(0), FULL_SCALE), -240);
        assert_eq!(weight.at(Phase(12), FULL_SCALE), 0);
        assert_eq!(weight.at(Phase(0), FULL_SCALE / 2), -120);
        assert_eq!(Phase::of(&Board::new()), Phase::OPENING);
    }
}
