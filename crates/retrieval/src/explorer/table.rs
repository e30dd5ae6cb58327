//! A segment's table of exact positions: sorted, immutable, read in place.
//!
//! Entries stand in blocks of [`BLOCK_ENTRIES`]; an index after the blocks has
//! the first key of each. A look-up is a binary search in the index and a scan
//! of one block. The layout:
//!
//! | part | bytes | what |
//! |---|---|---|
//! | magic | 8 | `TABIYAXP` |
//! | blocks | | entries one after another, see below |
//! | index | 20 a block | sorted key (10), offset of the block in the file (6), checksum of the block (4) |
//! | footer | 64 | version, counts, offset and checksum of the index, checksum of the footer |
//!
//! An entry is the step of the statistic from the entry before (in the first
//! of a block: from the block's key) times two, plus one if it has a single
//! occurrence, as a varint; the record's mask and value; the rights as a varint;
//! and the payload. That of a single occurrence is its game and ply. Any other
//! begins with its length, then the length of the stored tally (0 if there is
//! none) and the tally, then all occurrences.

use std::{error::Error, fmt, ops::RangeInclusive};

use tabiya_chess::{
    chi_square::ChiSquare,
    exact::Exact,
    record::{Key, Record},
    rights::Rights,
};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    occurrence::{self, Games, Occurrence},
    tally::Tally,
    varint,
};

/// The first bytes of a table.
pub(crate) const MAGIC: [u8; 8] = *b"TABIYAXP";

/// The version of the layout.
pub(crate) const VERSION: u32 = 1;

/// The entries of a block, but for the last one, which may have fewer.
pub(crate) const BLOCK_ENTRIES: usize = 64;

pub(crate) const INDEX_ENTRY_BYTES: usize = 20;

/// What stands at the end of a table, as eight little-endian numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Footer {
    pub(crate) positions: u64,
    pub(crate) occurrences: u64,
    pub(crate) index_offset: u64,
    pub(crate) blocks: u64,
    pub(crate) index_checksum: u64,
}

impl Footer {
    pub(crate) const BYTES: usize = 64;

    pub(crate) fn to_bytes(self) -> [u8; Footer::BYTES] {
        let mut bytes = [0; Footer::BYTES];
        let numbers = [
            u64::from_le_bytes(MAGIC),
            VERSION.into(),
            self.positions,
            self.occurrences,
            self.index_offset,
            self.blocks,
            self.index_checksum,
        ];
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let checksum = xxh3_64(&bytes[..56]);
        bytes[56..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; Footer::BYTES]) -> Result<Footer, OpenTableError> {
        let (chunks, _) = bytes.as_chunks::<8>();
        let number = |index: usize| u64::from_le_bytes(chunks[index]);
        if chunks[0] != MAGIC {
            return Err(OpenTableError::Incomplete);
        }
        if number(1) != VERSION.into() {
            return Err(OpenTableError::Version { found: number(1) });
        }
        if number(7) != xxh3_64(&bytes[..56]) {
            return Err(OpenTableError::Damaged);
        }
        Ok(Footer {
            positions: number(2),
            occurrences: number(3),
            index_offset: number(4),
            blocks: number(5),
            index_checksum: number(6),
        })
    }
}

/// A table over the bytes of its file.
#[derive(Debug)]
pub struct Table<B> {
    bytes: B,
    footer: Footer,
}

impl<B: AsRef<[u8]>> Table<B> {
    /// Opens a table: checks its ends and its index, reads no block.
    ///
    /// # Errors
    ///
    /// When the bytes are no table, of another version, cut off or damaged.
    pub fn open(bytes: B) -> Result<Table<B>, OpenTableError> {
        let all = bytes.as_ref();
        if !all.starts_with(&MAGIC) {
            return Err(OpenTableError::NotATable);
        }
        let footer = all.last_chunk().ok_or(OpenTableError::Incomplete)?;
        let footer = Footer::from_bytes(footer)?;
        let table = Table { bytes, footer };
        let index = table.index().ok_or(OpenTableError::Damaged)?;
        if xxh3_64(index.as_flattened()) != footer.index_checksum {
            return Err(OpenTableError::Damaged);
        }
        Ok(table)
    }

    /// The number of distinct positions.
    pub fn positions(&self) -> u64 {
        self.footer.positions
    }

    /// The number of occurrences.
    pub fn occurrences(&self) -> u64 {
        self.footer.occurrences
    }

