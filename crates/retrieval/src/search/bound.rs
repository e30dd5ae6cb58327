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

use std::{cell::Cell, ops::Range};

use super::adder::{self, Block, LANES, LEVELS, Lanes, Levels, Sums};
use crate::{
    index::{GameIndex, WindowId, Windows},
    rank::Scorer,
    term::{Bits, Family, Term, Weight},
};

/// A window that could matter, the most that it can score, and which of the
/// query's columns it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) bound: f64,
    pub(super) window: WindowId,
    pub(super) game: GameIndex,
    pub(super) present: Present,
}

/// Which columns of a query a window has, by their numbers. From the 256th on, all are taken
/// to be there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Present([u64; 4]);

impl Present {
    /// Hands over those of all columns that are present.
    pub(super) fn for_each<T>(&self, all: &[T], mut visit: impl FnMut(&T)) {
        for (word, columns) in self.0.iter().zip(all.chunks(64)) {
            for at in Bits(*word) {
                columns.get(at).into_iter().for_each(&mut visit);
            }
        }
        all.iter().skip(64 * self.0.len()).for_each(visit);
    }
}

/// A bitmap of windows, and what they can gain by it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) term: Term,
    /// What it adds to a position that has the target of the term on its square.
    pub(super) standing: f64,
    /// What it adds to one in which the square is empty.
    pub(super) reaching: f64,
    /// Whether the bitmap tells where the piece truly stands.
    is_place: bool,
}

impl Column {
    /// The columns of a query: first one for each term, in their order; then, where a piece
    /// that only reaches its square counts much less than one that stands there, one more for
    /// each place.
    pub(super) fn all(scorer: &Scorer) -> Vec<Column> {
        let (mut columns, mut places) = (Vec::new(), Vec::new());
        for &(term, gain) in scorer.gains() {
            let is_place = term.family() == Family::Place;
            let reached = scorer.share(gain, Weight::at_distance(1));
            let is_split = is_place && reached < LITTLE * gain;
            columns.push(Column {
                term,
                standing: if is_split { reached } else { gain },
                reaching: if is_place { reached } else { 0.0 },
                is_place: false,
            });
            if is_split {
                places.push(Column {
                    term,
                    standing: gain - reached,
                    reaching: 0.0,
                    is_place: true,
                });
            }
        }
        columns.extend(places);
        columns
    }

    /// The most that a window with the bit can gain by it.
    fn most(&self) -> f64 {
        self.standing.max(self.reaching)
    }

    fn load(&self, segment: &Windows<'_>, bitmap: &mut [u64]) -> bool {
        if self.is_place {
            segment.load_place(self.term, bitmap)
        } else {
            segment.postings.load(self.term.index(), bitmap)
        }
    }
}

/// Gains as integers, and the sum that a window has to reach.
#[derive(Debug)]
pub(super) struct Bound<'a> {
    scorer: &'a Scorer,
    columns: Vec<Column>,
    /// The rounded gain of each column.
    gains: Vec<u32>,
    /// What each bit of (255 − shortest length) adds.
    length_bits: [u32; 8],
    scale: f64,
    /// How much a sum of rounded numbers can be below the true one.
    lost: f64,
    /// How much of the sum one unit of length is worth.
    per_length: f64,
    least: u32,
}

/// Sums in another order; a little more covers the difference.
const SLACK: f64 = 1.0 + 1e-9;

/// Where a piece that only reaches a square counts less than this part of one that stands
/// there, windows are told apart by which they have.
const LITTLE: f64 = 0.75;

