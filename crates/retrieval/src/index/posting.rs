//! Postings: for each term, the windows of a segment in which it occurs; and for each piece
//! and square, the windows in which the piece truly stands there, which the term does not tell
//! from squares that it only reaches.
//!
//! A term's windows are kept in whichever of three forms is the smallest: a
//! list of two-byte numbers; a bitmap without its empty bytes, and a mask that
//! says which those are; or a whole bitmap. Neighboring windows are moments of
//! one game and tend to share their terms, so the set bits come in clusters
//! and most bytes are empty. All forms are read as a bitmap.

#[cfg(target_arch = "x86_64")]
use super::Vectors;
use super::{Section, WindowId};
use crate::term::Bits;

const LIST: u32 = 0;
const MASKED: u32 = 1;
const BITMAP: u32 = 2;

/// The form is in the two highest bits of a directory entry.
const FORM_SHIFT: u32 = 30;
const OFFSET_MASK: u32 = (1 << FORM_SHIFT) - 1;

/// Writes the directory and the postings of lists of windows. Each list is sorted and free of
/// repeats.
pub(super) fn write(lists: &[Vec<WindowId>], windows: usize) -> (Vec<u8>, Vec<u8>) {
    let (mut directory, mut postings) = (Vec::new(), Vec::new());
    for list in lists {
        debug_assert!(list.is_sorted());
        let bitmap = bitmap_of(list, windows);
        let form = smallest_form(list.len(), &bitmap);
        directory.extend_from_slice(&(postings.len() as u32 | form << FORM_SHIFT).to_le_bytes());
        match form {
            LIST => postings.extend(list.iter().flat_map(|it| it.to_le_bytes())),
            MASKED => {
                postings.extend(bitmap.iter().map(|&word| mask_of(word)));
                let bytes = bitmap.iter().flat_map(|word| word.to_le_bytes());
                postings.extend(bytes.filter(|&it| it != 0));
            }
            _ => postings.extend(bitmap.iter().flat_map(|it| it.to_le_bytes())),
        }
    }
    directory.extend_from_slice(&(postings.len() as u32).to_le_bytes());
    (directory, postings)
}

fn bitmap_of(list: &[WindowId], windows: usize) -> Vec<u64> {
    let mut bitmap = vec![0u64; windows.div_ceil(64)];
    list.iter()
        .for_each(|&it| bitmap[usize::from(it) / 64] |= 1 << (it % 64));
    bitmap
}

fn smallest_form(count: usize, bitmap: &[u64]) -> u32 {
    let filled: usize = bitmap
        .iter()
        .map(|&word| mask_of(word).count_ones() as usize)
        .sum();
    let list = (2 * count, LIST);
    let masked = (bitmap.len() + filled, MASKED);
    let whole = (8 * bitmap.len(), BITMAP);
    list.min(masked).min(whole).1
}

/// Which bytes of a word are not empty.
fn mask_of(word: u64) -> u8 {
    let filled = word.to_le_bytes().map(|byte| byte != 0);
    (0..8).map(|at| u8::from(filled[at]) << at).sum()
}

/// The postings of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Postings<'a> {
    pub(super) directory: Section<'a>,
    pub(super) postings: Section<'a>,
    pub(super) windows: usize,
}

impl Postings<'_> {
    /// How many words a bitmap of this segment's windows has.
    pub(crate) fn words(&self) -> usize {
        self.windows.div_ceil(64)
    }

    /// Puts the windows of a list into the first [`Postings::words`] words of
    /// a bitmap, whatever was there. Returns whether there are any.
    pub(crate) fn load(&self, list: usize, bitmap: &mut [u64]) -> bool {
        let bitmap = &mut bitmap[..self.words()];
        let entry = |at: usize| self.directory.u32_at(at * 4);
        let (begin, end) = (entry(list), entry(list + 1) & OFFSET_MASK);
        let range = (begin & OFFSET_MASK) as usize..end as usize;
        let bytes = self.postings.get(range);
        match begin >> FORM_SHIFT {
            LIST => load_list(bytes, bitmap),
            MASKED => load_masked(bytes, bitmap),
            _ => load_bitmap(bytes, bitmap),
        }
        !bytes.is_empty()
    }
}

fn load_list(bytes: &[u8], bitmap: &mut [u64]) {
    bitmap.fill(0);
    for chunk in bytes.as_chunks::<2>().0 {
        let window = usize::from(u16::from_le_bytes(*chunk));
        if let Some(word) = bitmap.get_mut(window / 64) {
            *word |= 1 << (window % 64);
        }
    }
}

