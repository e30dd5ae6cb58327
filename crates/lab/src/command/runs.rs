//! `tabiya-lab runs`: run files and pools for judging.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use shakmaty::Chess;
use tabiya_chess::position;
use tabiya_retrieval::{Collection, Hit, Run, run};
use tabiya_terminal::{json, progress::grouped, sample::Database, style};

use super::queries::read_positions;
use super::report::{Folder, Provenance};
use super::steps::Steps;
use crate::{
    run_file::{Retrieved, RunFile, document},
    run_variant::past_openings,
};

/// Answer a file of queries by every run; write TREC files and the pool to judge.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  tabiya-lab runs --db my-games --queries positions.fen --out results

Writes NAME.run for the paper's six runs and ours, and pool.tsv: the positions to judge. As in the
paper, these are the 200 with the greatest scores relative to their run's best, in the order of
games. The columns are query, document (game.ply), the query's FEN and the document's FEN. Prints
the index statistics of the paper's table 1. Like the paper, it leaves out the first 24 plies.")]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,

    /// Positions, one FEN per line; a query's name is the number of its line
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,

    /// Number of games that each run returns
    #[arg(long, value_name = "N", default_value_t = 1000)]
    top: usize,

    /// Number of positions in a pool
    #[arg(long, value_name = "N", default_value_t = 200)]
    pool: usize,

    /// Output folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The paper's table 1, for our collection.
#[derive(Serialize)]
struct Statistics {
    games: u64,
    documents: u64,
    documents_a_game: f64,
    unique_terms: usize,
    terms_a_document: f64,
    unique_terms_a_document: f64,
}

#[derive(Serialize)]
struct Report {
    provenance: Provenance,
    statistics: Statistics,
    queries: usize,
    runs: Vec<&'static str>,
    pooled: usize,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let queries = read_positions(&options.queries)?;
    let collection = options.database.open()?;
    let answers = answer(options, &collection, &queries)?;
    let folder = Folder::at(&options.out);
    for (at, run) in Run::ALL.into_iter().enumerate() {
        let mut file = RunFile::new(run.name());
        for ((number, _), answers) in queries.iter().zip(&answers) {
            file.insert(
                &number.to_string(),
                answers[at].iter().map(retrieved).collect(),
            );
        }
        folder.put(&format!("{run}.run"), file.to_string())?;
    }
    let pooled = pool(options, &collection, &queries, &answers)?;
    folder.put("pool.tsv", pooled.concat())?;
    let report = Report {
        // Nothing here is random.
        provenance: Provenance::new(0).over_games(&collection),
        statistics: Statistics::of(&collection),
        queries: queries.len(),
        runs: Run::ALL.map(Run::name).to_vec(),
        pooled: pooled.len(),
    };
    if options.json {
        return json::print(&report);
    }
    print(&report, options);
    Ok(())
}

/// The answers of all runs to each query.
fn answer(
    options: &Options,
    collection: &Collection,
    queries: &[(usize, Chess)],
) -> anyhow::Result<Vec<Vec<Vec<Hit>>>> {
    let steps = Steps::start(queries.len(), "queries");
    let mut answers = Vec::new();
    for (_, position) in queries {
        let query = |run: Run| past_openings(run.query(position.clone(), options.top));
        let of = |run: Run| collection.search(&query(run));
        let found: Result<Vec<_>, _> = Run::ALL.into_iter().map(of).collect();
        answers.push(found?);
        steps.step();
    }
    Ok(answers)
}

fn retrieved(hit: &Hit) -> Retrieved {
    Retrieved {
        document: document(hit),
        score: hit.similarity,
    }
}

/// The lines of the pool, in which all runs take part.
fn pool(
    options: &Options,
    collection: &Collection,
    queries: &[(usize, Chess)],
    answers: &[Vec<Vec<Hit>>],
) -> anyhow::Result<Vec<String>> {
    let mut lines = Vec::new();
    for ((number, query), answers) in queries.iter().zip(answers) {
        for hit in run::pool(answers.iter().map(Vec::as_slice), options.pool) {
            let game = collection.game(hit.game)?;
            let Some(found) = game.and_then(|it| it.position(hit.ply.into())) else {
                continue;
            };
            let fens = [query, &found].map(position::to_fen);
            let [asked, found] = fens;
            lines.push(format!("{number}\t{}\t{asked}\t{found}\n", document(&hit)));
        }
    }
    Ok(lines)
}

impl Statistics {
    fn of(collection: &Collection) -> Statistics {
        let statistics = collection.statistics();
        let (games, documents) = (collection.games(), collection.positions());
        let ratio = |part: f64, whole: u64| part / whole.max(1) as f64;
        Statistics {
            games,
            documents,
            documents_a_game: ratio(documents as f64, games),
            unique_terms: statistics.distinct_terms(),
            terms_a_document: statistics.mean_length(),
            unique_terms_a_document: ratio(statistics.distinct_terms() as f64, documents),
        }
    }
}

fn print(report: &Report, options: &Options) {
    report.provenance.print();
    let Statistics {
        games,
        documents,
        documents_a_game,
        unique_terms,
        terms_a_document,
        ..
    } = report.statistics;
    say!("{}index{}", style::STRONG, style::PLAIN);
    say!("  games                 {}", grouped(games));
    say!("  documents             {}", grouped(documents));
    say!("  documents a game      {documents_a_game:.1}");
    say!("  different terms       {}", grouped(unique_terms as u64));
    say!("  terms a document      {terms_a_document:.1}");
    say!();
    let (runs, folder) = (report.runs.join(", "), options.out.display());
    say!("{} queries answered by {runs}", report.queries);
    say!(
        "run files and {} positions to judge (pool.tsv) are in {folder}",
        report.pooled
    );
}
