//! Terminal code that the programs share: arguments for positions and collections; output
//! of boards, games and progress; completions and manual pages; and exit codes.

#![allow(clippy::print_stderr, reason = "this crate prints")]

// First, so that the other modules can use `say!`.
#[macro_use]
pub mod say;

pub mod board;
pub mod cache;
pub mod completions;
pub mod data;
pub mod exit;
pub mod game;
pub mod help;
pub mod json;
pub mod man;
pub mod position;
pub mod progress;
pub mod sample;
pub mod screen;
pub mod style;
