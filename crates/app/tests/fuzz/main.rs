//! Fuzzing on stable Rust: random mutations of the seeds in `fuzz/corpus`, from a fixed start, so
//! that every run has the same inputs. The targets run side by side, one on each core.
//!
//! Without settings every target gets a few hundred inputs. `FUZZ_SECONDS=20` gives each target
//! that much time, `FUZZ_RUNS` a number of inputs, `FUZZ_SEED` another start, `FUZZ_TARGET` names
//! one. A failing input is left in `target/fuzz`.

#[path = "../../../../fuzz/src/targets.rs"]
mod targets;

use std::{
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use tabiya_gametree::Dice;

/// The inputs of a target without settings.
const RUNS: u64 = 400;

/// The longest input.
const LONGEST: usize = 2000;

/// Pieces of text that mean something to a parser.
const WORDS: [&[u8]; 24] = [
    b"&",
    b"=",
    b"%",
    b"+",
    b"/",
    b"\n",
    b" ",
    b"\"",
    b"{",
    b"}",
    b"(",
    b")",
    b"[FEN \"",
    b"O-O-O",
    b"e8=Q#",
    b"$255",
    b"--",
    b"1/2-1/2",
    b"fen=",
    b"moves=",
    b"position ",
    b"18446744073709551615",
    b"\xff\xfe",
    b"\xc3\xa9",
];

fn number(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = root().join("fuzz/corpus").join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|it| panic!("{}: {it}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|it| it.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{name} has no seeds");
    paths.iter().map(|it| fs::read(it).unwrap()).collect()
}

/// A seed with a few changes.
fn mutated(dice: &mut Dice, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut input = seeds[dice.below(seeds.len())].clone();
    for _ in 0..1 + dice.below(6) {
        let at = dice.below(input.len() + 1);
        let end = (at + dice.below(12)).min(input.len());
        match dice.below(8) {
            0 if at < input.len() => input[at] ^= 1 << dice.below(8),
            1 if at < input.len() => input[at] = dice.below(256) as u8,
            2 => drop(input.drain(at..end)),
            3 => {
                let copy = input[at..end].to_vec();
                input.splice(at..at, copy);
            }
            4 => drop(input.splice(at..at, WORDS[dice.below(WORDS.len())].iter().copied())),
            5 => input.truncate(at),
            6 => {
                let other = &seeds[dice.below(seeds.len())];
                let from = dice.below(other.len() + 1);
                input.truncate(at);
                input.extend(&other[from..]);
            }
            _ => input.extend((0..4).map(|_| dice.below(256) as u8)),
        }
        input.truncate(LONGEST);
    }
    input
}

/// Sends inputs to a target; returns how many.
fn fuzz((name, run): &targets::Target) -> u64 {
    let seeds = seeds(name);
    let mut dice = Dice::new(number("FUZZ_SEED").unwrap_or(1));
    let seconds = number("FUZZ_SECONDS").map(Duration::from_secs);
    let most = number("FUZZ_RUNS")
        .or(seconds.map(|_| u64::MAX))
        .unwrap_or(RUNS);
    let begin = Instant::now();
    let mut runs = 0;
    while runs < most && seconds.is_none_or(|it| begin.elapsed() < it) {
        let input = match seeds.get(runs as usize) {
            Some(seed) => seed.clone(),
            None => mutated(&mut dice, &seeds),
        };
        if catch_unwind(AssertUnwindSafe(|| run(&input))).is_err() {
            let place = root().join("target/fuzz").join(name);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(&place, &input).unwrap();
            panic!("{name}: input {runs} fails; it is in {}", place.display());
        }
        runs += 1;
    }
    let rate = runs as f64 / begin.elapsed().as_secs_f64();
    #[allow(clippy::print_stderr)]
    {
        eprintln!("{name}: {runs} inputs, {rate:.0} a second");
    }
    runs
}

#[test]
fn no_input_breaks_anything() {
    let chosen = env::var("FUZZ_TARGET").ok();
    let wanted = |it: &&targets::Target| chosen.as_ref().is_none_or(|name| name == it.0);
    let chosen: Vec<&targets::Target> = targets::TARGETS.iter().filter(wanted).collect();
    assert!(!chosen.is_empty(), "no target has the name in FUZZ_TARGET");
    let next = AtomicUsize::new(0);
    let work = || {
        let targets = std::iter::from_fn(|| chosen.get(next.fetch_add(1, Ordering::Relaxed)));
        targets.map(|it| fuzz(it)).sum::<u64>()
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let inputs: u64 = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores.min(4)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|it| it.join().unwrap()).sum()
    });
    #[allow(clippy::print_stderr)]
    {
        eprintln!("{inputs} inputs over {} targets", chosen.len());
    }
}
