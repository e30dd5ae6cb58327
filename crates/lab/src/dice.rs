//! Random numbers that are the same for the same seed, everywhere.

/// A generator (SplitMix64): small, fast, and good enough to draw samples.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Dice that fall by this seed.
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// Sixty-four random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `end`, which must not be 0; each as likely as the others to
    /// one part in 2^64 / `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// Heads or tails.
    pub(crate) fn coin(&mut self) -> bool {
        self.bits() >> 63 == 1
    }

    /// One of these, if there is any.
    pub(crate) fn choose<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        (!from.is_empty()).then(|| &from[self.below(from.len())])
    }

    /// `wanted` of these, or all if there are no more, each set as likely as any
    /// other, in random order.
    pub(crate) fn sample<T: Clone>(&mut self, from: &[T], wanted: usize) -> Vec<T> {
        let mut order: Vec<usize> = (0..from.len()).collect();
        let wanted = wanted.min(from.len());
        for at in 0..wanted {
            let other = at + self.below(order.len() - at);
            order.swap(at, other);
        }
        order[..wanted].iter().map(|&it| from[it].clone()).collect()
    }
}

/// Scatters the bits of a number.
pub(crate) fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
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
    fn samples_are_subsets_without_repeats() {
        let all: Vec<u32> = (0..50).collect();
        let mut dice = Dice::new(1);
        for wanted in [0, 1, 20, 50, 80] {
            let mut sample = dice.sample(&all, wanted);
            assert_eq!(sample.len(), wanted.min(50));
            sample.sort_unstable();
            sample.dedup();
            assert_eq!(sample.len(), wanted.min(50));
        }
        assert_eq!(dice.choose::<u32>(&[]), None);
    }
}