impl<'a> Bound<'a> {
    /// Bounds against a score that is to be reached.
    pub(super) fn new(scorer: &'a Scorer, threshold: f64) -> Bound<'a> {
        let norm = scorer.length_norm();
        let per_length = threshold * norm.slope();
        let columns = Column::all(scorer);
        let gains = || columns.iter().map(Column::most);
        let lengths = [0, 1, 2, 3, 4, 5, 6, 7].map(|bit| per_length * f64::from(1u32 << bit));
        let total = gains().chain(lengths).sum::<f64>();
        // Rounding adds a half to each number at the most.
        let room = (1 << LEVELS) - 1 - (columns.len() + 8).div_ceil(2);
        let scale = room as f64 / (total * SLACK);
        let rounded = |gain: f64| (gain * scale).round() as u32;
        let lost = |gain: f64| (gain * scale - f64::from(rounded(gain))).max(0.0);
        let lost = gains().chain(lengths).map(lost).sum();
        let least = (threshold * norm.base() + 255.0 * per_length) / SLACK * scale - lost;
        Bound {
            scorer,
            gains: gains().map(rounded).collect(),
            columns,
            length_bits: lengths.map(rounded),
            scale,
            lost,
            per_length,
            least: least.floor() as u32,
        }
    }

    /// Bounds to begin with, before any score is known: lengths count as if this similarity
    /// were to be reached, which is about what the last of a few hundred hits has.
    pub(super) fn guess(scorer: &'a Scorer) -> Bound<'a> {
        Bound::new(scorer, scorer.score_at(0.36))
    }

    /// Sums the bounds of all windows of a segment, or of the admitted ones.
    pub(super) fn survey<'s>(
        &'s self,
        segment: &'s Windows<'_>,
        admitted: Option<&[u64]>,
    ) -> Survey<'s> {
        let words = Words::new(segment, admitted);
        let mut scratch = SCRATCH.take();
        scratch.columns.load(self, segment, &words);
        let chunks = words.len().div_ceil(LANES);
        scratch.chunks.resize_with(chunks, Chunk::default);
        for (chunk, first_word) in scratch.chunks.iter_mut().zip((0..).step_by(LANES)) {
            chunk.valid = std::array::from_fn(|lane| words.valid(first_word + lane));
        }
        let Columns {
            blocks,
            count,
            levels,
            ..
        } = &scratch.columns;
        let sums = scratch.chunks.iter_mut().map(|it| &mut it.sums);
        adder::sum(blocks, *count, levels, sums);
        Survey {
            bound: self,
            segment,
            words,
            scratch,
        }
    }

    /// The least sum of a window that can matter.
    pub(super) fn least(&self) -> u32 {
        self.least
    }

    /// The most that a window with this sum and shortest length can score.
    fn bound(&self, sum: u32, shortest: u8) -> f64 {
        let lengths = self.per_length * f64::from(255 - shortest);
        let gains = (f64::from(sum) + self.lost) / self.scale - lengths;
        gains * self.scorer.norm(shortest.into()) * SLACK
    }

    /// The most that a window with these columns and this shortest length can score.
    fn exact_bound(&self, present: &Present, shortest: u8) -> f64 {
        let mut sum = 0.0;
        present.for_each(&self.columns, |it| sum += it.most());
        sum * self.scorer.norm(shortest.into()) * SLACK
    }
}

/// The words of the bitmaps that a query looks at: all of them, or those with windows that
/// its filter admits.
#[derive(Debug)]
struct Words {
    windows: usize,
    admitted: Option<Vec<(u16, u64)>>,
}

impl Words {
    fn new(segment: &Windows<'_>, admitted: Option<&[u64]>) -> Words {
        let windows = segment.summary.windows as usize;
        let words = windows.div_ceil(64);
        let chosen = |it: &[u64]| {
            let numbered = (0..).zip(it.iter().copied().take(words));
            numbered.filter(|it| it.1 != 0).collect()
        };
        Words {
            windows,
            admitted: admitted.map(chosen),
        }
    }

    fn len(&self) -> usize {
        let all = self.windows.div_ceil(64);
        self.admitted.as_ref().map_or(all, Vec::len)
    }