    /// What is known of a position.
    ///
    /// # Errors
    ///
    /// When a block it would stand in is damaged.
    pub fn find(&self, position: &Exact) -> Result<Option<Payload<'_>>, DamagedTable> {
        let key = position.record.key();
        let mut block = self.block_before(key);
        while let Some(mut cursor) = self.block(block)? {
            while let Some(entry) = cursor.next()? {
                if entry.key < key {
                    continue;
                }
                if entry.key > key {
                    return Ok(None);
                }
                if entry.exact()? == *position {
                    return Ok(Some(entry.payload));
                }
            }
            block += 1;
        }
        Ok(None)
    }

    /// All positions whose statistic lies in a range, in order.
    ///
    /// The iterator ends after the first error.
    pub fn scan(&self, statistics: RangeInclusive<ChiSquare>) -> Scan<'_, B> {
        let block = self.first_block(*statistics.start());
        Scan {
            table: self,
            block,
            cursor: None,
            statistics,
            failed: false,
        }
    }

    /// The last block that begins before `key`, or the first.
    fn block_before(&self, key: Key) -> usize {
        let sorted = key.to_sorted_bytes();
        self.blocks_until(|first| first < sorted.as_slice())
    }

    fn first_block(&self, statistic: ChiSquare) -> usize {
        let [hundredths, integer] = statistic.to_bytes();
        self.blocks_until(|first| first < [integer, hundredths].as_slice())
    }

    fn blocks_until(&self, before: impl Fn(&[u8]) -> bool) -> usize {
        let index = self.index().unwrap_or_default();
        let after = index.partition_point(|entry| before(&entry[..Key::BYTES]));
        after.saturating_sub(1)
    }

    fn index(&self) -> Option<&[[u8; INDEX_ENTRY_BYTES]]> {
        let all = self.bytes.as_ref();
        let start = usize::try_from(self.footer.index_offset).ok()?;
        let end = all.len().checked_sub(Footer::BYTES)?;
        let (entries, rest) = all.get(start..end)?.as_chunks();
        (rest.is_empty() && entries.len() as u64 == self.footer.blocks).then_some(entries)
    }

    /// The entries of a block, `None` past the last one.
    fn block(&self, number: usize) -> Result<Option<Cursor<'_>>, DamagedTable> {
        let index = self.index().ok_or(DamagedTable)?;
        let Some(entry) = index.get(number) else {
            return Ok(None);
        };
        let start = block_offset(entry);
        let end = index
            .get(number + 1)
            .map_or(self.footer.index_offset, block_offset);
        let all = self.bytes.as_ref();
        let bytes = all.get(start as usize..end as usize).ok_or(DamagedTable)?;
        let checksum = xxh3_64(bytes) as u32;
        if checksum.to_le_bytes() != entry[16..] {
            return Err(DamagedTable);
        }
        // The first entry's step leads from the statistic of the block's key.
        let statistic = u16::from(entry[0]) * 100 + u16::from(entry[1]);
        Ok(Some(Cursor { bytes, statistic }))
    }
}

fn block_offset(entry: &[u8; INDEX_ENTRY_BYTES]) -> u64 {
    let mut wide = [0; 8];
    wide[..6].copy_from_slice(&entry[10..16]);
    u64::from_le_bytes(wide)
}

/// A position in a table with what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    key: Key,
    value: &'a [u8],
    rights: Rights,
    /// What is known of it.
    pub payload: Payload<'a>,
}

impl Entry<'_> {
    /// The statistic and the occupied squares.
    pub fn key(&self) -> Key {
        self.key
    }

    /// The position.
    ///
    /// # Errors
    ///
    /// When the stored record is none.
    pub fn exact(&self) -> Result<Exact, DamagedTable> {
        let record = Record::from_key(self.key, self.value).map_err(|_| DamagedTable)?;
        Ok(Exact {
            record,
            rights: self.rights,
        })
    }
}

/// Where a position occurred, as stored.
#[derive(Clone, Copy, Debug)]
pub enum Payload<'a> {
    /// Once.
    Single(Occurrence),
    /// More than once.
    Many {
        /// The stored tally, empty if there is none.
        tally: &'a [u8],
        /// All occurrences.
        occurrences: &'a [u8],
    },
}

