//! What the programs share on a terminal: how a position and a collection are given,
//! how boards, games and progress look, and how a program ends.

#![allow(clippy::print_stderr, reason = "this crate prints")]

// First, so that all the others can `say!`.
#[macro_use]
pub mod say;

pub mod board;
pub mod exit;
pub mod game;
pub mod json;
pub mod position;
pub mod progress;
pub mod sample;
pub mod screen;
pub mod style;
