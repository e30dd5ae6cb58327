//! Random draws: the same for the same seed, everywhere.

use tabiya_gametree::Dice;

/// Draws from slices.
pub(crate) trait Draw {
    /// A number below `end`, which must not be 0, uniform to one part in 2^64 / `end`.
    fn index(&mut self, end: usize) -> usize;

    /// Heads or tails.
    fn coin(&mut self) -> bool;

    /// A random element; `None` from an empty slice.
    fn choose<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        (!from.is_empty()).then(|| &from[self.index(from.len())])
    }

    /// A uniform sample of `wanted` elements, or of all if there are fewer, in random order.
    fn sample<T: Clone>(&mut self, from: &[T], wanted: usize) -> Vec<T> {
        let mut order: Vec<usize> = (0..from.len()).collect();
        let wanted = wanted.min(from.len());
        for at in 0..wanted {
            let other = at + self.index(order.len() - at);
            order.swap(at, other);
        }
        order[..wanted].iter().map(|&it| from[it].clone()).collect()
    }
}

impl Draw for Dice {
    fn index(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    fn coin(&mut self) -> bool {
        self.bits() >> 63 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
