//! Compares tantivy with our search on the first games of the corpus.

use anyhow::Result;
use tabiya_retrieval::{Collection, Hit, Query};

use crate::{
    Options,
    building::{self, Built},
    corpus::Corpus,
    latency,
    peer::{self, Peer},
    query::{self, Symmetries},
    table::{Table, count, ratio},
    timing::{Measured, Percentiles, Threads, measure},
};

/// Builds and queries both indexes, and prints the tables.
pub(crate) fn print(corpus: &Corpus, whole: &Built, options: &Options) -> Result<()> {
    let excerpt = Corpus::first(corpus.path(), Some(options.tantivy_games))?;
    let built;
    let ours = if excerpt.games() == corpus.games() {
        whole
    } else {
        built = building::build(&excerpt)?;
        &built
    };
    let collection = ours.open()?;
    let (peer, theirs) = peer::build(&collection)?;
    building::table(&[("tabiya", ours), ("tantivy", &theirs)])
        .titled(&format!(
            "Compared with tantivy, the first {} games",
            count(ours.games)
        ))
        .print(options.format());
    queries_table(&collection, &peer, options)?.print(options.format());
    Ok(())
}

fn queries_table(collection: &Collection, peer: &Peer, options: &Options) -> Result<Table> {
    let positions = query::draw(collection, options.queries, options.seed)?;
    let queries = query::all(&positions, options.top, Symmetries::None);
    let search = |it: &Query| Ok(collection.search(it)?);
    let one = measure(&queries, Threads::One, search)?;
    let all = measure(&queries, Threads::All, search)?;
    let translated = queries
        .iter()
        .map(|it| peer.query(it, collection.statistics()))
        .collect::<Result<Vec<_>>>()?;
    let theirs = measure(&translated, Threads::One, |it| peer.search(it, options.top))?;

    let mut table = latency::table(&format!(
        "Compared with tantivy, queries, top {}, warm, symmetry none",
        options.top
    ));
    table.row(latency::row("tabiya", Threads::One, &one.latencies));
    table.row(latency::row("tabiya", Threads::All, &all.latencies));
    table.row(latency::row("tantivy", Threads::One, &theirs.latencies));
    table.note(&verdict(&one, &theirs, options.top));
    Ok(table)
}

/// The ratio of the times, and the agreement of the answers.
fn verdict(ours: &Measured<Vec<Hit>>, theirs: &Measured<Vec<u64>>, top: usize) -> String {
    let [our, their] = [&ours.latencies, &theirs.latencies].map(|it| Percentiles::of(it));
    let agreement = Agreement::of(&ours.answers, &theirs.answers);
    format!(
        "Tantivy takes {} times as long at p50, {} at p95, {} at p99, one thread each. Its best {} \
         positions come from {:.0} different games on average; {:.1} % of these games are in our answer too.",
        ratio(their.p50, our.p50),
        ratio(their.p95, our.p95),
        ratio(their.p99, our.p99),
        count(peer::depth(top) as u64),
        agreement.games,
        100.0 * agreement.shared,
    )
}

/// The mean agreement of tantivy's answers with ours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Agreement {
    /// The number of games that tantivy finds.
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