    /// The number of a word in the whole bitmap.
    fn number(&self, at: usize) -> usize {
        match &self.admitted {
            None => at,
            Some(words) => words.get(at).map_or(0, |it| it.0.into()),
        }
    }

    /// The windows of a word.
    fn valid(&self, at: usize) -> u64 {
        let admitted = match &self.admitted {
            None => !0,
            Some(words) => words.get(at).map_or(0, |it| it.1),
        };
        admitted & ones(self.windows.saturating_sub(self.number(at) * 64))
    }

    /// Puts the chosen words of a bitmap into blocks.
    fn take<'a>(&self, bitmap: &[u64], blocks: impl Iterator<Item = &'a mut Block>) {
        let Some(chosen) = &self.admitted else {
            for (block, words) in blocks.zip(bitmap.chunks(LANES)) {
                block.0[..words.len()].copy_from_slice(words);
            }
            return;
        };
        for (block, chosen) in blocks.zip(chosen.chunks(LANES)) {
            for (word, chosen) in block.0.iter_mut().zip(chosen) {
                *word = bitmap.get(usize::from(chosen.0)).copied().unwrap_or(0);
            }
        }
    }
}

/// The sums of 2,048 windows, and which of them there are.
#[derive(Clone, Debug, Default)]
struct Chunk {
    sums: Sums,
    valid: Lanes,
}

impl Chunk {
    /// The windows whose sum lies in a range.
    fn within(&self, sums: Range<u32>) -> Lanes {
        let [reaching, above] =
            [sums.start, sums.end].map(|it| at_least(&self.sums, it, &self.valid));
        std::array::from_fn(|it| reaching[it] & !above[it])
    }
}

/// Bitmaps and sums: a megabyte that would otherwise be asked for again and again.
#[derive(Debug, Default)]
struct Scratch {
    columns: Columns,
    chunks: Vec<Chunk>,
}

thread_local! {
    static SCRATCH: Cell<Scratch> = Cell::default();
}

/// The sums of a segment's windows.
#[derive(Debug)]
pub(super) struct Survey<'a> {
    bound: &'a Bound<'a>,
    segment: &'a Windows<'a>,
    words: Words,
    scratch: Scratch,
}

impl Drop for Survey<'_> {
    fn drop(&mut self) {
        SCRATCH.set(std::mem::take(&mut self.scratch));
    }
}

