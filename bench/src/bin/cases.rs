//! Measures the library of cases on a real collection.
//!
//! ```text
//! cargo run --release --bin cases -- COLLECTION
//! ```
//!
//! Retrieves the cases of moves drawn from all plies of all games, once with the bound that
//! rejects most of them and once encoding every case. Times are CPU times, so that other work
//! on the machine does not count.

use std::{path::PathBuf, time::Duration};

use anyhow::{Context, Result};
use shakmaty::Position;
use tabiya_bench::{Latencies, cpu};
use tabiya_retrieval::{
    Collection, Filter, GameNumber,
    case::{Action, Case, Inquiry, retrieve, retrieve_exhaustively},
    index::FormatError,
    search::Shard,
};

const QUESTIONS: usize = 300;
/// Encoding every case takes long.
const SLOW_QUESTIONS: usize = 30;

type Retrieve = fn(&[Shard<'_>], &Inquiry) -> Result<Vec<Case>, FormatError>;

fn main() -> Result<()> {
    let folder = PathBuf::from(
        std::env::args()
            .nth(1)
            .context("give the directory of a collection")?,
    );
    let collection = Collection::open(&folder)?;
    let questions = draw(&collection)?;
    let shards = collection.shards();
    // The first query also verifies the checksums of what it reads.
    retrieve(&shards, &questions[0])?;
    println!("{} games, CPU time of one thread", collection.games());
    for threshold in [0.0, 0.4, 0.5, 0.6, 0.8] {
        let ask = |retrieve: Retrieve, count: usize| -> Result<(Vec<Duration>, usize)> {
            let (mut times, mut kept) = (Vec::new(), 0);
            for it in &questions[..count] {
                let inquiry = Inquiry {
                    threshold,
                    ..it.clone()
                };
                let started = cpu();
                kept += retrieve(&shards, &inquiry)?.len();
                times.push(cpu() - started);
            }
            Ok((times, kept))
        };
        let (fast, kept) = ask(retrieve, QUESTIONS)?;
        println!(
            "at least {threshold}: {}, {} cases kept on average",
            Latencies(fast),
            kept / QUESTIONS
        );
        let (slow, _) = ask(retrieve_exhaustively, SLOW_QUESTIONS)?;
        println!("  every case encoded: {}", Latencies(slow));
    }
    Ok(())
}

fn draw(collection: &Collection) -> Result<Vec<Inquiry>> {
    let mut questions = Vec::with_capacity(QUESTIONS);
    let mut dice = 1u64;
    while questions.len() < QUESTIONS {
        dice = dice
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let number = 1 + (dice >> 33) % collection.games().max(1);
        let game = collection
            .game(GameNumber(number))?
            .context("the collection is empty")?;
        let ply = (dice >> 20) as usize % game.moves.len().max(1);
        let mut positions = game.positions().skip(ply);
        let (Some(before), Some(after)) = (positions.next(), positions.next()) else {
            continue;
        };
        let mv = game.moves[ply].to_move(before.board());
        let action = mv.and_then(|it| Action::of(before.board(), it));
        questions.extend(action.map(|action| Inquiry {
            board: after.board().clone(),
            actions: vec![action],
            threshold: 0.0,
            filter: Filter::default(),
        }));
    }
    Ok(questions)
}
