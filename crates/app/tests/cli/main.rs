//! The program as its user meets it: what is typed, what is printed, what is
//! left on disk, and the exit code. Every test has a folder of its own, which
//! is also the home of the cache.

mod base;
mod cases;
mod damage;
mod depot;
mod get;
mod index;
mod kill;
mod manual;
mod program;
mod search;
mod serve;
mod store;
#[path = "../../../../tests/workspace.rs"]
mod workspace;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_tabiya");
