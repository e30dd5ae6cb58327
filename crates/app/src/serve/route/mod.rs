//! The questions that can be asked, one a file.

pub(super) mod collections;
pub(super) mod compare;
pub(super) mod explain;
pub(super) mod explore;
pub(super) mod game;
pub(super) mod health;
pub(super) mod judgments;
pub(super) mod metrics;
pub(super) mod play;
pub(super) mod pool;
pub(super) mod search;
pub(super) mod traps;
