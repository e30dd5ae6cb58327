//! How answers look in a terminal, and as JSON.

pub(crate) mod explorer;
pub(crate) mod memory;
pub(crate) mod traps;
