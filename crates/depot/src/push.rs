//! Push: upload a collection as the next generation of a depot.

use std::path::Path;

use tabiya_retrieval::{Collection, index::Segment};

use crate::{Depot, DepotError, Digest, Manifest, Transfer, shard::for_all};

/// The result of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// The generation that holds the collection.
    pub generation: u64,
    /// Whether it is new. If not, the current generation already held the collection.
    pub is_new: bool,
    /// Its manifest.
    pub manifest: Manifest,
}

impl Depot {
    /// Uploads a collection as the next generation of the depot. Shards that the depot
    /// already holds are not sent again, so an interrupted push continues where it stopped.
    /// Until the push is complete, the previous generation stays current.
    ///
    /// A push includes games and index, but not judgments and mined traps.
    ///
    /// # Errors
    ///
    /// When the collection cannot be read or the store fails.
    pub fn push(&self, folder: &Path, transfer: &Transfer) -> Result<Pushed, DepotError> {
        let collection = Collection::open(folder)?;
        let sizes = collection.segments().iter().map(|it| it.sizes().0);
        transfer.expect(sizes.sum());
        let put = |segment: &Segment| self.put_segment(segment, transfer);
        let shards = for_all(collection.segments(), put)?;
        let skip = collection.manifest().skip;
        let statistics = collection.statistics().to_bytes();
        let manifest = Manifest::new(skip, Digest::of(&statistics), shards);
        transfer.check()?;
        // Even if the generation exists: its statistics may have been lost.
        self.put(&manifest.statistics_name(), statistics)?;
        let current = match self.manifest(None) {
            Ok(current) => Some(current),
            Err(DepotError::NoGeneration { .. }) => None,
            Err(error) => return Err(error),
        };
        let held = current.filter(|it| it.1 == manifest).map(|it| it.0);
        let generation = match held {
            Some(generation) => generation,
            None => transfer.check().and_then(|()| self.announce(&manifest))?,
        };
        Ok(Pushed {
            generation,
            is_new: held.is_none(),
            manifest,
        })
    }
}
