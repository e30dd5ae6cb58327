//! The compiled half of the Python package `tabiya`.
//!
//! It is thin: questions come as the parameters of a request, answers leave as the
//! JSON that the server gives, and the Python half makes dataclasses of them. Work
//! is done without the interpreter's lock and stops at Ctrl-C ([`work`]); whatever
//! fails becomes an exception of `tabiya.errors` ([`fault`]).

mod ask;
mod collection;
mod depot;
mod fault;
mod index;
mod shard;
mod statistics;
mod work;

use pyo3::prelude::*;

/// What the Python half builds on.
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
