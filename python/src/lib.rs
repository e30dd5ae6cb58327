//! The compiled half of the Python package `tabiya`.
//!
//! This layer is thin: questions arrive as the parameters of an HTTP request, answers
//! leave as the server's JSON, and the Python half turns them into dataclasses. Work runs
//! without the interpreter lock and stops at Ctrl-C ([`work`]); errors become exceptions
//! of `tabiya.errors` ([`exception`]).

mod ask;
mod collection;
mod depot;
mod exception;
mod index;
mod shard;
mod statistics;
mod work;

use pyo3::prelude::*;

/// The functions and classes behind the Python half.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::ask::{ask, check, merge, paths, questions};
    #[pymodule_export]
    use super::collection::Collection;
    #[pymodule_export]
    use super::depot::Depot;
    #[pymodule_export]
    use super::index::{build_shards, index};
    #[pymodule_export]
    use super::shard::{Shard, ShardGroup};
    #[pymodule_export]
    use super::statistics::Statistics;
}
