//! Bounds: which windows of a segment could hold a position that matters.
//!
//! A window cannot score more than the sum of λ·idf over the query's terms
//! that occur anywhere in it, times the norm of its shortest document. The
//! sums are taken for 2,048 windows at once: a term's windows are a bitmap, its
//! gain is rounded up to an integer, and the bitmaps are added column by
//! column as a hand would add binary numbers, three words of one weight
//! becoming one of it and one of the next (a carry-save adder). Since 1/norm
//! is a line in the length, "sum times norm reaches the threshold" is a
//! comparison of integers too: the bits of the shortest length join the sum
//! as eight more terms.

use std::cell::Cell;

use crate::{
    index::{WindowId, Windows},
    rank::Scorer,
    term::{Bits, Family, Term, Weight},
};

/// Sums stay below two to this power.
const LEVELS: usize = 11;

/// How many words are summed at once: enough for a loop that the compiler turns
/// into vectors, few enough for all carries to stay in the nearest cache.
const LANES: usize = 32;

type Lanes = [u64; LANES];

/// A window that could matter, the most that it can score, and which of the
/// query's terms it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) bound: f64,
    pub(super) window: WindowId,
    pub(super) present: Present,
}

/// Which terms of a query there are, by their place among the query's terms.
/// From the 256th on, all are taken to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Present([u64; 4]);

impl Present {
    pub(super) fn has(&self, term: usize) -> bool {
        self.0
            .get(term / 64)
            .is_none_or(|word| word >> (term % 64) & 1 == 1)
    }

    fn set(&mut self, term: usize, bit: u64) {
        if let Some(word) = self.0.get_mut(term / 64) {
            *word |= bit << (term % 64);
        }
    }
}

/// Gains as integers, and the sum that a window has to reach.
#[derive(Debug)]
pub(super) struct Bound<'a> {
    scorer: &'a Scorer,
    terms: Vec<(Term, u32)>,
    /// What a piece that truly stands on the square of a place term adds to what one that
    /// only reaches it does. Empty where that is little, since it takes another bitmap.
    places: Vec<(Term, u32)>,
    /// What each bit of (255 − shortest length) adds.
    length_bits: [u32; 8],
    scale: f64,
    /// How much of the sum one unit of length is worth.
    per_length: f64,
    least: u32,
}

/// Sums of rounded numbers; a little more covers the rounding.
const SLACK: f64 = 1.0 + 1e-9;

/// Where a piece that only reaches a square counts less than this part of one that stands
/// there, windows are told apart by which they have.
const LITTLE: f64 = 0.75;

