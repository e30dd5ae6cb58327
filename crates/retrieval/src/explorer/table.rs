//! A segment's table of exact positions: sorted, immutable, read in place.
//!
//! It has two parts. The *blocks* are entries one after another, cut after
//! every [`BLOCK_ENTRIES`]; the *index* has the first key of each block. A
//! look-up is a binary search in the index and a scan of one block.
//!
//! ```text
//! index   positions    u64, distinct ones
//!         occurrences  u64
//!         per block    sorted key (10 bytes), offset in the blocks (6), checksum (4)
//! blocks  per entry    varint  2 × the step of the statistic, + 1 if there is a single occurrence
//!                      mask    8 bytes, as in the record
//!                      value   4 bits a piece, as in the record
//!                      rights  varint
//!                      single: game, ply           varints
//!                      other:  length of the rest  varint
//!                              length of the tally varint, 0 if there is none
//!                              tally
//!                              occurrences: their number, then step of the game and ply, varints
//! ```
//! The step of a block's first entry is counted from the statistic of its key,
//! so it is zero. Blocks carry their own checksums: a look-up reads and checks
//! one block, not the whole table.

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
use crate::index::u64_at;

/// The entries of a block, but for the last one, which may have fewer.
pub(crate) const BLOCK_ENTRIES: usize = 32;

pub(crate) const INDEX_HEAD_BYTES: usize = 16;

pub(crate) const INDEX_ENTRY_BYTES: usize = 20;

/// A table over the bytes of its two parts.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    positions: u64,
    occurrences: u64,
    index: &'a [[u8; INDEX_ENTRY_BYTES]],
    blocks: &'a [u8],
}

impl<'a> Table<'a> {
    /// The table of an index, whose checksum the caller has seen to, and
    /// blocks, which look after themselves.
    ///
    /// # Errors
    ///
    /// When the index has no whole number of entries.
    pub fn new(index: &'a [u8], blocks: &'a [u8]) -> Result<Table<'a>, DamagedTable> {
        let (head, entries) = index
            .split_first_chunk::<INDEX_HEAD_BYTES>()
            .ok_or(DamagedTable)?;
        let (entries, []) = entries.as_chunks() else {
            return Err(DamagedTable);
        };
        Ok(Table {
            positions: u64_at(head, 0),
            occurrences: u64_at(head, 8),
            index: entries,
            blocks,
        })
    }

    /// The number of distinct positions.
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// The number of occurrences.
    pub fn occurrences(&self) -> u64 {
        self.occurrences
    }

    /// What is known of a position.
    ///
    /// # Errors
    ///
    /// When a block it would stand in is damaged.
    pub fn find(&self, position: &Exact) -> Result<Option<Payload<'a>>, DamagedTable> {
        let found = self.find_board(&position.record)?;
        let found = found.iter().find(|it| it.rights == position.rights);
        Ok(found.map(|it| it.payload))
    }

    /// The positions with this board, whoever is to move and may castle.
    ///
    /// # Errors
    ///
    /// When a block they would stand in is damaged.
    pub fn find_board(&self, board: &Record) -> Result<Vec<Entry<'a>>, DamagedTable> {
        let key = board.key();
        let mut found = Vec::new();
        let mut block = self.block_before(key);
        while let Some(mut cursor) = self.block(block)? {
            while let Some(entry) = cursor.next()? {
                if entry.key > key {
                    return Ok(found);
                }
                if entry.key == key && entry.value == board.value() {
                    found.push(entry);
                }
            }
            block += 1;
        }
        Ok(found)
    }

    /// How many distinct positions have a statistic in a range. Reads two
    /// blocks, whatever the range.
    ///
    /// # Errors
    ///
    /// When one of them is damaged.
    pub fn count(&self, statistics: RangeInclusive<ChiSquare>) -> Result<u64, DamagedTable> {
        let above = match statistics.end().hundredths() + 1 {
            next if next > ChiSquare::MAX.hundredths() => self.positions,
            next => self.rank(next)?,
        };
        Ok(above.saturating_sub(self.rank(statistics.start().hundredths())?))
    }

    /// How many positions have a statistic of fewer hundredths.
    fn rank(&self, hundredths: u16) -> Result<u64, DamagedTable> {
        let Some(statistic) = ChiSquare::from_hundredths(hundredths) else {
            return Ok(self.positions);
        };
        let block = self.first_block(statistic);
        let mut rank = (block * BLOCK_ENTRIES) as u64;
        let Some(mut cursor) = self.block(block)? else {
            return Ok(0);
        };
        while let Some(entry) = cursor.next()? {
            if entry.key.statistic() >= statistic {
                break;
            }
            rank += 1;
        }
        Ok(rank)
    }

    /// All positions whose statistic lies in a range, in order.
    ///
    /// The iterator ends after the first error.
    pub fn scan(&self, statistics: RangeInclusive<ChiSquare>) -> Scan<'a> {
        let block = self.first_block(*statistics.start());
        Scan {
            table: *self,
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
        let after = self
            .index
            .partition_point(|entry| before(&entry[..Key::BYTES]));
        after.saturating_sub(1)
    }

    /// The entries of a block, `None` past the last one.
    fn block(&self, number: usize) -> Result<Option<Cursor<'a>>, DamagedTable> {
        let Some(entry) = self.index.get(number) else {
            return Ok(None);
        };
        let start = block_offset(entry);
        let next = self.index.get(number + 1);
        let end = next.map_or(self.blocks.len(), block_offset);
        let bytes = self.blocks.get(start..end).ok_or(DamagedTable)?;
        let checksum = xxh3_64(bytes) as u32;
        if checksum.to_le_bytes() != entry[16..] {
            return Err(DamagedTable);
        }
        // The first entry's step leads from the statistic of the block's key.
        let statistic = u16::from(entry[0]) * 100 + u16::from(entry[1]);
        Ok(Some(Cursor { bytes, statistic }))
    }
}

fn block_offset(entry: &[u8; INDEX_ENTRY_BYTES]) -> usize {
    (u64_at(entry, 8) >> 16) as usize
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

    /// Side to move, castling, en passant.
    pub fn rights(&self) -> Rights {
        self.rights
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

    /// How often the position occurred.
    ///
    /// # Errors
    ///
    /// When that cannot be read.
    pub fn count(&self) -> Result<u64, DamagedTable> {
        match *self {
            Payload::Single(_) => Ok(1),
            Payload::Many {
                mut occurrences, ..
            } => varint::take(&mut occurrences).ok_or(DamagedTable),
        }
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
#[derive(Debug)]
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
        let value = varint::take_bytes(bytes, key.pieces().div_ceil(2))?;
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
#[derive(Debug)]
pub struct Scan<'a> {
    table: Table<'a>,
    block: usize,
    cursor: Option<Cursor<'a>>,
    statistics: RangeInclusive<ChiSquare>,
    failed: bool,
}

impl<'a> Scan<'a> {
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

impl<'a> Iterator for Scan<'a> {
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

/// A table contradicts its checksums or itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DamagedTable;

impl fmt::Display for DamagedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the table of exact positions is damaged")
    }
}

impl Error for DamagedTable {}