fn load_masked(bytes: &[u8], bitmap: &mut [u64]) {
    let (masks, filled) = bytes.split_at(bytes.len().min(bitmap.len()));
    #[cfg(target_arch = "x86_64")]
    match Vectors::here() {
        #[expect(unsafe_code, reason = "eight words at once, four times as fast")]
        // SAFETY: the processor has said that it knows AVX512-VBMI2, which implies AVX512-F.
        Vectors::Avx512 => return unsafe { load_masked_avx512(masks, filled, bitmap) },
        #[expect(unsafe_code, reason = "no word waits for another, twice as fast")]
        // SAFETY: the processor has said that it knows AVX2.
        Vectors::Avx2 => return unsafe { load_masked_avx2(masks, filled, bitmap) },
        Vectors::None => {}
    }
    load_masked_by_word(masks, filled, bitmap);
}

/// Eight words at once: the processor itself spreads bytes by a mask.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vbmi2")]
#[expect(unsafe_code, reason = "vectors are loaded from and stored to memory")]
fn load_masked_avx512(masks: &[u8], mut filled: &[u8], bitmap: &mut [u64]) {
    use std::arch::x86_64::{_mm512_loadu_si512, _mm512_maskz_expand_epi8, _mm512_storeu_si512};
    let mut done = 0;
    let chunks = masks
        .as_chunks::<8>()
        .0
        .iter()
        .zip(bitmap.as_chunks_mut::<8>().0);
    for (mask, words) in chunks {
        let Some(vector) = filled.first_chunk::<64>() else {
            break;
        };
        let mask = u64::from_le_bytes(*mask);
        // SAFETY: the vector is 64 bytes long, and so are the words.
        unsafe {
            let spread = _mm512_maskz_expand_epi8(mask, _mm512_loadu_si512(vector.as_ptr().cast()));
            _mm512_storeu_si512(words.as_mut_ptr().cast(), spread);
        }
        filled = filled.get(mask.count_ones() as usize..).unwrap_or_default();
        done += 8;
    }
    // What is left is too short for a vector.
    load_masked_by_word(&masks[done..], filled, &mut bitmap[done..]);
}

/// Two words at once: their bytes are shuffled into place. Where the bytes of each word begin
/// is known for eight words at a time, so no word waits for the one before.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[expect(unsafe_code, reason = "vectors are loaded from and stored to memory")]
fn load_masked_avx2(masks: &[u8], mut filled: &[u8], bitmap: &mut [u64]) {
    use std::arch::x86_64::{_mm_add_epi8, _mm_loadu_si128, _mm_shuffle_epi8, _mm_storeu_si128};
    let mut done = 0;
    let chunks = masks
        .as_chunks::<8>()
        .0
        .iter()
        .zip(bitmap.as_chunks_mut::<8>().0);
    for (masks, words) in chunks {
        // The last pair begins at byte 48 or before and is 16 bytes long.
        let Some(bytes) = filled.first_chunk::<64>() else {
            break;
        };
        let starts = starts(u64::from_le_bytes(*masks));
        for (pair, words) in words.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let start = usize::from(starts[2 * pair]).min(48);
            let low = &LOW_SHUFFLES[usize::from(masks[2 * pair])];
            let high = &HIGH_SHUFFLES[usize::from(masks[2 * pair + 1])];
            // SAFETY: 16 bytes follow the start; shuffles and pairs of words are 16 bytes long.
            unsafe {
                let bytes = _mm_loadu_si128(bytes.as_ptr().add(start).cast());
                let low = _mm_loadu_si128(low.as_ptr().cast());
                let high = _mm_loadu_si128(high.as_ptr().cast());
                let spread = _mm_shuffle_epi8(bytes, _mm_add_epi8(low, high));
                _mm_storeu_si128(words.as_mut_ptr().cast(), spread);
            }
        }
        let count = u64::from_le_bytes(*masks).count_ones();
        filled = filled.get(count as usize..).unwrap_or_default();
        done += 8;
    }
    // What is left is too short for a vector.
    load_masked_by_word(&masks[done..], filled, &mut bitmap[done..]);
}

