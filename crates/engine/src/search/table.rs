//! The transposition table: what was found out about positions before.
//!
//! Entries are two words, the second holding the data and the first the key
//! combined with it by exclusive or. Threads write without locks; a pair torn
//! by two writers no longer fits its key and reads as absent.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Depth;
use super::packed::PackedMove;
use crate::Score;

/// How a stored score bounds the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
    /// This is the score.
    Exact,
}

impl Bound {
    /// What a score says after a search of a window.
    pub(super) fn of(score: Score, alpha: Score, beta: Score) -> Bound {
        if score >= beta {
            Bound::Lower
        } else if score > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }

    /// Does a score with this bound decide a window?
    pub(super) fn decides(self, score: Score, alpha: Score, beta: Score) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        }
    }

    /// Does a score with this bound say more than a guess?
    pub(super) fn informs(self, score: Score, guess: Score) -> bool {
        match self {
            Bound::Exact => true,
            Bound::Lower => score > guess,
            Bound::Upper => score < guess,
        }
    }
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) mv: PackedMove,
    pub(crate) score: Score,
    pub(crate) depth: Depth,
    pub(crate) bound: Bound,
}

#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// Slots that share a place and compete for it: one cache line.
const BUCKET: usize = 4;
/// Searches until an entry's age wraps around.
const AGES: u64 = 64;

/// A hash table of [`Entry`], shared between threads.
pub(crate) struct Table {
    slots: Vec<Slot>,
    age: u64,
}

impl Table {
    /// A table of at most this many mebibytes, and of at least one bucket; of
    /// that alone if there is no memory for more.
    pub(crate) fn new(mebibytes: usize) -> Table {
        Table::of(mebibytes).unwrap_or_else(|| Table {
            slots: std::iter::repeat_with(Slot::default).take(BUCKET).collect(),
            age: 0,
        })
    }

    /// The same; `None` if there is no memory for it.
    pub(crate) fn of(mebibytes: usize) -> Option<Table> {
        let buckets = mebibytes.checked_mul(1 << 20)? / (BUCKET * size_of::<Slot>());
        let count = buckets.max(1) * BUCKET;
        let mut slots = Vec::new();
        slots.try_reserve_exact(count).ok()?;
        slots.resize_with(count, Slot::default);
        Some(Table { slots, age: 0 })
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        for slot in &mut self.slots {
            *slot = Slot::default();
        }
        self.age = 0;
    }

    /// A new search begins: older entries give way first.
    pub(crate) fn grow_older(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    /// What is known of the position with this key.
    pub(crate) fn get(&self, key: u64) -> Option<Entry> {
        self.bucket(key).iter().find_map(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            let check = slot.check.load(Ordering::Relaxed);
            (check ^ data == key && data != 0).then(|| unpack(data))
        })
    }

    /// Keeps the entry, in place of the least useful of its bucket.
    pub(crate) fn put(&self, key: u64, mut entry: Entry) {
        let mut worst: Option<(&Slot, i64)> = None;
        for slot in self.bucket(key) {
            let data = slot.data.load(Ordering::Relaxed);
            if slot.check.load(Ordering::Relaxed) ^ data == key && data != 0 {
                let old = unpack(data);
                if entry.mv == PackedMove::NONE {
                    entry.mv = old.mv;
                }
                // A much deeper result of this search is worth more than a bound.
                let deeper = old.depth > entry.depth + Depth::plies(3);
                if deeper && entry.bound != Bound::Exact && data >> AGE_SHIFT == self.age {
                    return;
                }
                worst = Some((slot, 0));
                break;
            }
            let worth = self.worth(data);
            if worst.is_none_or(|(_, least)| worth < least) {
                worst = Some((slot, worth));
            }
        }
        if let Some((slot, _)) = worst {
            let data = pack(&entry, self.age);
            slot.data.store(data, Ordering::Relaxed);
            slot.check.store(key ^ data, Ordering::Relaxed);
        }
    }

