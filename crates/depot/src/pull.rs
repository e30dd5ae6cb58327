//! Pull: download a generation of a depot as a collection.

use std::path::Path;

use tabiya_retrieval::{Statistics, collection::Delivery, index::Segment};

use crate::{Depot, DepotError, Manifest, ShardEntry, Transfer, shard::for_all};

/// The result of a pull.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// The generation.
    pub generation: u64,
    /// Its manifest.
    pub manifest: Manifest,
}

impl Depot {
    /// Downloads a generation into a folder; `None` selects the current one. The folder
    /// must be new or empty, or hold only an earlier pull.
    ///
    /// Shards that the folder already has are not fetched again, so an interrupted pull
    /// continues where it stopped. Until the pull is complete, the folder holds the
    /// previous collection, or none.
    ///
    /// # Errors
    ///
    /// When the generation does not exist, it is damaged, or a file cannot be written.
    pub fn pull(
        &self,
        generation: Option<u64>,
        folder: &Path,
        transfer: &Transfer,
    ) -> Result<Pulled, DepotError> {
        let (generation, manifest) = self.manifest(generation)?;
        let statistics = self.statistics(&manifest)?;
        let delivery = Delivery::open(folder)?;
        transfer.expect(manifest.bytes());
        let fetch = |shard: &ShardEntry| self.fetch_segment(shard, folder, transfer);
        let segments = for_all(&manifest.shards, fetch)?;
        if Statistics::of(&segments)? != statistics {
            let what = "it does not match the shards of the generation";
            return Err(self.objects.damaged(&manifest.statistics_name(), what));
        }
        transfer.check()?;
        delivery.finish(manifest.skip, &segments)?;
        Ok(Pulled {
            generation,
            manifest,
        })
    }

    fn fetch_segment(
        &self,
        shard: &ShardEntry,
        folder: &Path,
        transfer: &Transfer,
    ) -> Result<Segment, DepotError> {
        let segment = Segment::open(&self.get_shard(shard, folder, transfer)?)?;
        let found = segment.summary();
        if (found.games, found.positions) == (shard.games, shard.positions) {
            return Ok(segment);
        }
        let what = "its contents differ from the manifest";
        Err(self.objects.damaged(&shard.name(), what))
    }
}
