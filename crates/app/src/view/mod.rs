//! How things look in a terminal, and as JSON.

#[macro_use]
pub(crate) mod say;

pub(crate) mod board;
pub(crate) mod explorer;
pub(crate) mod game;
pub(crate) mod json;
pub(crate) mod memory;
pub(crate) mod style;
pub(crate) mod traps;
