//! Uploads and downloads shards, and checks them at both ends.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use bytes::Bytes;
use rayon::{ThreadPoolBuilder, prelude::*};
use tabiya_retrieval::{
    collection::Delivery,
    index::{Segment, Summary},
    shard,
};
use xxhash_rust::xxh3::Xxh3;

use crate::{Depot, DepotError, Digest, ShardEntry, Transfer, object::PART};

/// The number of shards transferred at once.
const LANES: usize = 4;

impl Depot {
    /// Uploads a shard unless the depot already holds it. It joins a generation when one
    /// is published.
    ///
    /// # Errors
    ///
    /// When the file is not an undamaged shard, or the store fails.
    pub fn put_shard(&self, path: &Path, transfer: &Transfer) -> Result<ShardEntry, DepotError> {
        self.put_segment(&shard::open(path)?, transfer)
    }

    /// Uploads an open shard, which stays readable whatever happens to its file.
    pub(crate) fn put_segment(
        &self,
        segment: &Segment,
        transfer: &Transfer,
    ) -> Result<ShardEntry, DepotError> {
        transfer.check()?;
        // Do not upload a damaged shard.
        segment.check()?;
        let bytes = Bytes::copy_from_slice(segment.bytes());
        let entry = entry_of(&bytes, segment.summary());
        let name = entry.name();
        let known = transfer.unless_canceled(self.objects.size(&name));
        if self.wait(known)? == Some(entry.bytes) {
            transfer.skip(entry.bytes);
        } else {
            self.wait(self.objects.put_in_parts(&name, bytes, transfer))?;
        }
        Ok(entry)
    }

    /// Downloads a shard into a folder unless it is already there. The file gets its name
    /// when it is complete, checked and synced.
    ///
    /// # Errors
    ///
    /// When the shard is missing or damaged, or cannot be written.
    pub fn get_shard(
        &self,
        shard: &ShardEntry,
        folder: &Path,
        transfer: &Transfer,
    ) -> Result<PathBuf, DepotError> {
        transfer.check()?;
        let path = Delivery::segment(folder, shard.digest.to_bits());
        if is_there(&path, shard) {
            transfer.skip(shard.bytes);
            return Ok(path);
        }
        let part = Delivery::part(folder, shard.digest.to_bits());
        let fetched = self.fetch(shard, &part, transfer);
        let placed = fetched.and_then(|()| fs::rename(&part, &path).map_err(failed(&path)));
        if placed.is_err() {
            // Remove the incomplete file; the disk may be full.
            let _ = fs::remove_file(&part);
        }
        placed.map(|()| path)
    }

    fn fetch(&self, shard: &ShardEntry, to: &Path, transfer: &Transfer) -> Result<(), DepotError> {
        let name = shard.name();
        match self.wait(transfer.unless_canceled(self.objects.size(&name)))? {
            Some(size) if size == shard.bytes => {}
            Some(size) => {
                let what = format!("it has {size} bytes instead of {}", shard.bytes);
                return Err(self.objects.damaged(&name, what));
            }
            None => return Err(self.objects.incomplete(&name)),
        }
        let mut file = File::create(to).map_err(failed(to))?;
        let mut hash = Xxh3::new();
        for start in (0..shard.bytes).step_by(PART) {
            let range = start..shard.bytes.min(start + PART as u64);
            let bytes = self.objects.get_range(&name, range);
            let bytes = self.wait(transfer.unless_canceled(bytes))?;
            file.write_all(&bytes).map_err(failed(to))?;
            hash.update(&bytes);
            transfer.advance(bytes.len() as u64);
        }
        if Digest::of_hash(&hash) != shard.digest {
            let what = "its bytes do not match the digest in its name";
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

/// Applies a function to all items, several at a time, and returns the results in order.
/// After an error, no further item is started.
pub(crate) fn for_all<T: Sync, R: Send>(
    items: &[T],
    act: impl Fn(&T) -> Result<R, DepotError> + Send + Sync,
) -> Result<Vec<R>, DepotError> {
    let lanes = ThreadPoolBuilder::new().num_threads(LANES).build();
    let lanes = lanes.map_err(|error| DepotError::threads(io::Error::other(error)))?;
    lanes.install(|| items.par_iter().with_max_len(1).map(act).collect())
}
