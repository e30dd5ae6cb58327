//! Similar positions, ranked and explained.

pub mod term;

#[cfg(test)]
mod testing;