impl<'a> Payload<'a> {
    /// Reads what [`put_payload`](super::write::put_payload) wrote.
    pub fn from_bytes(mut bytes: &'a [u8]) -> Option<Payload<'a>> {
        let length = varint::take_as(&mut bytes)?;
        let tally = varint::take_bytes(&mut bytes, length)?;
        Some(Payload::Many {
            tally,
            occurrences: bytes,
        })
    }

    /// All occurrences, by game, then ply.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn occurrences(&self) -> Result<Vec<Occurrence>, DamagedTable> {
        match *self {
            Payload::Single(occurrence) => Ok(vec![occurrence]),
            Payload::Many {
                mut occurrences, ..
            } => occurrence::take_all(&mut occurrences).ok_or(DamagedTable),
        }
    }

    /// The tally: the stored one, or else counted.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn tally(&self, games: &impl Games) -> Result<Tally, DamagedTable> {
        match *self {
            Payload::Many { mut tally, .. } if !tally.is_empty() => {
                Tally::take(&mut tally).ok_or(DamagedTable)
            }
            _ => Ok(Tally::of(&self.occurrences()?, games)),
        }
    }
}

/// The entries of one block.
struct Cursor<'a> {
    bytes: &'a [u8],
    statistic: u16,
}

impl<'a> Cursor<'a> {
    fn next(&mut self) -> Result<Option<Entry<'a>>, DamagedTable> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        self.take().map(Some).ok_or(DamagedTable)
    }

    fn take(&mut self) -> Option<Entry<'a>> {
        let bytes = &mut self.bytes;
        let head: u32 = varint::take_as(bytes)?;
        self.statistic = self.statistic.checked_add(u16::try_from(head / 2).ok()?)?;
        let mask: [u8; 8] = varint::take_bytes(bytes, 8)?.try_into().ok()?;
        let key = Key::new(ChiSquare::from_hundredths(self.statistic)?, mask);
        let value = varint::take_bytes(bytes, key.occupied().count().div_ceil(2))?;
        let rights = Rights::from_bits(varint::take_as(bytes)?);
        let payload = if head % 2 == 1 {
            let game = varint::take_as(bytes)?;
            let ply = varint::take_as(bytes)?;
            Payload::Single(Occurrence { game, ply })
        } else {
            let length = varint::take_as(bytes)?;
            Payload::from_bytes(varint::take_bytes(bytes, length)?)?
        };
        Some(Entry {
            key,
            value,
            rights,
            payload,
        })
    }
}

/// The positions of a range of statistics, see [`Table::scan`].
pub struct Scan<'a, B> {
    table: &'a Table<B>,
    block: usize,
    cursor: Option<Cursor<'a>>,
    statistics: RangeInclusive<ChiSquare>,
    failed: bool,
}

impl<'a, B: AsRef<[u8]>> Scan<'a, B> {
    fn step(&mut self) -> Result<Option<Entry<'a>>, DamagedTable> {
        loop {
            if self.cursor.is_none() {
                self.cursor = self.table.block(self.block)?;
                self.block += 1;
            }
            let Some(cursor) = &mut self.cursor else {
                return Ok(None);
            };
            match cursor.next()? {
                None => self.cursor = None,
                Some(entry) if entry.key.statistic() < *self.statistics.start() => {}
                Some(entry) if entry.key.statistic() > *self.statistics.end() => return Ok(None),
                Some(entry) => return Ok(Some(entry)),
            }
        }
    }
}

impl<'a, B: AsRef<[u8]>> Iterator for Scan<'a, B> {
    type Item = Result<Entry<'a>, DamagedTable>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let step = self.step().transpose();
        self.failed = !matches!(step, Some(Ok(_)));
        step
    }
}

/// Why a table could not be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenTableError {
    /// The bytes do not begin as a table does.
    NotATable,
    /// The end is missing.
    Incomplete,
    /// The table was written by another version.
    Version {
        /// The version found.
        found: u64,
    },
    /// A checksum or an offset is wrong.
    Damaged,
}

impl fmt::Display for OpenTableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenTableError::NotATable => f.write_str("not a table of positions"),
            OpenTableError::Incomplete => {
                f.write_str("the table of positions is cut off; build it again")
            }
            OpenTableError::Version { found } => write!(
                f,
                "table of positions in format {found}, expected {VERSION}; build it again"
            ),
            OpenTableError::Damaged => DamagedTable.fmt(f),
        }
    }
}

impl Error for OpenTableError {}

/// A table contradicts its checksums or itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DamagedTable;

impl fmt::Display for DamagedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the table of positions is damaged; build it again")
    }
}

impl Error for DamagedTable {}
