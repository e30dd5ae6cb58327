//! Measures the search for patterns on a collection, beside its twin and beside CQL.
//!
//! ```text
//! cargo run --release --bin find -- QUERIES COLLECTION [PGN]
//! ```
//!
//! QUERIES has one JSON object a line with the fields `id` and `query`. Each query is asked twice, and the second time
//! counts; the first one also verifies the checksums of what it reads. The twin looks at every position, on all
//! cores as well. With `CQL=PROGRAM` in the environment and a PGN file of the same games, CQL runs each query too.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use rayon::prelude::*;
use serde::Deserialize;
use tabiya_bench::Latencies;
use tabiya_pattern::Pattern;
use tabiya_retrieval::{
    Collection,
    find::{FindQuery, find, find_exhaustively},
};

#[derive(Deserialize)]
struct Query {
    id: String,
    query: String,
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let usage = "give a file of queries, a collection, and for CQL the PGN file of its games";
    let queries = arguments.next().context(usage)?;
    let folder = arguments.next().context(usage)?;
    let pgn = arguments.next();
    let cql = std::env::var_os("CQL").map(PathBuf::from);
    let text = fs::read_to_string(queries)?;
    let queries = text.lines().map(serde_json::from_str::<Query>);
    let queries = queries.collect::<Result<Vec<_>, _>>()?;
    let collection = Collection::open(&folder)?;
    let (mut planned, mut twins) = (Vec::new(), Vec::new());
    let mut slower = Vec::new();
    println!("{} games, {} threads", collection.games(), rayon::current_num_threads());
    println!("{:<24} {:>9} {:>9} {:>9} {:>10} {:>10}", "query", "find ms", "twin ms", "CQL s", "windows", "positions");
    for query in &queries {
        let (took, twin, windows, looked_at) = measure(&collection, &query.query)?;
        let cql = match (&cql, &pgn) {
            (Some(cql), Some(pgn)) => format!("{:.1}", run_cql(cql, pgn, &query.query)?.as_secs_f64()),
            _ => "–".to_owned(),
        };
        println!(
            "{:<24} {:>9.1} {:>9.1} {cql:>9} {windows:>10} {looked_at:>10}",
            query.id,
            millis(took),
            millis(twin)
        );
        if took > twin {
            slower.push(query.id.as_str());
        }
        planned.push(took);
        twins.push(twin);
    }
    println!("find: {}", Latencies(planned));
    println!("twin: {}", Latencies(twins));
    println!("slower than the twin: {}", if slower.is_empty() { "none".to_owned() } else { slower.join(", ") });
    Ok(())
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The times of the planned search and of the twin, the windows that were left, and the positions that were looked at.
fn measure(collection: &Collection, text: &str) -> Result<(Duration, Duration, u64, u64)> {
    let pattern: Pattern = text.parse().with_context(|| text.to_owned())?;
    let query = FindQuery::new(&pattern);
    let shards = collection.shards();
    find(&shards, &query)?;
    let begin = Instant::now();
    let found = find(&shards, &query)?;
    let took = begin.elapsed();
    let begin = Instant::now();
    let each = shards.par_iter().map(|it| find_exhaustively(&[*it], &query));
    let twin = each.collect::<Result<Vec<_>, _>>()?;
    let twin_took = begin.elapsed();
    let games: usize = twin.iter().map(Vec::len).sum();
    ensure!(games == found.matches.len(), "{text}: {games} games by the twin, {} planned", found.matches.len());
    let windows = found.steps.last().map_or(0, |it| it.windows);
    Ok((took, twin_took, windows, found.looked_at))
}

/// Runs CQL on a query; its output is thrown away.
fn run_cql(program: &Path, pgn: &Path, query: &str) -> Result<Duration> {
    let folder = tempfile::tempdir()?;
    let (file, output) = (folder.path().join("query.cql"), folder.path().join("found.pgn"));
    fs::write(&file, format!("cql(input {} output {})\n{query}\n", pgn.display(), output.display()))?;
    let begin = Instant::now();
    let status = Command::new(program).arg(&file).output()?.status;
    ensure!(status.success(), "CQL fails on {query}");
    Ok(begin.elapsed())
}
