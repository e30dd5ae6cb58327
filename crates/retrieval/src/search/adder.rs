//! Adds bitmaps column by column, as a hand adds binary numbers: the sums of as many windows at
//! once as a register has bits.
//!
//! A carry-save adder turns three words of one weight into one of it and one of the next. Of four
//! bitmaps with a weight, two pairs join the sum of that weight, and their two carries the sum of
//! the next, so that only one carry in four additions leaves the registers.

use std::slice::Chunks;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256i, __m512i, _mm256_and_si256, _mm256_loadu_si256, _mm256_or_si256, _mm256_setzero_si256,
    _mm256_storeu_si256, _mm256_xor_si256, _mm512_loadu_si512, _mm512_setzero_si512,
    _mm512_storeu_si512, _mm512_ternarylogic_epi64,
};

#[cfg(target_arch = "x86_64")]
use crate::index::Vectors;

/// Sums stay below two to this power.
pub(super) const LEVELS: usize = 11;

/// How many words have their sums together.
pub(super) const LANES: usize = 32;

/// A bit for each of 2,048 windows.
pub(super) type Lanes = [u64; LANES];

/// Sums of 2,048 windows, level by level.
pub(super) type Sums = [Lanes; LEVELS];

/// Which columns are to be added at each level.
pub(super) type Levels = [Vec<usize>; LEVELS];

/// 32 words of a column. All columns of the same windows lie together, so that they take few cache
/// lines and pages.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Block(pub(super) Lanes);

/// Sums all columns. The first sums are those of the first blocks, one of each of all columns, and so on.
pub(super) fn sum<'a>(
    blocks: &[Block],
    columns: usize,
    levels: &Levels,
    sums: impl Iterator<Item = &'a mut Sums>,
) {
    let chunks = blocks.chunks(columns.max(1));
    #[cfg(target_arch = "x86_64")]
    match Vectors::here() {
        #[expect(unsafe_code, reason = "wider registers sum four times as fast")]
        // SAFETY: the processor has said that it knows AVX-512F.
        Vectors::Avx512 => return unsafe { sum_avx512(chunks, levels, sums) },
        #[expect(unsafe_code, reason = "wider registers sum twice as fast")]
        // SAFETY: the processor has said that it knows AVX2.
        Vectors::Avx2 => return unsafe { sum_avx2(chunks, levels, sums) },
        Vectors::None => {}
    }
    sum_by::<[u64; 8]>(chunks, levels, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn sum_avx512<'a>(
    chunks: Chunks<'_, Block>,
    levels: &Levels,
    sums: impl Iterator<Item = &'a mut Sums>,
) {
    sum_by::<__m512i>(chunks, levels, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn sum_avx2<'a>(
    chunks: Chunks<'_, Block>,
    levels: &Levels,
    sums: impl Iterator<Item = &'a mut Sums>,
) {
    sum_by::<__m256i>(chunks, levels, sums);
}

/// Some words that are added at once.
trait Wide: Copy {
    /// How many words.
    const WORDS: usize;

    fn zero() -> Self;

    /// The first of some words; zero if there are too few.
    fn load(words: &[u64]) -> Self;

    /// Puts them over the first of some words, if there are enough.
    fn store(self, words: &mut [u64]);

    /// Adds two bits to the sum's in every place, and returns what is carried.
    fn add(&mut self, one: Self, two: Self) -> Self;
}

impl Wide for [u64; 8] {
    const WORDS: usize = 8;

    #[inline(always)]
    fn zero() -> Self {
        [0; 8]
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        words.first_chunk().copied().unwrap_or_default()
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        if let Some(words) = words.first_chunk_mut() {
            *words = self;
        }
    }

    #[inline(always)]
    fn add(&mut self, one: Self, two: Self) -> Self {
        let mut carry = [0; 8];
        for lane in 0..8 {
            let half = one[lane] ^ two[lane];
            carry[lane] = (one[lane] & two[lane]) | (half & self[lane]);
            self[lane] ^= half;
        }
        carry
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "vector instructions; only `sum_avx2` uses them")]
impl Wide for __m256i {
    const WORDS: usize = 4;

    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: the processor knows AVX2.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        match words.first_chunk::<4>() {
            // SAFETY: the processor knows AVX2, and there are 32 bytes.
            Some(words) => unsafe { _mm256_loadu_si256(words.as_ptr().cast()) },
            None => Self::zero(),
        }
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        if let Some(words) = words.first_chunk_mut::<4>() {
            // SAFETY: the processor knows AVX2, and there are 32 bytes.
            unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self) }
        }
    }

    #[inline(always)]
    fn add(&mut self, one: Self, two: Self) -> Self {
        // SAFETY: the processor knows AVX2.
        unsafe {
            let half = _mm256_xor_si256(one, two);
            let both = _mm256_and_si256(one, two);
            let carry = _mm256_or_si256(both, _mm256_and_si256(half, *self));
            *self = _mm256_xor_si256(*self, half);
            carry
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "vector instructions; only `sum_avx512` uses them"
)]
impl Wide for __m512i {
    const WORDS: usize = 8;

    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: the processor knows AVX-512F.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        match words.first_chunk::<8>() {
            // SAFETY: the processor knows AVX-512F, and there are 64 bytes.
            Some(words) => unsafe { _mm512_loadu_si512(words.as_ptr().cast()) },
            None => Self::zero(),
        }
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        if let Some(words) = words.first_chunk_mut::<8>() {
            // SAFETY: the processor knows AVX-512F, and there are 64 bytes.
            unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self) }
        }
    }

    #[inline(always)]
    fn add(&mut self, one: Self, two: Self) -> Self {
        // The tables of "two or three of three" and of "one or three of three".
        const CARRY: i32 = 0b1110_1000;
        const SUM: i32 = 0b1001_0110;
        // SAFETY: the processor knows AVX-512F.
        unsafe {
            let carry = _mm512_ternarylogic_epi64::<CARRY>(*self, one, two);
            *self = _mm512_ternarylogic_epi64::<SUM>(*self, one, two);
            carry
        }
    }
}

