//! Measures speed and size of the search. Builds a collection from a PGN file, queries it with
//! positions of its own games, and compares it with its exhaustive twin, with tantivy and, given
//! its jars, with Lucene, all in one run.
//!
//! ```text
//! cargo run --release --bin search -- games.pgn.zst --slope --lucene lucene-core.jar:lucene-queries.jar
//! ```
//!
//! Queries are warm: each runs once before it is timed. Ratios compare one thread with one
//! thread over the same queries.

mod building;
mod comparison;
mod corpus;
mod latency;
mod lucene;
mod peer;
mod query;
mod setting;
mod slope;
mod table;
mod timing;
mod work;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Parser;
use tabiya_retrieval::{Collection, Hit, Query, search::search_exhaustively};

use corpus::Corpus;
use query::Symmetries;
use table::{Format, Table, ratio};
use timing::{Percentiles, Threads, measure, measure_once};

/// Measure building and searching a collection, compared with its exhaustive twin, tantivy and Lucene
#[derive(Debug, Parser)]
#[command(name = "search")]
struct Options {
    /// PGN file, plain or compressed
    #[arg(default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../sample/sample.pgn.zst"))]
    pgn: PathBuf,

    /// Number of queries
    #[arg(long, default_value_t = 200)]
    queries: usize,

    /// Seed that draws the queries
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Numbers of games per answer; peers and growth are measured with the last one
    #[arg(long, value_delimiter = ',', default_value = "10,200")]
    top: Vec<usize>,

    /// Number of games to use [default: all]
    #[arg(long, value_name = "N")]
    games: Option<usize>,

    /// Number of queries for what is slow: the exhaustive twin, and Lucene with payloads
    #[arg(long, value_name = "N", default_value_t = 20)]
    few: usize,

    /// Skip tantivy
    #[arg(long)]
    without_tantivy: bool,

    /// Class path of the jars of lucene-core and lucene-queries 8; without it, Lucene is left out
    #[arg(long, value_name = "JARS", env = "LUCENE")]
    lucene: Option<String>,

    /// Number of games for the comparison with tantivy and Lucene
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    peer_games: usize,

    /// Measure growth over collections of 2,000 games, 10,000, 50,000 and so on
    #[arg(long)]
    slope: bool,

    /// Print Markdown
    #[arg(long)]
    markdown: bool,

    /// Directory in which to build the collection and print its time and memory
    #[arg(long, value_name = "DIR", hide = true)]
    build_into: Option<PathBuf>,
}

impl Options {
    /// The number of games per answer for peers and growth.
    fn most(&self) -> usize {
        self.top.last().copied().unwrap_or(Query::TOP)
    }

    fn format(&self) -> Format {
        if self.markdown {
            Format::Markdown
        } else {
            Format::Terminal
        }
    }
}

fn main() -> Result<()> {
    let options = Options::parse();
    if let Some(folder) = &options.build_into {
        return building::build_here(&options.pgn, folder);
    }
    ensure!(options.queries > 0, "--queries must be at least 1");
    let format = options.format();

    let corpus = Corpus::first(&options.pgn, options.games)?;
    let built = building::build(&corpus)?;
    let collection = built.open()?;
    setting::print(&corpus, &collection, format);
    building::table(&[("tabiya", &built)]).print(format);

    work::sizes(&collection).print(format);

    for &top in &options.top {
        queries_table(&collection, top, &options)?.print(format);
    }
    work::table(&collection, &options)?.print(format);
    if !options.without_tantivy || options.lucene.is_some() {
        comparison::print(&corpus, &built, &options)?;
    }
    if options.slope {
        let ask = |collection: &_| query::draw(collection, options.queries, options.seed);
        slope::table(&corpus, &built, options.most(), ask)?.print(format);
    }
    Ok(())
}

/// The latencies of the search and of its exhaustive twin.
fn queries_table(collection: &Collection, top: usize, options: &Options) -> Result<Table> {
    let positions = query::draw(collection, options.queries, options.seed)?;
    let plain = query::all(&positions, top, Symmetries::None);
    let swapped = query::all(&positions, top, Symmetries::Swap);
    let search = |it: &Query| Ok(collection.search(it)?);

    let mut table = latency::table(&format!("Queries, top {top}, warm"));
    let one = measure(&plain, Threads::One, search)?;
    table.row(latency::row("symmetry none", Threads::One, &one.latencies));
    let all = measure(&plain, Threads::All, search)?;
    table.row(latency::row("symmetry none", Threads::All, &all.latencies));
    let both = measure(&swapped, Threads::All, search)?;
    table.row(latency::row("symmetry swap", Threads::All, &both.latencies));

    let few = &plain[..options.few.min(plain.len())];
    if !few.is_empty() {
        let exhaustive = |it: &Query| {
            let shards = collection.shards();
            Ok(search_exhaustively(&shards, it, collection.statistics())?)
        };
        let twin = measure_once(few, Threads::One, exhaustive)?;
        table.row(latency::row(
            "exhaustive twin",
            Threads::One,
            &twin.latencies,
        ));
        let [slow, fast] =
            [&twin.latencies, &one.latencies[..few.len()]].map(|it| Percentiles::of(it).p50);
        check_same(&twin.answers, &one.answers)?;
        table.note(&format!(
            "The twin returns the same hits bit for bit and takes {} times as long as the pruned \
             search on the same {} {}, one thread each.",
            ratio(slow, fast),
            few.len(),
            if few.len() == 1 { "query" } else { "queries" },
        ));
    }
    Ok(table)
}

fn check_same(exhaustive: &[Vec<Hit>], pruned: &[Vec<Hit>]) -> Result<()> {
    for (number, (slow, fast)) in exhaustive.iter().zip(pruned).enumerate() {
        ensure!(
            slow == fast,
            "query {number}: the pruned search and its exhaustive twin disagree; this is a bug"
        );
    }
    Ok(())
}
