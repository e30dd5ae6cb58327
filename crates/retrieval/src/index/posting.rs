//! Postings: for each term, the windows of a segment in which it occurs.
//!
//! A term's windows are kept in whichever of three forms is the smallest:
//! a list of two-byte numbers, a list of low bytes in buckets of 256 windows,
//! or a bitmap. All of them are read by setting bits in a bitmap.

use super::{SEGMENT_WINDOWS, WindowId, format::u16_at, format::u32_at};
use crate::term::{Term, VOCABULARY};

const LIST: u32 = 0;
const BUCKETS: u32 = 1;
const BITMAP: u32 = 2;

/// The form is in the two highest bits of a directory entry.
const FORM_SHIFT: u32 = 30;
const OFFSET_MASK: u32 = (1 << FORM_SHIFT) - 1;

/// How many windows share a bucket.
const BUCKET: usize = 256;

/// Writes the directory and the postings of all terms. Each list is sorted
/// and free of repeats.
pub(super) fn write(lists: &[Vec<WindowId>], windows: usize) -> (Vec<u8>, Vec<u8>) {
    debug_assert_eq!(lists.len(), VOCABULARY);
    let (mut directory, mut postings) = (Vec::new(), Vec::new());
    for list in lists {
        debug_assert!(list.is_sorted());
        let form = smallest_form(list.len(), windows);
        directory.extend_from_slice(&(postings.len() as u32 | form << FORM_SHIFT).to_le_bytes());
        match form {
            LIST => postings.extend(list.iter().flat_map(|it| it.to_le_bytes())),
            BUCKETS => write_buckets(list, windows, &mut postings),
            _ => write_bitmap(list, windows, &mut postings),
        }
    }
    directory.extend_from_slice(&(postings.len() as u32).to_le_bytes());
    (directory, postings)
}

fn smallest_form(count: usize, windows: usize) -> u32 {
    let list = (2 * count, LIST);
    let buckets = (2 * windows.div_ceil(BUCKET) + count, BUCKETS);
    let bitmap = (8 * windows.div_ceil(64), BITMAP);
    list.min(buckets).min(bitmap).1
}

fn write_buckets(list: &[WindowId], windows: usize, postings: &mut Vec<u8>) {
    let mut counts = vec![0u16; windows.div_ceil(BUCKET)];
    list.iter()
        .for_each(|&it| counts[usize::from(it) / BUCKET] += 1);
    postings.extend(counts.iter().flat_map(|it| it.to_le_bytes()));
    postings.extend(list.iter().map(|it| it.to_le_bytes()[0]));
}

fn write_bitmap(list: &[WindowId], windows: usize, postings: &mut Vec<u8>) {
    let mut words = vec![0u64; windows.div_ceil(64)];
    list.iter()
        .for_each(|&it| words[usize::from(it) / 64] |= 1 << (it % 64));
    postings.extend(words.iter().flat_map(|it| it.to_le_bytes()));
}

/// The postings of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Postings<'a> {
    pub(super) directory: &'a [u8],
    pub(super) postings: &'a [u8],
    pub(super) windows: usize,
}

impl Postings<'_> {
    /// How many words a bitmap of this segment's windows has.
    pub(crate) fn words(&self) -> usize {
        self.windows.div_ceil(64)
    }

    /// Puts the windows of a term into a bitmap of [`Postings::words`] words
    /// that is all zero. Returns whether there are any.
    pub(crate) fn load(&self, term: Term, bitmap: &mut [u64]) -> bool {
        let entry = |at: usize| u32_at(self.directory, at * 4);
        let (begin, end) = (entry(term.index()), entry(term.index() + 1) & OFFSET_MASK);
        let range = (begin & OFFSET_MASK) as usize..end as usize;
        let bytes = self.postings.get(range).unwrap_or_default();
        match begin >> FORM_SHIFT {
            LIST => load_list(bytes, bitmap),
            BUCKETS => load_buckets(bytes, self.windows, bitmap),
            _ => load_bitmap(bytes, bitmap),
        }
        !bytes.is_empty()
    }
}

fn load_list(bytes: &[u8], bitmap: &mut [u64]) {
    for chunk in bytes.as_chunks::<2>().0 {
        let window = usize::from(u16::from_le_bytes(*chunk));
        if let Some(word) = bitmap.get_mut(window / 64) {
            *word |= 1 << (window % 64);
        }
    }
}

fn load_buckets(bytes: &[u8], windows: usize, bitmap: &mut [u64]) {
    let buckets = windows.div_ceil(BUCKET);
    let (counts, mut lows) = bytes.split_at(bytes.len().min(2 * buckets));
    for (bucket, words) in bitmap.chunks_mut(BUCKET / 64).enumerate() {
        let count = usize::from(u16_at(counts, 2 * bucket)).min(lows.len());
        let (here, rest) = lows.split_at(count);
        lows = rest;
        for &low in here {
            if let Some(word) = words.get_mut(usize::from(low) / 64) {
                *word |= 1 << (low % 64);
            }
        }
    }
}

fn load_bitmap(bytes: &[u8], bitmap: &mut [u64]) {
    for (word, chunk) in bitmap.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*chunk);
    }
}

const _: () = assert!(SEGMENT_WINDOWS.is_multiple_of(BUCKET));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dice;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn every_form_comes_back(seed: u64, windows in 1usize..=SEGMENT_WINDOWS) {
            let mut dice = Dice::new(seed);
            let mut lists = vec![Vec::new(); VOCABULARY];
            for _ in 0..6 {
                // From a handful of windows to nearly all of them.
                let most = 2 << dice.below(12);
                let gap = 1 + dice.below(most);
                let list = &mut lists[dice.below(VOCABULARY)];
                *list = (0..windows).filter(|_| dice.below(gap) == 0).map(|it| it as WindowId).collect();
            }
            let (directory, postings) = write(&lists, windows);
            let read = Postings { directory: &directory, postings: &postings, windows };
            for (index, list) in lists.iter().enumerate() {
                let mut bitmap = vec![0; read.words()];
                let any = read.load(Term::from_index(index).unwrap(), &mut bitmap);
                prop_assert_eq!(any, !list.is_empty());
                let found: Vec<_> = (0..windows).filter(|it| bitmap[it / 64] >> (it % 64) & 1 == 1).map(|it| it as WindowId).collect();
                prop_assert_eq!(&found, list);
            }
        }

        #[test]
        fn no_bytes_panic(directory in proptest::collection::vec(any::<u8>(), 0..64), postings in proptest::collection::vec(any::<u8>(), 0..600), windows in 1usize..3000) {
            let read = Postings { directory: &directory, postings: &postings, windows };
            for index in 0..20 {
                read.load(Term::from_index(index).unwrap(), &mut vec![0; read.words()]);
            }
        }
    }

    #[test]
    fn each_form_is_used() {
        assert_eq!(smallest_form(10, SEGMENT_WINDOWS), LIST);
        assert_eq!(smallest_form(2_000, SEGMENT_WINDOWS), BUCKETS);
        assert_eq!(smallest_form(20_000, SEGMENT_WINDOWS), BITMAP);
    }
}
