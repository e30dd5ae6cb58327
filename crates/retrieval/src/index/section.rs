//! A section of a file: bytes that are checked block by block when they are read.

use std::{
    ops::Range,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use xxhash_rust::xxh3::xxh3_64;

use super::{u32_at, u64_at};

/// The size of a block, but for the last one, which may be shorter.
pub(super) const BLOCK: usize = 4096;

/// The checksums of the blocks of a section.
pub(super) fn checksums(bytes: &[u8]) -> Vec<u8> {
    let sums = bytes.chunks(BLOCK).map(xxh3_64);
    sums.flat_map(u64::to_le_bytes).collect()
}

/// What is known of the soundness of a section.
#[derive(Debug)]
pub(super) struct Seal {
    block: usize,
    /// Of the checksums of the blocks, or of the only block.
    checksum: u64,
    /// Whether the checksums of the blocks were right, once they were checked.
    sums_are_sound: OnceLock<bool>,
    /// The blocks that were found sound, a bit each.
    sound: Box<[AtomicU64]>,
    broken: AtomicBool,
}

impl Seal {
    /// The seal of a section with checksums by block.
    pub(super) fn of_blocks(length: usize, checksum: u64) -> Seal {
        let blocks = length.div_ceil(BLOCK);
        Seal {
            block: BLOCK,
            checksum,
            sums_are_sound: OnceLock::new(),
            sound: (0..blocks.div_ceil(64))
                .map(|_| AtomicU64::new(0))
                .collect(),
            broken: AtomicBool::new(false),
        }
    }

    /// The seal of a section with one checksum.
    pub(super) fn of_whole(length: usize, checksum: u64) -> Seal {
        Seal {
            block: length.max(1),
            sums_are_sound: OnceLock::from(true),
            ..Seal::of_blocks(1, checksum)
        }
    }

    /// Whether a damaged block was read.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }
}

/// Bytes that are checked when they are read. What is damaged or not there reads as nothing;
/// the file remembers damage, see `Sections::sound`.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    bytes: &'a [u8],
    sums: &'a [u8],
    seal: Option<&'a Seal>,
}

/// Bytes that need no check.
impl<'a> From<&'a [u8]> for Section<'a> {
    fn from(bytes: &'a [u8]) -> Section<'a> {
        Section {
            bytes,
            sums: &[],
            seal: None,
        }
    }
}

impl<'a> Section<'a> {
    pub(super) fn sealed(bytes: &'a [u8], sums: &'a [u8], seal: &'a Seal) -> Section<'a> {
        Section {
            bytes,
            sums,
            seal: Some(seal),
        }
    }

    /// The number of bytes.
    pub(crate) fn len(self) -> usize {
        self.bytes.len()
    }

    /// A range of the bytes.
    #[inline]
    pub(crate) fn get(self, range: Range<usize>) -> &'a [u8] {
        let Some(bytes) = self.bytes.get(range.clone()) else {
            return &[];
        };
        let Some(seal) = self.seal.filter(|_| !bytes.is_empty()) else {
            return bytes;
        };
        let mut blocks = range.start / seal.block..=(range.end - 1) / seal.block;
        if blocks.all(|it| self.is_sound(it, seal)) {
            bytes
        } else {
            &[]
        }
    }

    /// Breaks the seal of bytes that make no sense, as if their checksum were wrong.
    pub(crate) fn refuse(self) {
        if let Some(seal) = self.seal {
            seal.broken.store(true, Ordering::Relaxed);
        }
    }

    /// The record of a size with a number; `None` if there is none.
    #[inline]
    pub(crate) fn record<const SIZE: usize>(self, number: usize) -> Option<&'a [u8; SIZE]> {
        let start = number.checked_mul(SIZE)?;
        self.get(start..start.checked_add(SIZE)?).first_chunk()
    }

    /// The integer that begins at a byte; zero past the end.
    #[inline]
    pub(crate) fn u32_at(self, at: usize) -> u32 {
        u32_at(self.get(at..at.saturating_add(4)), 0)
    }

    /// The integer that begins at a byte; zero past the end.
    #[inline]
    pub(crate) fn u64_at(self, at: usize) -> u64 {
        u64_at(self.get(at..at.saturating_add(8)), 0)
    }

    #[inline]
    fn is_sound(self, block: usize, seal: &Seal) -> bool {
        let known = seal.sound.get(block / 64);
        known.is_some_and(|it| it.load(Ordering::Relaxed) >> (block % 64) & 1 == 1)
            || self.check(block, seal)
    }

    #[cold]
    fn check(self, block: usize, seal: &Seal) -> bool {
        let start = block * seal.block;
        let end = self.bytes.len().min(start + seal.block);
        let expected = if self.sums.is_empty() {
            seal.checksum
        } else {
            u64_at(self.sums, block * 8)
        };
        let sums_are_sound = || xxh3_64(self.sums) == seal.checksum;
        let is_sound = *seal.sums_are_sound.get_or_init(sums_are_sound)
            && xxh3_64(&self.bytes[start..end]) == expected;
        if is_sound {
            seal.sound[block / 64].fetch_or(1 << (block % 64), Ordering::Relaxed);
        } else {
            seal.broken.store(true, Ordering::Relaxed);
        }
        is_sound
    }
}

/// In a sorted list of `length` items, the number of those for which the condition holds,
/// which are the first.
pub(crate) fn partition_point(length: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, length);
    while low < high {
        let middle = low.midpoint(high);
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn only_a_damaged_block_is_refused(length in 0usize..20_000, flipped: usize, start: usize, more in 0usize..9000) {
            let sound: Vec<u8> = (0..length).map(|it| (it * 7 % 251) as u8).collect();
            let sums = checksums(&sound);
            let mut bytes = sound.clone();
            let flipped = flipped % length.max(1);
            if let Some(byte) = bytes.get_mut(flipped) {
                *byte ^= 4;
            }
            let seal = Seal::of_blocks(length, xxh3_64(&sums));
            let section = Section::sealed(&bytes, &sums, &seal);
            let start = start % (length + 1);
            let range = start..(start + more).min(length);
            let blocks = range.start / BLOCK..range.end.div_ceil(BLOCK);
            let touches = !range.is_empty() && blocks.contains(&(flipped / BLOCK));
            let expected = if touches { &[] } else { &sound[range.clone()] };
            prop_assert_eq!(section.get(range), expected);
            prop_assert_eq!(seal.is_broken(), touches);
        }
    }

    #[test]
    fn a_damaged_list_of_checksums_is_noticed() {
        let bytes = vec![3; 5000];
        let mut sums = checksums(&bytes);
        let seal = Seal::of_blocks(bytes.len(), xxh3_64(&sums));
        sums[8] ^= 1;
        let section = Section::sealed(&bytes, &sums, &seal);
        assert_eq!(section.get(0..1), b"");
        assert!(seal.is_broken());
    }

    #[test]
    fn the_first_items_are_counted() {
        for length in 0..20 {
            for first in 0..=length {
                assert_eq!(partition_point(length, |it| it < first), first);
            }
        }
    }
}
