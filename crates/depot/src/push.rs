//! Pushing: a collection becomes the next generation of a depot.

use std::path::Path;

use tabiya_retrieval::{Collection, index::Segment};

use crate::{Depot, DepotError, Digest, Manifest, Transfer, shard::for_all};

/// What came of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// The generation that holds the collection.
    pub generation: u64,
    /// Whether it is new; otherwise the depot's current one is the same.
    pub is_new: bool,
    /// What it consists of.
    pub manifest: Manifest,
}

impl Depot {
    /// Puts a collection into the depot as its next generation. Shards that are
    /// there already are not sent again, so a push that was interrupted goes on
    /// where it stopped; until it is finished, the generation before it counts.
    ///
    /// Only games and index are sent, not judgments and mined traps.
    ///
    /// # Errors
    ///
    /// When the collection cannot be read or the store refuses something.
    pub fn push(&self, folder: &Path, transfer: &Transfer) -> Result<Pushed, DepotError> {
        let collection = Collection::open(folder)?;
        let sizes = collection.segments().iter().map(|it| it.sizes().0);
        transfer.expect(sizes.sum());
        let put = |segment: &Segment| self.put_segment(segment, transfer);
        let shards = for_all(collection.segments(), put)?;
        let skip = collection.manifest().skip;
        let statistics = collection.statistics().to_bytes();
        let manifest = Manifest::new(skip, Digest::of(&statistics), shards);
        transfer.go_on()?;
        // Also if the generation is there already: they may have been lost.
        self.put(&manifest.statistics_name(), statistics)?;
        let current = match self.manifest(None) {
            Ok(current) => Some(current),
            Err(DepotError::NoGeneration { .. }) => None,
            Err(error) => return Err(error),
        };
        if let Some((generation, _)) = current.filter(|it| it.1 == manifest) {
            return Ok(Pushed {
                generation,
                is_new: false,
                manifest,
            });
        }
        transfer.go_on()?;
        let generation = self.announce(&manifest)?;
        Ok(Pushed {
            generation,
            is_new: true,
            manifest,
        })
    }
}
