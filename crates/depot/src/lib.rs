//! Collections in object storage: S3, compatible servers, or a folder.
//!
//! ```text
//! shards/<digest>.tabiya       immutable, named by the digest of their contents
//! statistics/<digest>          the statistics of all shards of a generation
//! generations/00000001.json    the manifest: an ordered list of shards
//! ```
//!
//! Only a manifest makes shards visible. It is written last, and only if its number is
//! free. An interrupted upload therefore leaves the previous generation in use, and of two
//! concurrent publications neither is lost: one gets the next number. The highest
//! generation is the current one; older ones remain.
//!
//! All calls block and wait for the network. Do not call them from an asynchronous task.
//!
//! ```
//! use std::path::Path;
//! use tabiya_chess::pgn::Input;
//! use tabiya_depot::{Depot, Transfer};
//! use tabiya_retrieval::{Collection, collection::{Import, Progress}};
//!
//! # let folder = tempfile::tempdir()?;
//! # let at = |name: &str| folder.path().join(name);
//! std::fs::write(at("games.pgn"), "1. e4 e5 2. Nf3 Nc6 *")?;
//! Import::new(vec![Input::File(at("games.pgn"))]).run(&at("here"), &Progress::default())?;
//!
//! let depot = Depot::open(&format!("file://{}", at("depot").display()))?;
//! let pushed = depot.push(&at("here"), &Transfer::default())?;
//! assert_eq!((pushed.generation, depot.generations()?), (1, vec![1]));
//!
//! depot.pull(None, &at("there"), &Transfer::default())?;
//! assert_eq!(Collection::open(&at("there"))?.games(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod address;
mod depot;
mod digest;
mod error;
mod generation;
mod manifest;
mod object;
mod pull;
mod push;
#[cfg(feature = "s3")]
mod s3;
#[cfg(not(feature = "s3"))]
#[path = "no_s3.rs"]
mod s3;
mod shard;
mod transfer;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use depot::Depot;
pub use digest::Digest;
pub use error::{DepotError, Place};
pub use manifest::{Manifest, ShardEntry};
pub use object::Object;
pub use pull::Pulled;
pub use push::Pushed;
pub use transfer::Transfer;
