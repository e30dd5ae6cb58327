//! Pulling: a generation of a depot becomes a collection.

use std::path::Path;

use tabiya_retrieval::{Statistics, collection::Delivery, index::Segment};

use crate::{Depot, DepotError, Manifest, ShardEntry, Transfer, shard::for_all};

/// What came of a pull.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// The generation.
    pub generation: u64,
    /// What it consists of.
    pub manifest: Manifest,
}

impl Depot {
    /// Makes a folder the collection that a generation holds; the current one
    /// if none is asked for. The folder must be new or empty, or hold what an
    /// earlier pull brought and nothing else.
    ///
    /// Shards that are there already are not fetched again, so a pull that was
    /// interrupted goes on where it stopped; until it is finished, the folder is
    /// the collection it was, or none.
    ///
    /// # Errors
    ///
    /// When there is no such generation, it is damaged, or something cannot be
    /// written.
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
            let what = "they are not those of the generation's shards";
            return Err(self.objects.damaged(&manifest.statistics_name(), what));
        }
        transfer.go_on()?;
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
        let what = "it does not hold what the manifest says";
        Err(self.objects.damaged(&shard.name(), what))
    }
}
