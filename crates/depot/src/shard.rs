//! Shards on their way: one file there, one file back, checked at both ends.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use bytes::Bytes;
use tabiya_retrieval::{
    collection::Delivery,
    index::{Segment, Summary},
    shard,
};
use xxhash_rust::xxh3::Xxh3;

use crate::{Depot, DepotError, Digest, ShardEntry, Transfer, object::PART};

/// How many shards are on their way at once.
const LANES: usize = 4;

impl Depot {
    /// Puts a shard into the depot, unless it is there already. It belongs to
    /// no generation until one is published.
    ///
    /// # Errors
    ///
    /// When the file is no sound shard, or the store refuses it.
    pub fn put_shard(&self, path: &Path, transfer: &Transfer) -> Result<ShardEntry, DepotError> {
        self.put_segment(&shard::open(path)?, transfer)
    }

    /// The same for one that is open, and so is there whatever a writer does
    /// to its file meanwhile.
    pub(crate) fn put_segment(
        &self,
        segment: &Segment,
        transfer: &Transfer,
    ) -> Result<ShardEntry, DepotError> {
        transfer.go_on()?;
        // Nothing damaged is worth keeping.
        segment.check()?;
        let bytes = Bytes::copy_from_slice(segment.bytes());
        let entry = entry_of(&bytes, segment.summary());
        let name = entry.name();
        let known = transfer.unless_cancelled(self.objects.size(&name));
        if self.wait(known)? == Some(entry.bytes) {
            transfer.passed_over(entry.bytes);
        } else {
            self.wait(self.objects.put_in_parts(&name, bytes, transfer))?;
        }
        Ok(entry)
    }

    /// Fetches a shard into a folder, unless it is there already. It has its
    /// name when all of it is there, checked and safe.
    ///
    /// # Errors
    ///
    /// When the shard is not in the depot or damaged, or cannot be written.
    pub fn get_shard(
        &self,
        shard: &ShardEntry,
        folder: &Path,
        transfer: &Transfer,
    ) -> Result<PathBuf, DepotError> {
        transfer.go_on()?;
        let path = Delivery::segment(folder, shard.digest.to_bits());
        if is_there(&path, shard) {
            transfer.passed_over(shard.bytes);
            return Ok(path);
        }
        let part = Delivery::part(folder, shard.digest.to_bits());
        let fetched = self.fetch(shard, &part, transfer);
        let placed = fetched.and_then(|()| fs::rename(&part, &path).map_err(failed(&path)));
        if placed.is_err() {
            // Half a file helps nobody, least of all on a full disk.
            let _ = fs::remove_file(&part);
        }
        placed.map(|()| path)
    }

    fn fetch(&self, shard: &ShardEntry, to: &Path, transfer: &Transfer) -> Result<(), DepotError> {
        let name = shard.name();
        match self.wait(transfer.unless_cancelled(self.objects.size(&name)))? {
            Some(size) if size == shard.bytes => {}
            Some(size) => {
                let what = format!("it has {size} bytes, not {}", shard.bytes);
                return Err(self.objects.damaged(&name, what));
            }
            None => return Err(self.objects.incomplete(&name)),
        }
        let mut file = File::create(to).map_err(failed(to))?;
        let mut hash = Xxh3::new();
        for start in (0..shard.bytes).step_by(PART) {
            let range = start..shard.bytes.min(start + PART as u64);
            let bytes = self.objects.get_range(&name, range);
            let bytes = self.wait(transfer.unless_cancelled(bytes))?;
            file.write_all(&bytes).map_err(failed(to))?;
            hash.update(&bytes);
            transfer.moved_on(bytes.len() as u64);
        }
        if Digest::of_hash(&hash) != shard.digest {
            let what = "its bytes do not have the digest of its name";
            return Err(self.objects.damaged(&name, what));
        }
        file.sync_all().map_err(failed(to))
    }
}

fn entry_of(bytes: &[u8], summary: &Summary) -> ShardEntry {
    ShardEntry {
        digest: Digest::of(bytes),
        bytes: bytes.len() as u64,
        games: summary.games,
        positions: summary.positions,
    }
}

fn is_there(path: &Path, shard: &ShardEntry) -> bool {
    let has_size = fs::metadata(path).is_ok_and(|it| it.len() == shard.bytes);
    has_size && fs::read(path).is_ok_and(|it| Digest::of(&it) == shard.digest)
}

pub(crate) fn failed(path: &Path) -> impl Fn(io::Error) -> DepotError + '_ {
    |error| DepotError::Io {
        path: path.to_owned(),
        error,
    }
}

/// Does the same to all items, some at once, and gives the results in their
/// order. After an error nothing new is begun.
pub(crate) fn for_all<T: Sync, R: Send>(
    items: &[T],
    act: impl Fn(&T) -> Result<R, DepotError> + Sync,
) -> Result<Vec<R>, DepotError> {
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let work = || {
        while !is_over.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else {
                return;
            };
            let result = act(item);
            is_over.fetch_or(result.is_err(), Ordering::Relaxed);
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            results.push((number, result));
        }
    };
    thread::scope(|scope| {
        (0..LANES.min(items.len())).for_each(|_| {
            scope.spawn(work);
        });
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|it| it.0);
    results.into_iter().map(|it| it.1).collect()
}