impl Survey<'_> {
    /// How many windows were summed.
    pub(super) fn windows(&self) -> usize {
        let valid = self.scratch.chunks.iter().flat_map(|it| it.valid);
        valid.map(|it| it.count_ones() as usize).sum()
    }

    /// The greatest sum that `count` windows reach, of those with a sum below `end`; 0 if there are fewer.
    pub(super) fn greatest_below(&self, end: u32, count: usize) -> u32 {
        let chunks = &self.scratch.chunks;
        let below = |it: &Chunk| it.within(0..end);
        let mut equal: Vec<Lanes> = chunks.iter().map(below).collect();
        let (mut sum, mut greater) = (0, 0);
        for level in (0..LEVELS).rev() {
            let planes = || chunks.iter().map(|it| &it.sums[level]);
            let ones = equal.iter().zip(planes());
            let here = ones
                .map(|(equal, plane)| count_both(equal, plane))
                .sum::<usize>();
            let is_set = greater + here >= count;
            sum |= u32::from(is_set) << level;
            greater += if is_set { 0 } else { here };
            for (equal, plane) in equal.iter_mut().zip(planes()) {
                for (equal, plane) in equal.iter_mut().zip(plane) {
                    *equal &= if is_set { *plane } else { !*plane };
                }
            }
        }
        sum
    }

    /// Hands over the windows whose sum lies in a range, with their sums.
    pub(super) fn for_each(&self, sums: Range<u32>, mut visit: impl FnMut(u32, Candidate)) {
        let mut game = GameIndex(0);
        let columns = &self.scratch.columns;
        for (number, chunk) in self.scratch.chunks.iter().enumerate() {
            let within = chunk.within(sums.clone());
            let blocks = columns.blocks_of(number);
            for (lane, bits) in within.into_iter().enumerate() {
                for bit in Bits(bits) {
                    let sum =
                        (0..LEVELS).map(|it| ((chunk.sums[it][lane] >> bit & 1) as u32) << it);
                    let sum = sum.sum();
                    let shortest = shortest(blocks, lane, bit);
                    let word = self.words.number(number * LANES + lane);
                    let window = (word * 64 + bit) as WindowId;
                    let present = columns.present(blocks, lane, bit);
                    game = self.segment.game_of(window, game);
                    let candidate = Candidate {
                        bound: self.bound.exact_bound(&present, shortest),
                        window,
                        game,
                        present,
                    };
                    visit(sum, candidate);
                }
            }
        }
    }

    /// The most that a window with a sum below `least` can score.
    pub(super) fn most_below(&self, least: u32) -> f64 {
        let mut most: f64 = 0.0;
        for (number, chunk) in self.scratch.chunks.iter().enumerate() {
            let below = chunk.within(0..least);
            let blocks = self.scratch.columns.blocks_of(number);
            for class in LENGTHS {
                let left = within(blocks, class, &below);
                if let Some(sum) = greatest_of(&chunk.sums, left) {
                    // Bounds rise or fall with the length, so they are greatest at an end.
                    let ends = [class.0, class.1].map(|it| self.bound.bound(sum, it));
                    most = most.max(ends[0]).max(ends[1]);
                }
            }
        }
        most
    }
}

/// Classes of lengths, each with its ends, whose higher bits are alike.
const LENGTHS: [(u8, u8); 6] = [
    (0, 63),
    (64, 79),
    (80, 95),
    (96, 111),
    (112, 127),
    (128, 255),
];

/// The greatest sum of some windows.
fn greatest_of(sums: &Sums, mut left: Lanes) -> Option<u32> {
    let is_any = |lanes: &Lanes| lanes.iter().fold(0, |all, it| all | it) != 0;
    if !is_any(&left) {
        return None;
    }
    let mut sum = 0;
    for level in (0..LEVELS).rev() {
        let ones: Lanes = std::array::from_fn(|it| left[it] & sums[level][it]);
        if is_any(&ones) {
            (left, sum) = (ones, sum | 1 << level);
        }
    }
    Some(sum)
}

/// How many bits are set in both.
fn count_both(one: &Lanes, two: &Lanes) -> usize {
    let both = one
        .iter()
        .zip(two)
        .map(|(one, two)| (one & two).count_ones());
    both.sum::<u32>() as usize
}

/// The lowest `count` bits.
const fn ones(count: usize) -> u64 {
    if count >= 64 { !0 } else { (1 << count) - 1 }
}

