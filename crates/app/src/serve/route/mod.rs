//! Routes that are not questions, one file per route.

pub(super) mod access;
pub(super) mod analyze;
pub(super) mod collections;
pub(super) mod games;
pub(super) mod health;
pub(super) mod judgments;
pub(super) mod metrics;
pub(super) mod pool;
pub(super) mod training;
