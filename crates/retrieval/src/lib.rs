//! Similar positions, ranked and explained.