#[inline(always)]
fn sum_by<'a, W: Wide>(
    chunks: Chunks<'_, Block>,
    levels: &Levels,
    sums: impl Iterator<Item = &'a mut Sums>,
) {
    let mut carries: [Vec<W>; LEVELS + 2] = std::array::from_fn(|_| Vec::with_capacity(128));
    for (sums, blocks) in sums.zip(chunks) {
        for begin in (0..LANES).step_by(W::WORDS) {
            let totals = sum_words(blocks, begin, levels, &mut carries);
            for (sum, total) in sums.iter_mut().zip(totals) {
                total.store(&mut sum[begin..]);
            }
        }
    }
}

/// The sums of some words of all columns. Without closures: they would be functions that do not know
/// what the processor knows.
#[inline(always)]
fn sum_words<W: Wide>(
    blocks: &[Block],
    begin: usize,
    levels: &Levels,
    carries: &mut [Vec<W>; LEVELS + 2],
) -> [W; LEVELS + 1] {
    let mut totals = [W::zero(); LEVELS + 1];
    for (level, columns) in levels.iter().enumerate() {
        let (here, later) = carries.split_at_mut(level + 1);
        let (carried, after_next) = (&mut here[level], &mut later[1]);
        let mut sums = [totals[level], totals[level + 1]];
        let (fours, rest) = columns.as_chunks::<4>();
        for [one, two, three, four] in fours {
            let four = [
                words(blocks, *one, begin),
                words(blocks, *two, begin),
                words(blocks, *three, begin),
                words(blocks, *four, begin),
            ];
            after_next.push(add_four(&mut sums, four));
        }
        // What is left, and what was carried here.
        for column in rest {
            carried.push(words(blocks, *column, begin));
        }
        while !carried.len().is_multiple_of(4) {
            carried.push(W::zero());
        }
        for four in carried.as_chunks::<4>().0 {
            after_next.push(add_four(&mut sums, *four));
        }
        carried.clear();
        [totals[level], totals[level + 1]] = sums;
    }
    for carried in carries {
        carried.clear();
    }
    totals
}

/// Some words of a column.
#[inline(always)]
fn words<W: Wide>(blocks: &[Block], column: usize, begin: usize) -> W {
    match blocks.get(column) {
        Some(block) => W::load(&block.0[begin..]),
        None => W::zero(),
    }
}

/// Adds four bits to the sums of their level and of the next, in every place, and returns what is
/// carried to the one after that.
#[inline(always)]
fn add_four<W: Wide>([sum, next]: &mut [W; 2], [one, two, three, four]: [W; 4]) -> W {
    let carry = sum.add(one, two);
    let other = sum.add(three, four);
    next.add(carry, other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dice;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bitmaps_sum_like_numbers(seed: u64, terms in 1usize..90) {
            let mut dice = Dice::new(seed);
            let gains: Vec<u32> = (0..terms).map(|_| dice.below(((1 << LEVELS) - 1) / terms) as u32).collect();
            let mut word = || dice.below(usize::MAX) as u64 & dice.below(usize::MAX) as u64;
            let blocks: Vec<Block> = (0..2 * terms).map(|_| Block(std::array::from_fn(|_| word()))).collect();
            let levels = std::array::from_fn(|level| (0..terms).filter(|&it| gains[it] >> level & 1 == 1).collect());
            let mut all = [[Sums::default(); 2]; 3];
            sum(&blocks, terms, &levels, all[0].iter_mut());
            sum_by::<[u64; 8]>(blocks.chunks(terms), &levels, all[1].iter_mut());
            all[2] = all[1];
            #[cfg(target_arch = "x86_64")]
            if Vectors::here() != Vectors::None {
                #[expect(unsafe_code, reason = "the processor has AVX2")]
                // SAFETY: just asked for.
                unsafe { sum_avx2(blocks.chunks(terms), &levels, all[2].iter_mut()) };
            }
            prop_assert_eq!(all[0], all[1]);
            prop_assert_eq!(all[2], all[1]);
            for window in 0..2 * LANES * 64 {
                let (word, bit) = (window / 64, window % 64);
                let plain: u32 = (0..terms).map(|it| gains[it] * (blocks[word / LANES * terms + it].0[word % LANES] >> bit & 1) as u32).sum();
                let sums = &all[0][word / LANES];
                let sum: u64 = (0..LEVELS).map(|it| (sums[it][word % LANES] >> bit & 1) << it).sum();
                prop_assert_eq!(sum, u64::from(plain));
            }
        }
    }
}
