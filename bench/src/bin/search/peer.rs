//! Tantivy on the same documents, in its best configuration.
//!
//! Tantivy's postings hold no weights. A piece that could reach a square at distance 3 is
//! therefore another term, `Nc3~3`, than one on the square, `Nc3`, and a query asks for all of
//! them with boosts. The boosts also turn tantivy's inverse document frequencies into ours,
//! which cover all distances together. Then k1, b and the formula are the same, except that
//! tantivy rounds lengths to one byte. The field has frequencies (always one), since tantivy
//! prunes (block-max WAND) only with them. Game and ply are columns, which are faster to read
//! than stored documents.

use std::{collections::BTreeSet, fmt::Write, time::Instant};

use anyhow::{Context, Result, ensure};
use shakmaty::{Board, Position};
use tabiya_chess::Game;
use tabiya_retrieval::{
    Collection, GameNumber, Query, Statistics,
    index::FormatError,
    rank::Scorer,
    search::Filter,
    term::{Encoding, Family},
};
use tantivy::{
    Index, IndexWriter, Searcher, TantivyDocument, Term,
    collector::TopDocs,
    columnar::Column,
    indexer::{NoMergePolicy, UserOperation},
    query::{BooleanQuery, BoostQuery, TermQuery},
    schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions},
};
use tempfile::TempDir;

use crate::building::Built;

/// The number of indexing threads, and the bytes they buffer before they write a segment.
const INDEXING_THREADS: usize = 2;
const INDEXING_MEMORY: usize = 1 << 30;

/// The greatest distance at which a piece reaches a square.
const FARTHEST: u32 = 7;

/// The number of positions to request. Tantivy ranks positions, not games, so it takes more
/// positions to find enough different games.
pub(crate) fn depth(top: usize) -> usize {
    5 * top
}

/// An open tantivy index.
pub(crate) struct Peer {
    terms: Field,
    searcher: Searcher,
    /// The game of each document.
    games: Column<u64>,
}

#[derive(Clone, Copy)]
struct Fields {
    terms: Field,
    game: Field,
    ply: Field,
}

/// All games of a collection with their numbers.
pub(crate) fn games(collection: &Collection) -> Result<Vec<(GameNumber, Game)>> {
    let mut games = Vec::new();
    collection.for_each_game(&Filter::default(), |number, game| {
        games.push((number, game));
        Ok::<_, FormatError>(())
    })?;
    Ok(games)
}

/// The positions of a game that are documents, with their plies.
pub(crate) fn boards(game: &Game, skip: usize) -> impl Iterator<Item = (usize, Board)> + '_ {
    let first = if game.setup.is_some() { 0 } else { skip };
    game.boards().enumerate().skip(first)
}

/// Builds an index over the positions of a collection, in one segment.
pub(crate) fn build(
    collection: &Collection,
    games: &[(GameNumber, Game)],
) -> Result<(Peer, Built)> {
    let folder = TempDir::new()?;
    let (schema, fields) = schema();
    let index = Index::create_in_dir(folder.path(), schema)?;

    let begin = Instant::now();
    let skip = collection.manifest().skip.into();
    let positions = write(&index, fields, games, skip)?;
    let took = begin.elapsed();
    ensure!(
        positions == collection.positions(),
        "tantivy has {positions} documents, but the collection has {} positions",
        collection.positions()
    );
    let built = Built {
        folder,
        games: collection.games(),
        positions,
        took,
        peak: None,
    };
    Ok((Peer::open(&index, fields)?, built))
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("whitespace")
        .set_index_option(IndexRecordOption::WithFreqs);
    let terms = TextOptions::default().set_indexing_options(indexing);
    let fields = Fields {
        terms: schema.add_text_field("terms", terms),
        game: schema.add_u64_field("game", FAST),
        ply: schema.add_u64_field("ply", FAST),
    };
    (schema.build(), fields)
}