impl<'a> Bound<'a> {
    /// Bounds against a score that is to be reached.
    pub(super) fn new(scorer: &'a Scorer, threshold: f64) -> Bound<'a> {
        let norm = scorer.length_norm();
        let per_length = threshold * norm.slope();
        let (mut most, mut places) = (Vec::new(), Vec::new());
        for &(term, gain) in scorer.gains() {
            let reached = scorer.share(gain, Weight::at_distance(1));
            if term.family() == Family::Place && reached < LITTLE * gain {
                most.push((term, reached));
                places.push((term, gain - reached));
            } else {
                most.push((term, scorer.most(term, gain)));
            }
        }
        let gains = most.iter().chain(&places).map(|it| it.1);
        let total = gains.sum::<f64>() + 255.0 * per_length;
        let columns = most.len() + places.len() + 8;
        let scale = ((1 << LEVELS) - 1 - columns) as f64 / (total * SLACK);
        let rounded_up = |gain: f64| (gain * scale).ceil() as u32;
        let rounded = |gains: Vec<(Term, f64)>| -> Vec<(Term, u32)> {
            let gains = gains.into_iter();
            gains.map(|(term, gain)| (term, rounded_up(gain))).collect()
        };
        let least = (threshold * norm.base() + 255.0 * per_length) / SLACK * scale;
        Bound {
            scorer,
            terms: rounded(most),
            places: rounded(places),
            length_bits: std::array::from_fn(|bit| rounded_up(per_length * f64::from(1u32 << bit))),
            scale,
            per_length,
            least: least.floor() as u32,
        }
    }

    /// Bounds to begin with, before any score is known: lengths count as if
    /// half of the query's own score were to be reached.
    pub(super) fn guess(scorer: &'a Scorer) -> Bound<'a> {
        let own: f64 = scorer.gains().iter().map(|it| it.1).sum();
        Bound {
            least: 0,
            ..Bound::new(scorer, own / 2.0)
        }
    }

    /// All windows that reach the threshold, among those of `admitted`.
    pub(super) fn candidates(
        &self,
        segment: &Windows<'_>,
        admitted: Option<&[u64]>,
    ) -> Vec<Candidate> {
        let mut found = Vec::new();
        let columns = Columns::load(self, segment);
        self.for_each_chunk(segment, &columns, admitted, |first_word, sums, valid| {
            let reaching = at_least(sums, self.least, valid);
            self.collect(segment, &columns, first_word, sums, reaching, &mut found);
        });
        found
    }

    /// About `count` windows with the greatest sums, whatever the threshold.
    pub(super) fn best(
        &self,
        segment: &Windows<'_>,
        admitted: Option<&[u64]>,
        count: usize,
    ) -> Vec<Candidate> {
        let mut chunks = Vec::new();
        let columns = Columns::load(self, segment);
        self.for_each_chunk(segment, &columns, admitted, |first_word, sums, valid| {
            chunks.push((first_word, *sums, *valid));
        });
        // The greatest sum that enough windows reach, bit by bit.
        let mut least = 0;
        for level in (0..LEVELS).rev() {
            let reaching = |least: u32| -> u32 {
                let masks = chunks
                    .iter()
                    .map(|(_, sums, valid)| at_least(sums, least, valid));
                masks.flatten().map(u64::count_ones).sum()
            };
            if reaching(least | 1 << level) as usize >= count {
                least |= 1 << level;
            }
        }
        let mut found = Vec::new();
        for (first_word, sums, valid) in &chunks {
            let reaching = at_least(sums, least, valid);
            self.collect(segment, &columns, *first_word, sums, reaching, &mut found);
        }
        // Many windows may share the least sum.
        found.truncate(4 * count);
        found
    }

    /// Hands over the sums of all windows in chunks: the number of the first
    /// word, the sums level by level, and which windows there are.
    fn for_each_chunk(
        &self,
        segment: &Windows<'_>,
        columns: &Columns,
        admitted: Option<&[u64]>,
        mut visit: impl FnMut(usize, &[Lanes; LEVELS], &Lanes),
    ) {
        let windows = segment.summary.windows as usize;
        let words = windows.div_ceil(64);
        let mut carries = columns.carries();
        for first_word in (0..words).step_by(LANES) {
            let valid: Lanes = std::array::from_fn(|lane| {
                let word = first_word + lane;
                let admitted = admitted.map_or(!0, |it| it.get(word).copied().unwrap_or(0));
                admitted & ones(windows.saturating_sub(word * 64))
            });
            if valid != [0; LANES] {
                visit(first_word, &columns.sum(first_word, &mut carries), &valid);
            }
        }
    }

    fn collect(
        &self,
        segment: &Windows<'_>,
        columns: &Columns,
        first_word: usize,
        sums: &[Lanes; LEVELS],
        mask: Lanes,
        found: &mut Vec<Candidate>,
    ) {
        for (lane, bits) in mask.into_iter().enumerate() {
            for bit in Bits(bits) {
                let window = ((first_word + lane) * 64 + bit) as WindowId;
                let sum: u64 = (0..LEVELS)
                    .map(|it| (sums[it][lane] >> bit & 1) << it)
                    .sum();
                let bound = self.bound(sum, segment.shortest(window));
                let present = columns.present(first_word + lane, bit);
                found.push(Candidate {
                    bound,
                    window,
                    present,
                });
            }
        }
    }

    /// The most that a window with this sum and shortest length can score.
    fn bound(&self, sum: u64, shortest: u8) -> f64 {
        let lengths = self.per_length * f64::from(255 - shortest);
        (sum as f64 / self.scale - lengths) * self.scorer.norm(shortest.into()) * SLACK
    }
}

/// The lowest `count` bits.
const fn ones(count: usize) -> u64 {
    if count >= 64 { !0 } else { (1 << count) - 1 }
}

/// The windows whose sum is at least `least`.
fn at_least(sums: &[Lanes; LEVELS], least: u32, valid: &Lanes) -> Lanes {
    if least >> LEVELS != 0 {
        return [0; LANES];
    }
    let (mut greater, mut equal) = ([0; LANES], *valid);
    for level in (0..LEVELS).rev() {
        for lane in 0..LANES {
            let plane = sums[level][lane];
            if least >> level & 1 == 1 {
                equal[lane] &= plane;
            } else {
                greater[lane] |= equal[lane] & plane;
                equal[lane] &= !plane;
            }
        }
    }
    std::array::from_fn(|lane| greater[lane] | equal[lane])
}

/// The bitmaps of a query's terms in a segment, and which of them have which
/// bit of their gain set.
#[derive(Debug)]
struct Columns {
    bitmaps: Vec<u64>,
    /// Where the bitmaps begin that have this bit set.
    levels: [Vec<usize>; LEVELS],
    /// Where the bitmaps of the terms begin; `None` if a term is nowhere.
    terms: Vec<Option<usize>>,
}

thread_local! {
    /// Half a megabyte that would otherwise be asked for again and again.
    static SPARE_BITMAPS: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

impl Drop for Columns {
    fn drop(&mut self) {
        SPARE_BITMAPS.set(std::mem::take(&mut self.bitmaps));
    }
}

impl Columns {
    fn load(bound: &Bound<'_>, segment: &Windows<'_>) -> Columns {
        let words = segment.postings.words().next_multiple_of(LANES);
        // Bitmaps a power of two apart would fight for the same cache lines.
        let stride = words + 8;
        let mut bitmaps = SPARE_BITMAPS.take();
        let count = 8 + bound.terms.len() + bound.places.len();
        bitmaps.resize(stride * count, 0);
        let mut columns = Columns {
            bitmaps,
            levels: Default::default(),
            terms: Vec::new(),
        };
        for (bit, &gain) in bound.length_bits.iter().enumerate() {
            let start = bit * stride;
            let bitmap = &mut columns.bitmaps[start..][..words];
            segment.load_shortest(bit, bitmap);
            // 255 − length is the length with its bits turned.
            bitmap.iter_mut().for_each(|it| *it = !*it);
            columns.add(start, gain);
        }
        for (at, &(term, gain)) in bound.terms.iter().enumerate() {
            let start = (8 + at) * stride;
            let found = segment
                .postings
                .load(term.index(), &mut columns.bitmaps[start..][..words]);
            columns.terms.push(found.then_some(start));
            if found {
                columns.add(start, gain);
            }
        }
        for (at, &(term, gain)) in bound.places.iter().enumerate() {
            let start = (8 + bound.terms.len() + at) * stride;
            if segment.load_place(term, &mut columns.bitmaps[start..][..words]) {
                columns.add(start, gain);
            }
        }
        columns
    }

    fn add(&mut self, start: usize, gain: u32) {
        for (level, starts) in self.levels.iter_mut().enumerate() {
            if gain >> level & 1 == 1 {
                starts.push(start);
            }
        }
    }

    /// Which terms a window has.
    fn present(&self, word: usize, bit: usize) -> Present {
        let mut present = Present::default();
        for (term, start) in self.terms.iter().enumerate() {
            if let Some(start) = start {
                present.set(term, self.bitmaps[start + word] >> bit & 1);
            }
        }
        present
    }

    /// The sums of 2,048 windows, level by level.
    fn sum(&self, first_word: usize, carries: &mut Carries) -> [Lanes; LEVELS] {
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512f") {
                #[expect(unsafe_code, reason = "wider registers sum twice as fast")]
                // SAFETY: the processor has just said that it knows AVX-512F.
                return unsafe { self.sum_avx512(first_word, carries) };
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                #[expect(unsafe_code, reason = "wider registers sum twice as fast")]
                // SAFETY: the processor has just said that it knows AVX2.
                return unsafe { self.sum_avx2(first_word, carries) };
            }
        }
        self.sum_plainly(first_word, carries)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn sum_avx512(&self, first_word: usize, carries: &mut Carries) -> [Lanes; LEVELS] {
        self.sum_plainly(first_word, carries)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn sum_avx2(&self, first_word: usize, carries: &mut Carries) -> [Lanes; LEVELS] {
        self.sum_plainly(first_word, carries)
    }

    #[inline(always)]
    fn sum_plainly(&self, first_word: usize, carries: &mut Carries) -> [Lanes; LEVELS] {
        let mut sums = [[0; LANES]; LEVELS];
        let mut carried = 0;
        for (sum, starts) in sums.iter_mut().zip(&self.levels) {
            let (now, next) = carries.turn();
            let now = &now[..carried];
            let (pairs, odd) = starts.as_chunks::<2>();
            let (carried_pairs, carried_odd) = now.as_chunks::<2>();
            carried = 0;
            for [one, two] in pairs {
                let (one, two) = (self.lanes(one + first_word), self.lanes(two + first_word));
                add(sum, one, two, &mut next[carried]);
                carried += 1;
            }
            for [one, two] in carried_pairs {
                add(sum, one, two, &mut next[carried]);
                carried += 1;
            }
            let odd = odd.first().map(|it| self.lanes(it + first_word));
            let zero = [0; LANES];
            if odd.is_some() || !carried_odd.is_empty() {
                let (one, two) = (odd.unwrap_or(&zero), carried_odd.first().unwrap_or(&zero));
                add(sum, one, two, &mut next[carried]);
                carried += 1;
            }
        }
        sums
    }

    #[inline(always)]
    fn lanes(&self, start: usize) -> &Lanes {
        self.bitmaps[start..].first_chunk().unwrap_or(&[0; LANES])
    }

    /// Room for the carries of one level: no level has more addends than
    /// there are bitmaps and carries from the level before.
    fn carries(&self) -> Carries {
        let most = self.levels.iter().fold(0, |carried, it| {
            (carried + it.len()).div_ceil(2).max(carried)
        });
        Carries {
            rows: [vec![[0; LANES]; most + 1], vec![[0; LANES]; most + 1]],
        }
    }
}

/// The carries from one level to the next.
#[derive(Debug)]
struct Carries {
    rows: [Vec<Lanes>; 2],
}

impl Carries {
    /// What was carried to this level, and where to put what is carried on.
    #[inline(always)]
    fn turn(&mut self) -> (&[Lanes], &mut [Lanes]) {
        self.rows.swap(0, 1);
        let [now, next] = &mut self.rows;
        (now, next)
    }
}

/// Adds two bits to the sum's, in every place of every word.
#[inline(always)]
fn add(sum: &mut Lanes, one: &Lanes, two: &Lanes, carry: &mut Lanes) {
    for lane in 0..LANES {
        let half = one[lane] ^ two[lane];
        carry[lane] = (one[lane] & two[lane]) | (half & sum[lane]);
        sum[lane] ^= half;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dice;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn columns_sum_like_numbers(seed: u64, terms in 1usize..90) {
            let mut dice = Dice::new(seed);
            let gains: Vec<u32> = (0..terms).map(|_| dice.below(((1 << LEVELS) - 1) / terms) as u32).collect();
            let bitmaps: Vec<u64> = (0..terms * LANES).map(|_| dice.below(usize::MAX) as u64 & dice.below(usize::MAX) as u64).collect();
            let levels = std::array::from_fn(|level| (0..terms).filter(|&it| gains[it] >> level & 1 == 1).map(|it| it * LANES).collect());
            let columns = Columns { bitmaps: bitmaps.clone(), levels, terms: Vec::new() };
            let sums = columns.sum(0, &mut columns.carries());
            prop_assert_eq!(sums, columns.sum_plainly(0, &mut columns.carries()));
            let least = dice.below(1 << LEVELS) as u32;
            let reaching = at_least(&sums, least, &[!0; LANES]);
            for window in 0..LANES * 64 {
                let (lane, bit) = (window / 64, window % 64);
                let plain: u32 = (0..terms).map(|it| gains[it] * (bitmaps[it * LANES + lane] >> bit & 1) as u32).sum();
                let sum: u64 = (0..LEVELS).map(|it| (sums[it][lane] >> bit & 1) << it).sum();
                prop_assert_eq!(sum, u64::from(plain));
                prop_assert_eq!(reaching[lane] >> bit & 1 == 1, plain >= least);
            }
        }
    }
}
