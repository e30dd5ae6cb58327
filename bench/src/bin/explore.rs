//! Measures the explorer on a real collection.
//!
//! ```text
//! cargo run --release --bin explore -- COLLECTION
//! ```
//!
//! Looks up positions drawn from all plies of all games, and the start position. For cold
//! lookups, the collection is dropped from the page cache before it is opened. A command is a
//! process of its own that opens the collection, looks one position up and ends; the page cache
//! is warm then.

use std::{
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use shakmaty::{Chess, Position};
use tabiya_bench::{Latencies, bytes_in, cpu};
use tabiya_chess::{chi_square::ChiSquare, position};
use tabiya_retrieval::{Collection, Filter, GameNumber, explorer, search::Range};

const QUESTIONS: usize = 5_000;
const COLD: usize = 300;
const COMMANDS: usize = 100;

fn main() -> Result<()> {
    let folder = PathBuf::from(
        std::env::args()
            .nth(1)
            .context("give the directory of a collection")?,
    );
    if let Some(fen) = std::env::args().nth(2) {
        let collection = Collection::open(&folder)?;
        let position = position::parse(&fen)?;
        explorer::explore(&collection.shards(), &position, &Filter::default())?;
        return Ok(());
    }
    let questions = draw(&Collection::open(&folder)?)?;
    bytes_in(&folder, true)?;

    let started = Instant::now();
    let collection = Collection::open(&folder)?;
    println!(
        "{} games in {} segments, opened in {:.1?}",
        collection.games(),
        collection.segments().len(),
        started.elapsed()
    );
    let shards = collection.shards();
    let everything = Filter::default();
    let ask = |position: &Chess, filter: &Filter| -> Result<Duration> {
        let started = Instant::now();
        explorer::explore(&shards, position, filter)?;
        Ok(started.elapsed())
    };
    let cold = questions[..COLD]
        .iter()
        .map(|it| ask(it, &everything))
        .collect::<Result<_>>()?;
    println!("cold   {}", Latencies(cold));
    questions
        .iter()
        .try_for_each(|it| ask(it, &everything).map(drop))?;
    let started = cpu();
    let warm = questions
        .iter()
        .map(|it| ask(it, &everything))
        .collect::<Result<Vec<_>>>()?;
    let rate = warm.len() as f64 / (cpu() - started).as_secs_f64();
    println!("warm   {}, {rate:.0} lookups/s", Latencies(warm));

    let command = |it: &Chess| -> Result<Duration> {
        let started = Instant::now();
        let mut command = Command::new(std::env::current_exe()?);
        let status = command.arg(&folder).arg(position::to_fen(it)).status()?;
        anyhow::ensure!(status.success(), "the command failed");
        Ok(started.elapsed())
    };
    let commands = questions[..COMMANDS].iter().map(command);
    println!("command  {}", Latencies(commands.collect::<Result<_>>()?));

    let start = Chess::default();
    let many = |filter: &Filter| (0..100).map(|_| ask(&start, filter)).collect::<Result<_>>();
    println!("start  {}", Latencies(many(&everything)?));
    let strong = Filter {
        elo: Range {
            from: Some(2600),
            to: None,
        },
        ..Filter::default()
    };
    println!("start, both 2600 or more  {}", Latencies(many(&strong)?));

    let twins = questions[..COLD].iter().map(|it| {
        let started = Instant::now();
        explorer::twins(&shards, it, &everything)?;
        Ok(started.elapsed())
    });
    println!("twins  {}", Latencies(twins.collect::<Result<_>>()?));
    let distance: ChiSquare = "0.5".parse()?;
    let near = questions[..20].iter().map(|it| {
        let started = Instant::now();
        let rings = explorer::rings(&shards, it.board(), distance, 20)?;
        explorer::nearest([rings], it.board(), 20);
        Ok(started.elapsed())
    });
    println!("near  {}", Latencies(near.collect::<Result<_>>()?));
    Ok(())
}

fn draw(collection: &Collection) -> Result<Vec<Chess>> {
    let mut positions = Vec::with_capacity(QUESTIONS);
    let mut dice = 1u64;
    while positions.len() < QUESTIONS {
        dice = dice
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let number = 1 + (dice >> 33) % collection.games().max(1);
        let game = collection
            .game(GameNumber(number))?
            .context("the collection is empty")?;
        let ply = (dice >> 20) as usize % (game.moves.len() + 1);
        positions.extend(game.positions().nth(ply));
    }
    Ok(positions)
}
