//! The program as its user meets it: what is typed, printed and written, and the exit code.
//! Every test has a folder of its own, which is also the home of the cache.

mod contest;
mod manual;
mod retrieval;
mod self_play;
#[path = "../../../../tests/workspace.rs"]
mod workspace;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_tabiya-lab");
