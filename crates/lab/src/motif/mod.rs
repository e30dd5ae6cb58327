//! The motif benchmark: are puzzles that show the same motif found?
//!
//! A puzzle's position is the query, the other puzzles are the collection, and a
//! document is relevant as far as it shares the query's motifs. `docs/experiments.md`
//! has the rules and the figures.

mod benchmark;
mod grading;
mod ranker;
mod theme;

pub use benchmark::{Benchmark, Outcome, Sampling};
pub use grading::Grading;
pub use ranker::{Ranker, Study};
pub use theme::{MOTIFS, Motifs};