/// How many bits are set before each byte.
#[cfg(target_arch = "x86_64")]
fn starts(masks: u64) -> [u8; 8] {
    let ones = masks - (masks >> 1 & 0x5555_5555_5555_5555);
    let ones = (ones & 0x3333_3333_3333_3333) + (ones >> 2 & 0x3333_3333_3333_3333);
    let ones = (ones + (ones >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    (ones.wrapping_mul(0x0101_0101_0101_0101) << 8).to_le_bytes()
}

/// For the mask of the first of two words, which byte goes where; in the half of the second,
/// how many bytes the first takes. Above 127 is no byte.
#[cfg(target_arch = "x86_64")]
static LOW_SHUFFLES: [[u8; 16]; 256] = shuffles(true);

/// For the mask of the second, which byte goes where, counted from its own first.
#[cfg(target_arch = "x86_64")]
static HIGH_SHUFFLES: [[u8; 16]; 256] = shuffles(false);

#[cfg(target_arch = "x86_64")]
const fn shuffles(are_low: bool) -> [[u8; 16]; 256] {
    let mut shuffles = [[0; 16]; 256];
    let mut mask = 0;
    while mask < 256 {
        let mut next = 0;
        let mut at = 0;
        while at < 8 {
            let is_filled = mask >> at & 1 == 1;
            shuffles[mask][if are_low { at } else { 8 + at }] = if is_filled { next } else { 128 };
            next += is_filled as u8;
            at += 1;
        }
        while are_low && at < 16 {
            shuffles[mask][at] = next;
            at += 1;
        }
        mask += 1;
    }
    shuffles
}

fn load_masked_by_word(masks: &[u8], mut filled: &[u8], bitmap: &mut [u64]) {
    for (word, &mask) in bitmap.iter_mut().zip(masks) {
        *word = match filled.first_chunk() {
            Some(chunk) => spread(u64::from_le_bytes(*chunk), mask),
            None => spread_slowly(filled, mask),
        };
        filled = filled.get(mask.count_ones() as usize..).unwrap_or_default();
    }
}

/// Puts the lowest bytes of a word where the mask has its bits.
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
fn spread(bytes: u64, mask: u8) -> u64 {
    #[expect(unsafe_code, reason = "one instruction instead of a loop")]
    // SAFETY: the program is compiled for processors that have BMI2.
    unsafe {
        // One bit into each byte, then all ones into each byte that has it.
        let bits = std::arch::x86_64::_pdep_u64(mask.into(), 0x0101_0101_0101_0101);
        std::arch::x86_64::_pdep_u64(bytes, bits * 0xff)
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
fn spread(bytes: u64, mask: u8) -> u64 {
    spread_slowly(&bytes.to_le_bytes(), mask)
}

/// The plain form of [`spread`], for any number of bytes.
fn spread_slowly(bytes: &[u8], mask: u8) -> u64 {
    let places = Bits(mask.into());
    places
        .zip(bytes)
        .map(|(place, &byte)| u64::from(byte) << (8 * place))
        .sum()
}

fn load_bitmap(bytes: &[u8], bitmap: &mut [u64]) {
    for (word, chunk) in bitmap.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*chunk);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{index::SEGMENT_WINDOWS, term::VOCABULARY, testing::Dice};
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
            let read = Postings { directory: directory.as_slice().into(), postings: postings.as_slice().into(), windows };
            for (index, list) in lists.iter().enumerate() {
                let mut bitmap = vec![0; read.words()];
                let any = read.load(index, &mut bitmap);
                prop_assert_eq!(any, !list.is_empty());
                if !any {
                    prop_assert!(bitmap.iter().all(|&word| word == 0));
                    continue;
                }
                let found: Vec<_> = (0..windows).filter(|it| bitmap[it / 64] >> (it % 64) & 1 == 1).map(|it| it as WindowId).collect();
                prop_assert_eq!(&found, list);
            }
        }

        #[test]
        fn no_bytes_panic(directory in proptest::collection::vec(any::<u8>(), 0..64), postings in proptest::collection::vec(any::<u8>(), 0..600), windows in 1usize..3000) {
            let read = Postings { directory: directory.as_slice().into(), postings: postings.as_slice().into(), windows };
            for index in 0..20 {
                read.load(index, &mut vec![0; read.words()]);
            }
        }
    }

    #[test]
    fn each_form_is_used() {
        let form = |step: usize| {
            let list: Vec<WindowId> = (0..SEGMENT_WINDOWS)
                .step_by(step)
                .map(|it| it as WindowId)
                .collect();
            smallest_form(list.len(), &bitmap_of(&list, SEGMENT_WINDOWS))
        };
        assert_eq!((form(1000), form(50), form(3)), (LIST, MASKED, BITMAP));
    }

    proptest! {
        #[test]
        fn masks_are_read_alike(masks in proptest::collection::vec(any::<u8>(), 0..40), filled in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut plain = vec![0; masks.len()];
            load_masked_by_word(&masks, &filled, &mut plain);
            let mut fast = vec![0; masks.len()];
            load_masked(&[masks.clone(), filled.clone()].concat(), &mut fast);
            prop_assert_eq!(&fast, &plain);
            #[cfg(target_arch = "x86_64")]
            if Vectors::here() != Vectors::None {
                fast.fill(!0);
                #[expect(unsafe_code, reason = "the processor has AVX2")]
                // SAFETY: just asked for.
                unsafe { load_masked_avx2(&masks, &filled, &mut fast) };
                prop_assert_eq!(fast, plain);
            }
        }
    }

    #[test]
    fn bytes_are_spread_alike() {
        let bytes = 0x8877_6655_4433_2211u64;
        for mask in 0..=255 {
            assert_eq!(
                spread(bytes, mask),
                spread_slowly(&bytes.to_le_bytes(), mask)
            );
        }
        assert_eq!(spread(bytes, 0b0000_0101), 0x0022_0011);
    }
}
