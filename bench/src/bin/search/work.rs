//! What does not depend on the machine: what a query has to do, and the bytes of each part.

use std::collections::BTreeMap;

use anyhow::Result;
use tabiya_retrieval::{
    Collection, Query,
    search::{Work, search_and_count},
};

use crate::{
    Options,
    query::{self, Symmetries},
    table::{Table, count},
};

/// The means of what the queries do.
pub(crate) fn table(collection: &Collection, options: &Options) -> Result<Table> {
    let header = [
        "search",
        "windows summed",
        "windows replayed",
        "positions scored",
    ];
    let mut table = Table::new("Work, means of all queries", &header);
    let positions = query::draw(collection, options.queries, options.seed)?;
    for &top in &options.top {
        for (name, symmetries) in [("none", Symmetries::None), ("swap", Symmetries::Swap)] {
            let queries = query::all(&positions, top, symmetries);
            let work = work_of(collection, &queries)?;
            let mean = |it: u64| count(it / queries.len().max(1) as u64);
            table.row(vec![
                format!("top {top}, symmetry {name}"),
                mean(work.windows_summed),
                mean(work.windows_scored),
                mean(work.positions_scored),
            ]);
        }
    }
    Ok(table)
}

fn work_of(collection: &Collection, queries: &[Query]) -> Result<Work> {
    let shards = collection.shards();
    let mut work = Work::default();
    for query in queries {
        work = work + search_and_count(&shards, query, collection.statistics())?.1;
    }
    Ok(work)
}

/// The bytes of each part of the segments.
pub(crate) fn sizes(collection: &Collection) -> Table {
    let mut parts = BTreeMap::<&str, u64>::new();
    let mut all = 0;
    for segment in collection.segments() {
        let (bytes, sizes) = segment.sizes();
        all += bytes;
        for (part, size) in sizes {
            *parts.entry(part).or_default() += size;
        }
    }
    let mut rows: Vec<(&str, u64)> = parts.into_iter().filter(|it| it.1 > 0).collect();
    rows.sort_by_key(|it| std::cmp::Reverse(it.1));
    rows.push(("all, with checksums", all));
    let mut table = Table::new("Size", &["part", "bytes", "bytes/position"]);
    for (part, bytes) in rows {
        let each = bytes as f64 / collection.positions().max(1) as f64;
        table.row(vec![part.to_owned(), count(bytes), format!("{each:.2}")]);
    }
    table
}
