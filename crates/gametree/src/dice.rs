//! Chance that can be repeated: the same throws for the same seed, everywhere.

/// A generator of pseudorandom numbers: SplitMix64 (Steele, Lea and Flood 2014).
///
/// ```
/// use tabiya_gametree::Dice;
///
/// let throw = |seed| Dice::new(seed).below(6);
/// assert_eq!(throw(1), throw(1));
/// assert!(throw(2) < 6);
/// ```
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice that fall as this seed says.
    pub const fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// One of the numbers from 0 to just below `end`; 0 if there is none.
    pub const fn below(&mut self, end: usize) -> usize {
        if end == 0 {
            return 0;
        }
        (self.bits() % end as u64) as usize
    }
}

/// Scatters the bits of a number: the output function of SplitMix64.
pub const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_numbers_fall() {
        // The first outputs of SplitMix64 from the state 1234567.
        let mut dice = Dice::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        assert_eq!([dice.bits(), dice.bits()], expected);
    }

    #[test]
    fn throws_are_even() {
        let mut dice = Dice::new(7);
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[dice.below(6)] += 1;
        }
        assert!(
            counts.iter().all(|it| it.abs_diff(10_000) < 400),
            "{counts:?}"
        );
        assert_eq!(dice.below(0), 0);
    }
}
