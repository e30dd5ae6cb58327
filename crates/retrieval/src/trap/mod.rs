//! Traps near a position: known ones, and those that players really fell into.
//!
//! [`near`] looks for traps that play like a position, proposes in it the move that
//! stands where the bait stands, and proves by search that this move loses before
//! it warns. [`Mine`] finds traps in a collection; [`Vault`] keeps them beside it.

mod mine;
mod near;
mod vault;

pub use mine::Mine;
pub use near::{Candidate, Near, Origin, Pattern, judge, look, near};
pub use vault::{MinedTrap, Vault};
