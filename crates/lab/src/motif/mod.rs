//! The motif benchmark: are puzzles that show the same motif found?
//!
//! A puzzle's position is the query, the other puzzles are the collection, and a
//! document is relevant as far as it shares the query's motifs. `docs/experiments.md`
//! has the rules and the figures.

mod benchmark;
mod grading;
mod ranker;
mod theme;

pub(crate) use benchmark::{Benchmark, Outcome, Sampling};
pub(crate) use grading::Grading;
pub(crate) use ranker::{Ranker, Study};
pub(crate) use theme::{MOTIFS, Motifs};