/// The windows whose sum is at least `least`.
fn at_least(sums: &Sums, least: u32, valid: &Lanes) -> Lanes {
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

/// How many columns the bits of the shortest length take; they are the first.
const LENGTH_BITS: usize = 8;

/// The bitmaps of a query's terms in a segment, and which of them have which
/// bit of their gain set.
#[derive(Debug, Default)]
struct Columns {
    /// All columns of the first 2,048 windows, then those of the next.
    blocks: Vec<Block>,
    /// How many columns there are.
    count: usize,
    /// The columns that have this bit set.
    levels: Levels,
    /// The columns of terms that are not empty.
    filled: Present,
    /// A bitmap on its way to the blocks.
    bitmap: Vec<u64>,
}

impl Columns {
    fn load(&mut self, bound: &Bound<'_>, segment: &Windows<'_>, words: &Words) {
        self.count = LENGTH_BITS + bound.columns.len();
        self.levels.iter_mut().for_each(Vec::clear);
        self.filled = Present::default();
        let blocks = words.len().div_ceil(LANES) * self.count;
        if self.blocks.len() < blocks {
            self.blocks.resize(blocks, Block::default());
        }
        self.bitmap.resize(words.windows.div_ceil(64), 0);
        for (bit, &gain) in bound.length_bits.iter().enumerate() {
            segment.load_shortest(bit, &mut self.bitmap);
            // 255 − length is the length with its bits turned.
            self.bitmap.iter_mut().for_each(|it| *it = !*it);
            self.put(bit, gain, words);
        }
        for (at, (column, &gain)) in bound.columns.iter().zip(&bound.gains).enumerate() {
            if column.load(segment, &mut self.bitmap) {
                self.put(LENGTH_BITS + at, gain, words);
                if let Some(filled) = self.filled.0.get_mut(at / 64) {
                    *filled |= 1 << (at % 64);
                }
            }
        }
    }

    /// Takes the bitmap for a column, and adds the column to the levels that its gain has.
    fn put(&mut self, column: usize, gain: u32, words: &Words) {
        let blocks = self.blocks.iter_mut().skip(column).step_by(self.count);
        words.take(&self.bitmap, blocks);
        for (level, columns) in self.levels.iter_mut().enumerate() {
            if gain >> level & 1 == 1 {
                columns.push(column);
            }
        }
    }

    /// The blocks of a chunk, one for each column.
    fn blocks_of(&self, chunk: usize) -> &[Block] {
        let blocks = self.blocks.get(chunk * self.count..);
        blocks
            .and_then(|it| it.get(..self.count))
            .unwrap_or_default()
    }

    /// Which columns a window has.
    fn present(&self, blocks: &[Block], lane: usize, bit: usize) -> Present {
        let mut present = Present::default();
        let blocks = blocks.get(LENGTH_BITS..).unwrap_or_default().chunks(64);
        for ((all, filled), blocks) in present.0.iter_mut().zip(self.filled.0).zip(blocks) {
            for at in Bits(filled) {
                let word = blocks.get(at).map_or(0, |it| it.0[lane]);
                *all |= (word >> bit & 1) << at;
            }
        }
        present
    }
}

/// The shortest length of a window.
fn shortest(blocks: &[Block], lane: usize, bit: usize) -> u8 {
    let planes = blocks.iter().take(LENGTH_BITS).enumerate();
    let bits = planes.map(|(at, it)| ((!it.0[lane] >> bit & 1) as u8) << at);
    bits.sum()
}

/// Those of some windows whose shortest length lies in a class.
fn within(blocks: &[Block], class: (u8, u8), windows: &Lanes) -> Lanes {
    let alike = !(class.0 ^ class.1);
    Bits(alike.into()).fold(*windows, |left, bit| {
        let plane = blocks.get(bit).copied().unwrap_or_default().0;
        // The planes are those of 255 − length.
        let flip = if class.0 >> bit & 1 == 1 { !0 } else { 0 };
        std::array::from_fn(|it| left[it] & (plane[it] ^ flip))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dice;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_compared_like_numbers(seed: u64, least in 0u32..2 << LEVELS, end in 0u32..2 << LEVELS) {
            let mut dice = Dice::new(seed);
            let mut random = || dice.below(usize::MAX) as u64;
            let sums = std::array::from_fn(|_| std::array::from_fn(|_| random()));
            let chunk = Chunk { sums, valid: std::array::from_fn(|_| random()) };
            let within = chunk.within(least..end);
            for window in 0..LANES * 64 {
                let (lane, bit) = (window / 64, window % 64);
                let sum: u64 = (0..LEVELS).map(|it| (chunk.sums[it][lane] >> bit & 1) << it).sum();
                let is_valid = chunk.valid[lane] >> bit & 1 == 1;
                prop_assert_eq!(within[lane] >> bit & 1 == 1, is_valid && (least..end).contains(&(sum as u32)));
            }
        }
    }
}
