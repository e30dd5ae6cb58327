//! A segment's table of exact positions: sorted, immutable, read in place.
//!
//! It has two parts. The *blocks* are entries one after another, cut after
//! every `BLOCK_ENTRIES`; the *index* has the order of each block's first
//! entry. A look-up is a binary search in the index and a scan of one block.
//!
//! Of a segment's positions 96 in 100 occur once. Their record is not stored a second time:
//! game and ply lead to it through the moves, in a few microseconds. Positions
//! that occur more often have their record in the table, and those that occur
//! often a tally.
//!
//! ```text
//! index   positions    u64, distinct ones
//!         occurrences  u64
//!         per block    order of the first entry u32, checksum u32, offset u64
//! blocks  per entry    2 × the step of the order, + 1 if it occurs once   varint
//!                      once:   game, ply                                  varints
//!                      often:  length of the rest                         varint
//!                              mask and value, as in the record           9 to 24 bytes
//!                              rights                                     varint
//!                              length of the tally, 0 if there is none    varint
//!                              tally
//!                              occurrences: their number, then the step of the game and the ply
//! ```
//! The step of a block's first entry is zero. Blocks carry their own checksums:
//! a look-up reads and checks one block, not the whole table.

use std::ops::RangeInclusive;

use tabiya_chess::{
    chi_square::ChiSquare,
    exact::Exact,
    record::{Key, Record},
    rights::Rights,
};
use xxhash_rust::xxh3::xxh3_64;

use super::{order::Order, tally::Tally};
use crate::index::{
    GameIndex, Section,
    occurrence::{self, Occurrence, Replay, TallySource},
    partition_point, u32_at, u64_at, varint,
};

/// The entries of a block, but for the last one, which may have fewer.
pub(crate) const BLOCK_ENTRIES: usize = 64;

const INDEX_HEAD_BYTES: usize = 16;

const INDEX_ENTRY_BYTES: usize = 16;

const _: () = assert!(INDEX_HEAD_BYTES == INDEX_ENTRY_BYTES);

/// A table over the bytes of its two parts.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    positions: u64,
    occurrences: u64,
    index: Section<'a>,
    blocks: &'a [u8],
}

