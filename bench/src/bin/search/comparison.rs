//! Compares tantivy and Lucene with our search on the first games of the corpus.

use anyhow::Result;
use tabiya_retrieval::{Collection, Hit, Query};

use crate::{
    Options,
    building::{self, Built},
    corpus::Corpus,
    latency,
    lucene::{self, Lucene, Way},
    peer,
    query::{self, Symmetries},
    table::{Table, count, ratio},
    timing::{Measured, Percentiles, Threads, measure},
};

/// What a peer answered to the first of the queries.
struct Answered {
    name: &'static str,
    built: Built,
    measured: Measured<Vec<u64>>,
}

/// Builds and queries all indexes, and prints the tables.
pub(crate) fn print(corpus: &Corpus, whole: &Built, options: &Options) -> Result<()> {
    let excerpt = Corpus::first(corpus.path(), Some(options.peer_games))?;
    let built;
    let ours = if excerpt.games() == corpus.games() {
        whole
    } else {
        built = building::build(&excerpt)?;
        &built
    };
    let collection = ours.open()?;
    let positions = query::draw(&collection, options.queries, options.seed)?;
    let queries = query::all(&positions, options.most(), Symmetries::None);
    let peers = peers(&collection, &queries, options)?;

    let indexes = peers.iter().map(|it| (it.name, &it.built));
    let indexes: Vec<_> = [("tabiya", ours)].into_iter().chain(indexes).collect();
    let title = format!(
        "Compared with others, the first {} games",
        count(ours.games)
    );
    building::table(&indexes)
        .titled(&title)
        .print(options.format());
    queries_table(&collection, &queries, &peers)?.print(options.format());
    Ok(())
}

/// Asks all peers, one after another.
fn peers(collection: &Collection, queries: &[Query], options: &Options) -> Result<Vec<Answered>> {
    let games = peer::games(collection)?;
    let statistics = collection.statistics();
    let mut peers = Vec::new();
    if !options.without_tantivy {
        let (tantivy, built) = peer::build(collection, &games)?;
        let translated = queries.iter().map(|it| tantivy.query(it, statistics));
        let translated = translated.collect::<Result<Vec<_>>>()?;
        let top = options.most();
        let measured = measure(&translated, Threads::One, |it| tantivy.search(it, top))?;
        peers.push(Answered {
            name: "tantivy",
            built,
            measured,
        });
    }
    if let Some(jars) = &options.lucene {
        let classes = lucene::compile(jars)?;
        for way in [Way::Pruned, Way::Payloads] {
            let place = (jars.as_str(), classes.path());
            let (mut lucene, built) = Lucene::build(way, place, collection, &games)?;
            // The paper's way takes about a second a query.
            let few = match way {
                Way::Pruned => queries,
                Way::Payloads => &queries[..options.few.min(queries.len())],
            };
            peers.push(Answered {
                name: way.name(),
                built,
                measured: lucene.measure(few, statistics)?,
            });
        }
    }
    Ok(peers)
}

fn queries_table(collection: &Collection, queries: &[Query], peers: &[Answered]) -> Result<Table> {
    let search = |it: &Query| Ok(collection.search(it)?);
    let one = measure(queries, Threads::One, search)?;
    let all = measure(queries, Threads::All, search)?;

    let top = queries.first().map_or(0, |it| it.top);
    let title = format!("Compared with others, queries, top {top}, warm, symmetry none");
    let mut table = latency::table(&title);
    table.row(latency::row("tabiya", Threads::One, &one.latencies));
    table.row(latency::row("tabiya", Threads::All, &all.latencies));
    for peer in peers {
        let taken = &peer.measured.latencies;
        table.row(latency::row(peer.name, Threads::One, taken));
    }
    for peer in peers {
        table.note(&verdict(peer, &one, top));
    }
    Ok(table)
}

/// The ratio of the times on the same queries, and the agreement of the answers.
fn verdict(peer: &Answered, ours: &Measured<Vec<Hit>>, top: usize) -> String {
    let Answered { name, measured, .. } = peer;
    let same = measured.latencies.len();
    let [our, their] = [&ours.latencies[..same], &measured.latencies].map(|it| Percentiles::of(it));
    let agreement = Agreement::of(&ours.answers, &measured.answers);
    format!(
        "{name}: {} times as long at p50, {} at p95, {} at p99 on the same {same} queries, one thread \
         each. Its best {} positions come from {:.0} different games on average; {:.1} % of these games \
         are in our answer too.",
        ratio(their.p50, our.p50),
        ratio(their.p95, our.p95),
        ratio(their.p99, our.p99),
        count(peer::depth(top) as u64),
        agreement.games,
        100.0 * agreement.shared,
    )
}

/// The mean agreement of a peer's answers with ours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Agreement {
    /// The number of games that it finds.
    games: f64,
    /// The share of them that our search finds too.
    shared: f64,
}

impl Agreement {
    fn of(ours: &[Vec<Hit>], theirs: &[Vec<u64>]) -> Agreement {
        let number = theirs.len().max(1) as f64;
        let mut agreement = Agreement::default();
        for (ours, theirs) in ours.iter().zip(theirs) {
            let is_ours = |game: &&u64| ours.iter().any(|it| it.game.0 == **game);
            let shared = theirs.iter().filter(is_ours).count() as f64;
            agreement.games += theirs.len() as f64 / number;
            agreement.shared += shared / theirs.len().max(1) as f64 / number;
        }
        agreement
    }
}
