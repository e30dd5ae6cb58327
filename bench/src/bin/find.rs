//! Measures the search for patterns on a collection, beside its twin and beside CQL.
//!
//! ```text
//! cargo run --release --bin find -- QUERIES COLLECTION [PGN]
//! ```
//!
//! QUERIES has one JSON object a line with the fields `id` and `query`. Each query is asked three times, and the best
//! counts; the first one also verifies the checksums of what it reads. The twin looks at every position, on all cores
//! as well; it gets the first segments only (`TWIN=N` of them, two by default), and is compared with the planned search
//! of the same segments. Growth is the median over a quarter, a half and all of the segments. With `CQL=PROGRAM` in
//! the environment and a PGN file of the same games, CQL runs each query too.

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
    find::{FindQuery, Findings, find, find_exhaustively},
    search::Shard,
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
    let segments = std::env::var("TWIN").map_or(Ok(2), |it| it.parse::<usize>())?;
    let text = fs::read_to_string(queries)?;
    let queries = text.lines().map(serde_json::from_str::<Query>);
    let queries = queries.collect::<Result<Vec<_>, _>>()?;
    let collection = Collection::open(&folder)?;
    let shards = collection.shards();
    let few = &shards[..segments.min(shards.len())];
    println!(
        "{} games in {} segments, the twin with {}; {} threads",
        collection.games(),
        shards.len(),
        few.len(),
        rayon::current_num_threads()
    );
    println!(
        "{:<24} {:>9} {:>9} {:>9} {:>7} {:>8} {:>9} {:>9}",
        "query", "find ms", "part ms", "twin ms", "ratio", "CQL s", "windows", "positions"
    );
    let (mut planned, mut ratios) = (Vec::new(), Vec::new());
    let mut slower = Vec::new();
    for query in &queries {
        let pattern: Pattern = query.query.parse().with_context(|| query.query.clone())?;
        let (took, found) = best_of(&shards, &pattern)?;
        let (part, _) = best_of(few, &pattern)?;
        let twin = match few.is_empty() {
            true => Duration::ZERO,
            false => twin_of(few, &pattern, &query.query)?,
        };
        let ratio = twin.as_secs_f64() / part.as_secs_f64();
        let cql = match (&cql, &pgn) {
            (Some(cql), Some(pgn)) => {
                let took = run_cql(cql, pgn, &query.query)?;
                format!("{:.1}", took.as_secs_f64())
            }
            _ => "–".to_owned(),
        };
        println!(
            "{:<24} {:>9.2} {:>9.2} {:>9.2} {ratio:>7.1} {cql:>8} {:>9} {:>9}",
            query.id,
            millis(took),
            millis(part),
            millis(twin),
            found.steps.last().map_or(0, |it| it.windows),
            found.looked_at,
        );
        if part > twin && !few.is_empty() {
            slower.push(query.id.as_str());
        }
        planned.push(took);
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    if let (Some(least), Some(slowest)) = (ratios.first(), planned.iter().max()) {
        println!(
            "find: {}, slowest {slowest:.1?}",
            Latencies(planned.clone())
        );
        println!(
            "twin / find: least {least:.1}, median {:.1}",
            ratios[ratios.len() / 2]
        );
        let slower = if slower.is_empty() {
            "none".to_owned()
        } else {
            slower.join(", ")
        };
        println!("slower than the twin: {slower}");
        growth(&shards, &queries)?;
    }
    Ok(())
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The best time of three, and what was found.
fn best_of(shards: &[Shard<'_>], pattern: &Pattern) -> Result<(Duration, Findings)> {
    let query = FindQuery::new(pattern);
    let mut best = Duration::MAX;
    let mut found = Findings::default();
    for _ in 0..3 {
        let begin = Instant::now();
        found = find(shards, &query)?;
        best = best.min(begin.elapsed());
    }
    Ok((best, found))
}

/// The time of the twin, which must find the same.
fn twin_of(shards: &[Shard<'_>], pattern: &Pattern, text: &str) -> Result<Duration> {
    let query = FindQuery::new(pattern);
    let begin = Instant::now();
    let each = shards
        .par_iter()
        .map(|it| find_exhaustively(&[*it], &query));
    let twin = each.collect::<Result<Vec<_>, _>>()?.concat();
    let took = begin.elapsed();
    ensure!(
        twin == find(shards, &query)?.matches,
        "{text}: the plan and its twin differ"
    );
    Ok(took)
}

/// How the median grows with the number of games.
fn growth(shards: &[Shard<'_>], queries: &[Query]) -> Result<()> {
    for parts in [4, 2, 1] {
        let some = &shards[..shards.len().div_ceil(parts)];
        let mut times = Vec::new();
        for query in queries {
            times.push(best_of(some, &query.query.parse()?)?.0);
        }
        println!("{} segments: {}", some.len(), Latencies(times));
    }
    Ok(())
}

/// Runs CQL on a query; its output is thrown away.
fn run_cql(program: &Path, pgn: &Path, query: &str) -> Result<Duration> {
    let folder = tempfile::tempdir()?;
    let (file, output) = (
        folder.path().join("query.cql"),
        folder.path().join("found.pgn"),
    );
    fs::write(
        &file,
        format!(
            "cql(input {} output {})\n{query}\n",
            pgn.display(),
            output.display()
        ),
    )?;
    let begin = Instant::now();
    let status = Command::new(program).arg(&file).output()?.status;
    ensure!(status.success(), "CQL fails on {query}");
    Ok(begin.elapsed())
}