/// Adds all games and merges the segments into one.
fn write(index: &Index, fields: Fields, games: &[(GameNumber, Game)], skip: usize) -> Result<u64> {
    let mut writer: IndexWriter =
        index.writer_with_num_threads(INDEXING_THREADS, INDEXING_MEMORY)?;
    writer.set_merge_policy(Box::new(NoMergePolicy));
    let mut positions = 0;
    for (number, game) in games {
        let documents: Vec<_> = boards(game, skip)
            .map(|(ply, board)| UserOperation::Add(document(fields, *number, ply, &board)))
            .collect();
        positions += documents.len() as u64;
        writer.run(documents)?;
    }
    writer.commit()?;
    let segments = index.searchable_segment_ids()?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
    }
    writer.garbage_collect_files().wait()?;
    writer.wait_merging_threads()?;
    Ok(positions)
}

/// The terms of a document, each with its distance.
pub(crate) fn text(board: &Board) -> String {
    let mut text = String::new();
    for (term, weight) in Encoding::of_document(board).iter() {
        let distance = u32::from(64 - weight.sixty_fourths()) / 7;
        text.push_str(&token(term, distance));
        text.push(' ');
    }
    text
}

/// The terms of a query, each with what it adds: one for each distance.
pub(crate) fn gains(query: &Query, statistics: &Statistics) -> Vec<(String, f64)> {
    let scorer = Scorer::new(query.position.board(), &query.ranking, statistics);
    let mut gains = Vec::new();
    for &(term, gain) in scorer.gains() {
        let is_place = term.family() == Family::Place;
        let farthest = if is_place { FARTHEST } else { 0 };
        gains.extend((0..=farthest).map(|distance| {
            let weight = 1.0 - 7.0 * f64::from(distance) / 64.0;
            (token(term, distance), gain * weight)
        }));
    }
    gains
}

fn document(fields: Fields, game: GameNumber, ply: usize, board: &Board) -> TantivyDocument {
    let mut document = TantivyDocument::new();
    document.add_text(fields.terms, text(board));
    document.add_u64(fields.game, game.0);
    document.add_u64(fields.ply, ply as u64);
    document
}

/// The term as text: `Nc3` for a knight on the square, `Nc3~2` for one at distance two.
fn token(term: tabiya_retrieval::term::Term, distance: u32) -> String {
    let mut token = term.to_string();
    if distance > 0 {
        // Writing to a string cannot fail.
        let _ = write!(token, "~{distance}");
    }
    token
}

impl Peer {
    fn open(index: &Index, fields: Fields) -> Result<Peer> {
        let searcher = index.reader()?.searcher();
        let [segment] = searcher.segment_readers() else {
            anyhow::bail!(
                "tantivy left {} segments instead of one",
                searcher.segment_readers().len()
            );
        };
        let games = segment.fast_fields().u64("game")?;
        Ok(Peer {
            terms: fields.terms,
            games,
            searcher,
        })
    }

    /// Translates our query. Skips terms that occur nowhere, since a single one disables
    /// tantivy's pruning.
    pub(crate) fn query(&self, query: &Query, statistics: &Statistics) -> Result<BooleanQuery> {
        let mut clauses = Vec::new();
        for (token, gain) in gains(query, statistics) {
            let word = Term::from_field_text(self.terms, &token);
            clauses.extend(self.clause(word, gain)?);
        }
        Ok(BooleanQuery::union(clauses))
    }

    /// A term that adds `gain` times tantivy's norm to the score.
    fn clause(&self, term: Term, gain: f64) -> Result<Option<Box<dyn tantivy::query::Query>>> {
        let frequency = self.searcher.doc_freq(&term)? as f64;
        if frequency == 0.0 {
            return Ok(None);
        }
        let all = self.searcher.num_docs() as f64;
        let own = (1.0 + (all - frequency + 0.5) / (frequency + 0.5)).ln();
        let plain = TermQuery::new(term, IndexRecordOption::WithFreqs);
        let boosted = BoostQuery::new(Box::new(plain), (gain / own) as f32);
        Ok(Some(Box::new(boosted)))
    }

    /// The games of the best positions, each once, best first.
    pub(crate) fn search(&self, query: &BooleanQuery, top: usize) -> Result<Vec<u64>> {
        let best = TopDocs::with_limit(depth(top)).order_by_score();
        let mut seen = BTreeSet::new();
        let mut games = Vec::with_capacity(top);
        for (_, address) in self.searcher.search(query, &best)? {
            let game = self
                .games
                .first(address.doc_id)
                .with_context(|| format!("document {} has no game", address.doc_id))?;
            if games.len() < top && seen.insert(game) {
                games.push(game);
            }
        }
        Ok(games)
    }
}