impl<'a> Table<'a> {
    /// The table of an index and blocks, which look after themselves.
    ///
    /// # Errors
    ///
    /// When the index has no whole number of entries.
    pub fn new(index: impl Into<Section<'a>>, blocks: &'a [u8]) -> Result<Table<'a>, DamagedTable> {
        let index = index.into();
        let entries = index.len().checked_sub(INDEX_HEAD_BYTES);
        if entries.is_none_or(|it| it % INDEX_ENTRY_BYTES != 0) {
            return Err(DamagedTable);
        }
        Ok(Table {
            positions: index.u64_at(0),
            occurrences: index.u64_at(8),
            index,
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
    pub fn find(
        &self,
        position: &Exact,
        games: &impl Replay,
    ) -> Result<Option<Payload<'a>>, DamagedTable> {
        let found = self.find_board(&position.record, games)?;
        let found = found.into_iter().find(|it| it.0 == position.rights);
        Ok(found.map(|it| it.1))
    }

    /// The positions with this board, for any side to move and any castling rights.
    ///
    /// # Errors
    ///
    /// When a block they would stand in is damaged.
    pub fn find_board(
        &self,
        board: &Record,
        games: &impl Replay,
    ) -> Result<Vec<(Rights, Payload<'a>)>, DamagedTable> {
        let order = Order::of(board);
        let mut found = Vec::new();
        let mut block = self.block_before(order);
        while let Some(mut cursor) = self.block(block)? {
            while let Some(entry) = cursor.next()? {
                if entry.order > order {
                    return Ok(found);
                }
                if entry.order == order {
                    let exact = entry.exact(games)?;
                    found.extend((exact.record == *board).then_some((exact.rights, entry.payload)));
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
        let first = Order::first(statistic);
        let block = self.block_before(first);
        let mut rank = (block * BLOCK_ENTRIES) as u64;
        let Some(mut cursor) = self.block(block)? else {
            return Ok(0);
        };
        while let Some(entry) = cursor.next()? {
            if entry.order >= first {
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
        let block = self.block_before(Order::first(*statistics.start()));
        Scan {
            table: *self,
            block,
            cursor: None,
            statistics,
            failed: false,
        }
    }

    /// The last block that begins before an order, or the first.
    fn block_before(&self, order: Order) -> usize {
        let is_before = |it: usize| self.entry(it).is_some_and(|it| first_order(it) < order);
        partition_point(self.blocks(), is_before).saturating_sub(1)
    }

    /// How many blocks there are.
    fn blocks(&self) -> usize {
        // The head is as long as an entry.
        (self.index.len() / INDEX_ENTRY_BYTES).saturating_sub(1)
    }

    /// What the index says of a block; `None` past the last one, or if it is damaged.
    fn entry(&self, block: usize) -> Option<&'a [u8; INDEX_ENTRY_BYTES]> {
        self.index.record(block + 1)
    }

    /// The entries of a block, `None` past the last one.
    fn block(&self, number: usize) -> Result<Option<Cursor<'a>>, DamagedTable> {
        if number >= self.blocks() {
            return Ok(None);
        }
        let entry = self.entry(number).ok_or(DamagedTable)?;
        let start = block_offset(entry);
        let next = self.entry(number + 1);
        let end = next.map_or(self.blocks.len(), block_offset);
        let bytes = self.blocks.get(start..end).ok_or(DamagedTable)?;
        if xxh3_64(bytes) as u32 != u32_at(entry, 4) {
            return Err(DamagedTable);
        }
        let order = first_order(entry);
        Ok(Some(Cursor { bytes, order }))
    }
}

fn first_order(entry: &[u8; INDEX_ENTRY_BYTES]) -> Order {
    Order::from_bits(u32_at(entry, 0))
}

fn block_offset(entry: &[u8; INDEX_ENTRY_BYTES]) -> usize {
    usize::try_from(u64_at(entry, 8)).unwrap_or(usize::MAX)
}

/// A position in a table with what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    order: Order,
    board: StoredBoard<'a>,
    /// What is known of it.
    pub payload: Payload<'a>,
}

/// Where the board of an entry is to be found.
#[derive(Clone, Copy, Debug)]
enum StoredBoard<'a> {
    /// Here.
    Here {
        mask: [u8; 8],
        value: &'a [u8],
        rights: Rights,
    },
    /// In the game it occurred in.
    InGame(Occurrence),
}

impl Entry<'_> {
    /// The statistic.
    ///
    /// # Errors
    ///
    /// When it is out of range.
    pub fn statistic(&self) -> Result<ChiSquare, DamagedTable> {
        self.order.statistic().ok_or(DamagedTable)
    }

    /// The position.
    ///
    /// # Errors
    ///
    /// When the stored record is none, or the game does not lead to it.
    pub fn exact(&self, games: &impl Replay) -> Result<Exact, DamagedTable> {
        match self.board {
            StoredBoard::Here {
                mask,
                value,
                rights,
            } => {
                let key = Key::new(self.statistic()?, mask);
                let record = Record::from_key(key, value).map_err(|_| DamagedTable)?;
                Ok(Exact { record, rights })
            }
            StoredBoard::InGame(occurrence) => {
                let position = games.position_at(occurrence).ok_or(DamagedTable)?;
                Exact::of(&position).map_err(|_| DamagedTable)
            }
        }
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
    pub fn tally(&self, games: &impl TallySource) -> Result<Tally, DamagedTable> {
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
    order: Order,
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
        let head: u64 = varint::take(bytes)?;
        let step = u32::try_from(head / 2).ok()?;
        self.order = Order::from_bits(self.order.to_bits().checked_add(step)?);
        let (board, payload) = if head % 2 == 1 {
            let game = GameIndex(varint::take_as(bytes)?);
            let ply = varint::take_as(bytes)?;
            let occurrence = Occurrence { game, ply };
            (StoredBoard::InGame(occurrence), Payload::Single(occurrence))
        } else {
            let length = varint::take_as(bytes)?;
            let mut rest = varint::take_bytes(bytes, length)?;
            let mask: [u8; 8] = varint::take_bytes(&mut rest, 8)?.try_into().ok()?;
            let pieces = u64::from_le_bytes(mask).count_ones() as usize;
            let value = varint::take_bytes(&mut rest, pieces.div_ceil(2))?;
            let rights = Rights::from_bits(varint::take_as(&mut rest)?);
            let board = StoredBoard::Here {
                mask,
                value,
                rights,
            };
            (board, Payload::from_bytes(rest)?)
        };
        Some(Entry {
            order: self.order,
            board,
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
                Some(entry) if entry.statistic()? < *self.statistics.start() => {}
                Some(entry) if entry.statistic()? > *self.statistics.end() => return Ok(None),
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the table of exact positions is damaged")]
pub struct DamagedTable;
