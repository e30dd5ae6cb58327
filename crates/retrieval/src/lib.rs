//! Similar positions, ranked and explained.

pub mod collection;
pub mod index;
pub mod rank;
pub mod search;
pub mod statistics;
pub mod term;

#[cfg(test)]
mod testing;