    /// Slots of this search in use, in thousandths, from a sample.
    pub(crate) fn permille_full(&self) -> usize {
        let sample = self.slots.len().min(1000);
        let used = self.slots[..sample].iter().filter(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            data != 0 && data >> AGE_SHIFT == self.age
        });
        used.count() * 1000 / sample
    }

    fn bucket(&self, key: u64) -> &[Slot] {
        let buckets = (self.slots.len() / BUCKET) as u128;
        let first = ((u128::from(key) * buckets) >> 64) as usize * BUCKET;
        &self.slots[first..first + BUCKET]
    }

    /// Depth, less four plies for every search since; empty slots least of all.
    fn worth(&self, data: u64) -> i64 {
        if data == 0 {
            return i64::MIN;
        }
        let searches_ago = (self.age + AGES - (data >> AGE_SHIFT)) % AGES;
        let four_plies = i64::from(Depth::plies(4).to_table());
        i64::from(unpack(data).depth.to_table()) - four_plies * searches_ago as i64
    }
}

// The data word, from the lowest bit: move 16, score 16, depth 16, bound 2, age 6.
const SCORE_SHIFT: u32 = 16;
const DEPTH_SHIFT: u32 = 32;
const BOUND_SHIFT: u32 = 48;
const AGE_SHIFT: u32 = 58;

fn pack(entry: &Entry, age: u64) -> u64 {
    let bound = match entry.bound {
        Bound::Lower => 1,
        Bound::Upper => 2,
        Bound::Exact => 3_u64,
    };
    u64::from(entry.mv.bits())
        | u64::from(entry.score.value() as i16 as u16) << SCORE_SHIFT
        | u64::from(entry.depth.to_table() as u16) << DEPTH_SHIFT
        | bound << BOUND_SHIFT
        | age << AGE_SHIFT
}

fn unpack(data: u64) -> Entry {
    Entry {
        mv: PackedMove::from_bits(data as u16),
        score: Score::from_value(i32::from((data >> SCORE_SHIFT) as u16 as i16)),
        depth: Depth::from_table((data >> DEPTH_SHIFT) as u16 as i16),
        bound: match data >> BOUND_SHIFT & 3 {
            1 => Bound::Lower,
            2 => Bound::Upper,
            _ => Bound::Exact,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mv: u16, score: Score, depth: Depth, bound: Bound) -> Entry {
        Entry {
            mv: PackedMove::from_bits(mv),
            score,
            depth,
            bound,
        }
    }

    #[test]
    fn entries_come_back_as_they_went_in() {
        let table = Table::new(1);
        let entries = [
            entry(0x1234, Score::mates_in(7), Depth::plies(120), Bound::Exact),
            entry(
                0xffff,
                Score::mated_in(12),
                Depth::ZERO - Depth::plies(4),
                Bound::Lower,
            ),
            entry(0, Score::evaluation(-31), Depth::plies(9), Bound::Upper),
        ];
        for (index, &entry) in entries.iter().enumerate() {
            let key = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(index as u64 + 1);
            assert_eq!(table.get(key), None);
            table.put(key, entry);
            assert_eq!(table.get(key), Some(entry));
        }
    }

    #[test]
    fn a_full_bucket_loses_its_shallowest_entry() {
        let table = Table::new(0);
        for key in 1..=5_u64 {
            table.put(
                key,
                entry(1, Score::DRAW, Depth::plies(key as i32), Bound::Exact),
            );
        }
        let kept: Vec<u64> = (1..=5).filter(|&key| table.get(key).is_some()).collect();
        assert_eq!(kept, [2, 3, 4, 5]);
    }

    #[test]
    fn old_entries_give_way_before_shallow_ones() {
        let mut table = Table::new(0);
        table.put(1, entry(1, Score::DRAW, Depth::plies(6), Bound::Exact));
        table.grow_older();
        table.grow_older();
        for key in 2..=5_u64 {
            table.put(key, entry(1, Score::DRAW, Depth::PLY, Bound::Exact));
        }
        assert_eq!(table.get(1), None);
        assert!((2..=5).all(|key| table.get(key).is_some()));
    }
}
