//! The manifest of a generation: its shards in order.

use serde::{Deserialize, Serialize};

use crate::Digest;

const FORMAT: &str = "tabiya depot";
const VERSION: u32 = 1;

/// The manifest of a generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    format: String,
    version: u32,
    /// The number of opening plies that are not indexed.
    pub skip: u16,
    /// The digest of the merged statistics of all shards.
    pub statistics: Digest,
    /// The shards in the order of their games.
    pub shards: Vec<ShardEntry>,
    /// The digest of the manifest written without this line.
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<Digest>,
}

/// A shard in a depot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardEntry {
    /// The digest of its bytes.
    pub digest: Digest,
    /// The size in bytes.
    pub bytes: u64,
    /// The number of games.
    pub games: u32,
    /// The number of indexed positions.
    pub positions: u64,
}

impl ShardEntry {
    /// The name of the object.
    pub fn name(&self) -> String {
        format!("shards/{}.tabiya", self.digest)
    }
}

impl Manifest {
    pub(crate) fn new(skip: u16, statistics: Digest, shards: Vec<ShardEntry>) -> Manifest {
        Manifest {
            format: FORMAT.to_owned(),
            version: VERSION,
            skip,
            statistics,
            shards,
            checksum: None,
        }
    }

    /// The name of the statistics object.
    pub fn statistics_name(&self) -> String {
        statistics_name(self.statistics)
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.shards.iter().map(|it| u64::from(it.games)).sum()
    }

    /// The number of indexed positions. The sum saturates, as in [`Manifest::bytes`], since
    /// a manifest may contain any numbers.
    pub fn positions(&self) -> u64 {
        let positions = self.shards.iter().map(|it| it.positions);
        positions.fold(0, u64::saturating_add)
    }

    /// The size of all shards in bytes.
    pub fn bytes(&self) -> u64 {
        let bytes = self.shards.iter().map(|it| it.bytes);
        bytes.fold(0, u64::saturating_add)
    }

    /// The shards, each with the number of its first game, counted from one.
    pub fn numbered(&self) -> impl Iterator<Item = (u64, &ShardEntry)> + '_ {
        let mut next = 1;
        self.shards.iter().map(move |shard| {
            let first_game = next;
            next += u64::from(shard.games);
            (first_game, shard)
        })
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut sealed = self.clone();
        sealed.checksum = Some(self.digest());
        sealed.text().into_bytes()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Manifest, Unreadable> {
        let damaged = |error: serde_json::Error| Unreadable::Damaged(error.to_string());
        // Check the version first: a newer manifest may have other fields.
        let value: serde_json::Value = serde_json::from_slice(bytes).map_err(damaged)?;
        if value["format"] != FORMAT {
            let what = "it is not the manifest of a tabiya depot";
            return Err(Unreadable::Damaged(what.to_owned()));
        }
        if value["version"] != VERSION {
            let found = value["version"].to_string();
            return Err(Unreadable::OtherVersion(found));
        }
        let mut manifest: Manifest = serde_json::from_value(value).map_err(damaged)?;
        let checksum = manifest.checksum.take();
        if checksum != Some(manifest.digest()) {
            return Err(Unreadable::Damaged("its checksum is wrong".to_owned()));
        }
        Ok(manifest)
    }

    fn digest(&self) -> Digest {
        Digest::of(self.text().as_bytes())
    }

    fn text(&self) -> String {
        // Serializing strings, numbers and lists cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// Why an object cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It has another format version, this one.
    OtherVersion(String),
    /// What is wrong with it.
    Damaged(String),
}

pub(crate) fn statistics_name(digest: Digest) -> String {
    format!("statistics/{digest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let shard = |number: u32| ShardEntry {
            digest: Digest::of(&number.to_le_bytes()),
            bytes: 1000,
            games: number,
            positions: 70,
        };
        Manifest::new(24, Digest::of(b"statistics"), vec![shard(3), shard(5)])
    }

    #[test]
    fn manifests_survive_a_round_trip() {
        let manifest = manifest();
        assert_eq!(
            Manifest::from_bytes(&manifest.to_bytes()),
            Ok(manifest.clone())
        );
        assert_eq!(
            (manifest.games(), manifest.positions(), manifest.bytes()),
            (8, 140, 2000)
        );
        let firsts: Vec<u64> = manifest.numbered().map(|it| it.0).collect();
        assert_eq!(firsts, [1, 4]);
    }

    #[test]
    fn no_damage_goes_unnoticed() {
        let sound = manifest().to_bytes();
        for at in 0..sound.len() {
            for bit in 0..8 {
                let mut bytes = sound.clone();
                bytes[at] ^= 1 << bit;
                // Other whitespace and uppercase hex digits have the same meaning.
                if let Ok(read) = Manifest::from_bytes(&bytes) {
                    assert_eq!(read, manifest(), "byte {at}, bit {bit}");
                }
            }
            assert!(Manifest::from_bytes(&sound[..at]).is_err(), "cut to {at}");
        }
    }

    #[test]
    fn invalid_manifests_are_rejected_with_a_reason() {
        #[track_caller]
        fn check(text: &str, reason: &str) {
            match Manifest::from_bytes(text.as_bytes()) {
                Err(Unreadable::Damaged(what)) => assert!(what.contains(reason), "{what}"),
                other => panic!("{other:?}"),
            }
        }
        check("", "EOF");
        check("{}", "not the manifest of a tabiya depot");
        check(r#"{"format":"tabiya depot","version":1}"#, "missing field");
        assert_eq!(
            Manifest::from_bytes(br#"{"format":"tabiya depot","version":2}"#),
            Err(Unreadable::OtherVersion("2".to_owned()))
        );
    }
}
