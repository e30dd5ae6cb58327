//! Tables of latencies, one row per series of queries.

use std::time::Duration;

use crate::{
    table::{Table, count, milliseconds},
    timing::{Percentiles, Threads},
};

/// An empty table of latencies.
pub(crate) fn table(title: &str) -> Table {
    Table::new(
        title,
        &["search", "threads", "queries", "p50 ms", "p95 ms", "p99 ms"],
    )
}

/// The row of a series.
pub(crate) fn row(name: &str, threads: Threads, taken: &[Duration]) -> Vec<String> {
    let mut row = vec![
        name.to_owned(),
        threads.to_string(),
        count(taken.len() as u64),
    ];
    row.extend(cells(Percentiles::of(taken)));
    row
}

/// The percentiles in milliseconds.
pub(crate) fn cells(percentiles: Percentiles) -> [String; 3] {
    let Percentiles { p50, p95, p99 } = percentiles;
    [p50, p95, p99].map(milliseconds)
}
