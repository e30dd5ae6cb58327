//! What is not a question: one address a file.

pub(super) mod collections;
pub(super) mod health;
pub(super) mod judgments;
pub(super) mod metrics;
pub(super) mod pool;
