//! Tabiya: a memory for chess players.

fn main() {}
