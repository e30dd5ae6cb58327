//! Generations: published ones stay, and the highest number is current.

use std::collections::BTreeMap;

use tabiya_retrieval::{Statistics, index::StatisticsError};

use crate::{
    Depot, DepotError, Digest, Manifest, Object, ShardEntry, manifest::Unreadable, object::Objects,
};

const FOLDER: &str = "generations";
const ENDING: &str = ".json";

impl Depot {
    /// The numbers of all generations, the current one last.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached.
    pub fn generations(&self) -> Result<Vec<u64>, DepotError> {
        self.wait(generations(&self.objects))
    }

    /// The number and manifest of a generation; `None` selects the current one.
    ///
    /// # Errors
    ///
    /// When the generation does not exist, it is damaged, or the store cannot be reached.
    pub fn manifest(&self, generation: Option<u64>) -> Result<(u64, Manifest), DepotError> {
        let missing = || DepotError::NoGeneration {
            depot: self.address().to_owned(),
            generation,
        };
        let number = match generation {
            Some(number) => number,
            None => *self.generations()?.last().ok_or_else(missing)?,
        };
        let name = name_of(number);
        let bytes = self.get(&name).map_err(|error| match error {
            DepotError::Missing { .. } => missing(),
            error => error,
        })?;
        let manifest = Manifest::from_bytes(&bytes);
        let manifest = manifest.map_err(|why| self.objects.unreadable(&name, why))?;
        Ok((number, manifest))
    }

    /// The statistics that score all shards of a generation.
    ///
    /// # Errors
    ///
    /// When they are missing or damaged, or the store cannot be reached.
    pub fn statistics(&self, manifest: &Manifest) -> Result<Statistics, DepotError> {
        let name = manifest.statistics_name();
        let bytes = self.get(&name).map_err(|error| match error {
            DepotError::Missing { .. } => self.objects.incomplete(&name),
            error => error,
        })?;
        if Digest::of(&bytes) != manifest.statistics {
            let what = "its bytes do not match the digest in its name";
            return Err(self.objects.damaged(&name, what));
        }
        Statistics::from_bytes(&bytes).map_err(|error| {
            let why = match error {
                StatisticsError::Version { found } => Unreadable::OtherVersion(found.to_string()),
                error => Unreadable::Damaged(error.to_string()),
            };
            self.objects.unreadable(&name, why)
        })
    }

    /// Publishes shards in the depot as the next generation and returns its number.
    /// `statistics` covers all shards together; `skip` is their number of opening plies
    /// that are not indexed.
    ///
    /// # Errors
    ///
    /// When a shard is missing, the statistics do not match the shards, or the store fails.
    /// Then no generation is published.
    pub fn publish(
        &self,
        skip: u16,
        shards: Vec<ShardEntry>,
        statistics: &Statistics,
    ) -> Result<u64, DepotError> {
        let bytes = statistics.to_bytes();
        let manifest = Manifest::new(skip, Digest::of(&bytes), shards);
        if statistics.positions() != manifest.positions() {
            return Err(DepotError::Inconsistent(format!(
                "the statistics cover {} positions, but the shards have {}; merge the statistics of \
                 these shards",
                statistics.positions(),
                manifest.positions()
            )));
        }
        self.put(&manifest.statistics_name(), bytes)?;
        self.announce(&manifest)
    }

    /// Publishes a manifest as the next generation.
    pub(crate) fn announce(&self, manifest: &Manifest) -> Result<u64, DepotError> {
        self.wait(async {
            check_shards(&self.objects, manifest).await?;
            publish(&self.objects, manifest).await
        })
    }
}

fn name_of(generation: u64) -> String {
    format!("{FOLDER}/{generation:08}{ENDING}")
}

fn number_of(object: &Object) -> Option<u64> {
    let name = object.name.strip_prefix(FOLDER)?.strip_prefix('/')?;
    let number = name.strip_suffix(ENDING)?.parse().ok()?;
    // Objects with other names are not ours.
    (name_of(number) == object.name).then_some(number)
}

async fn generations(objects: &Objects) -> Result<Vec<u64>, DepotError> {
    let found = objects.list(FOLDER).await?;
    let mut numbers: Vec<u64> = found.iter().filter_map(number_of).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Checks that all shards of a manifest are in the depot.
async fn check_shards(objects: &Objects, manifest: &Manifest) -> Result<(), DepotError> {
    let there = objects.list("shards").await?;
    let there: BTreeMap<_, _> = there.into_iter().map(|it| (it.name, it.bytes)).collect();
    let absent = manifest.shards.iter().map(|it| (it.name(), it.bytes));
    match absent
        .into_iter()
        .find(|(name, bytes)| there.get(name) != Some(bytes))
    {
        None => Ok(()),
        Some((name, _)) => Err(DepotError::Missing(objects.place(&name))),
    }
}

/// Takes the next free number. If another client takes it first, tries the one after it,
/// so that concurrent publications all succeed.
async fn publish(objects: &Objects, manifest: &Manifest) -> Result<u64, DepotError> {
    let bytes = manifest.to_bytes();
    let mut last = generations(objects).await?.last().copied().unwrap_or(0);
    loop {
        let number = last.checked_add(1).ok_or_else(|| {
            let name = name_of(last);
            DepotError::Inconsistent(format!(
                "{name} has the highest possible number; delete it from the depot"
            ))
        })?;
        let name = name_of(number);
        if objects.put_new(&name, bytes.clone().into()).await? {
            return Ok(number);
        }
        last = number;
    }
}
