//! How things look in a terminal, and as JSON.

pub(crate) mod board;
pub(crate) mod explorer;
pub(crate) mod game;
pub(crate) mod json;
pub(crate) mod style;
