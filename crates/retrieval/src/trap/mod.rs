//! Traps near a position: known ones, and those that players really fell into.
//!
//! [`near`] looks for traps that play like a position, proposes in it the move that
//! stands where the bait stands, and proves by search that this move loses before
//! it warns. [`Mine`] finds traps in a collection; [`Vault`] keeps them beside it.

mod mine;
mod near;
mod vault;

pub use mine::Mine;
pub use near::{Candidate, Origin, Pattern, Resemblance, judge, look, near};
pub use vault::{MinedTrap, Vault};

use crate::collection::{Collection, CollectionError};

/// The traps that were mined from a collection, as patterns; none if it was not mined.
pub fn mined_patterns(collection: &Collection) -> Result<Vec<Pattern>, CollectionError> {
    let vault = Vault::open(collection)?.unwrap_or_default();
    Ok(vault.traps.iter().map(Pattern::from).collect())
}
