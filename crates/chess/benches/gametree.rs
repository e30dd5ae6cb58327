//! How long the game-tree measures take on middlegame positions, and how much the
//! integer labels save over names made as strings.
//!
//! `cargo bench -p tabiya-chess --bench gametree` prints the median over all pairs
//! of the positions below, each pair read and compared anew.

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use std::collections::HashSet;
use std::hint::black_box;
use std::time::{Duration, Instant};

use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position};
use tabiya_chess::position;
use tabiya_chess::rules::ChessRules;
use tabiya_gametree::assignment::{Costs, assign, sorted_cost};
use tabiya_gametree::similarity::{
    Blend, Continuations, Freedom, Measure, OrderedEdit, Sample, Sequences, Structural,
    UnorderedEdit,
};

/// Middlegames of common openings and two well-known test positions.
const POSITIONS: [&str; 8] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8",
    "r1bqr1k1/pp1nbppp/2p2n2/3p2B1/3P4/2NBP3/PPQ1NPPP/R4RK1 b - - 6 10",
    "r2q1rk1/1b2bppp/p1nppn2/1p6/3NPP2/2N1B3/PPP1B1PP/R3QR1K w - - 2 12",
    "r1bq1rk1/ppp1npbp/3p1np1/3Pp3/2P1P3/2N2N2/PP2BPPP/R1BQ1RK1 w - - 1 9",
    "2rq1rk1/pb1nbppp/1p2pn2/2pp4/2PP1B2/1PN1PN2/P1Q1BPPP/2R2RK1 w - - 0 12",
    "r2qr1k1/1b1nbpp1/pp1ppn1p/8/2PNPB2/1PN2P2/P2QB1PP/2RR2K1 w - - 0 16",
];

fn main() {
    let positions: Vec<Chess> = POSITIONS
        .iter()
        .map(|it| position::parse(it).expect("the positions are sound"))
        .collect();
    let shared = Continuations::new(2);
    let structural = Structural::over(shared);
    println!(
        "median of {} pairs",
        positions.len() * (positions.len() - 1)
    );
    let one = run("continuations d=1", &positions, 20, &Continuations::new(1));
    let two = run("continuations d=2", &positions, 10, &shared);
    run("sequences d=2", &positions, 5, &Sequences::new(2));
    run(
        "tree edit d=2, ordered",
        &positions,
        1,
        &OrderedEdit::new(2),
    );
    run(
        "tree edit d=2, unordered",
        &positions,
        2,
        &UnorderedEdit::new(2),
    );
    let whole = run(
        "structural over continuations d=2",
        &positions,
        1,
        &structural,
    );
    let few = structural.sampled(Sample {
        children: 8,
        seed: 1,
    });
    let sampled = run("structural, 8 children", &positions, 5, &few);
    run("freedom", &positions, 5, &Freedom);
    run(
        "freedom + continuations d=2",
        &positions,
        2,
        &Blend::new(Freedom, shared, 0.5),
    );
    println!(
        "sampling 8 children: {:.1} times faster",
        ratio(whole, sampled)
    );
    compare_assignments(&positions, &structural);
    let plain = median(&positions, 5, |a, b| plain_continuations(a, b, 1));
    println!(
        "strings, continuations d=1: {plain:?}, {:.1} times as long",
        ratio(plain, one)
    );
    let plain = median(&positions, 2, |a, b| plain_continuations(a, b, 2));
    println!(
        "strings, continuations d=2: {plain:?}, {:.1} times as long",
        ratio(plain, two)
    );
}

fn run<M: Measure<ChessRules>>(
    name: &str,
    positions: &[Chess],
    rounds: u32,
    measure: &M,
) -> Duration {
    let rules = ChessRules::default();
    let time = median(positions, rounds, |a, b| measure.similarity(&rules, a, b));
    println!("{name:36}{time:>12.1?} a pair");
    time
}

/// The median, over all ordered pairs, of the best time of some rounds: other work on
/// the machine only ever adds.
fn median(positions: &[Chess], rounds: u32, compare: impl Fn(&Chess, &Chess) -> f64) -> Duration {
    let mut times = Vec::new();
    for (i, a) in positions.iter().enumerate() {
        for (_, b) in positions.iter().enumerate().filter(|it| it.0 != i) {
            let round = |_| {
                let start = Instant::now();
                black_box(compare(black_box(a), black_box(b)));
                start.elapsed()
            };
            times.extend((0..rounds).map(round).min());
        }
    }
    times.sort_unstable();
    times[times.len() / 2]
}

/// Continuations as one would write them first: names as strings, in hash sets.
fn plain_continuations(a: &Chess, b: &Chess, depth: usize) -> f64 {
    fn collect(position: &Chess, depth: usize, names: &mut HashSet<String>) {
        for mv in position.legal_moves() {
            names.insert(format!(
                "{}{}",
                position.turn().char(),
                SanPlus::from_move(position.clone(), mv)
            ));
            if depth > 1 {
                let mut next = position.clone();
                next.play_unchecked(mv);
                collect(&next, depth - 1, names);
            }
        }
    }
    let (mut ours, mut theirs) = (HashSet::new(), HashSet::new());
    collect(a, depth, &mut ours);
    collect(b, depth, &mut theirs);
    ours.intersection(&theirs).count() as f64 / ours.union(&theirs).count() as f64
}

/// The structural measure's matching by sorted lists and by the Hungarian method.
fn compare_assignments(positions: &[Chess], measure: &Structural<Continuations>) {
    let rules = ChessRules::default();
    let lists: Vec<Vec<f64>> = positions
        .iter()
        .map(|it| measure.profile(&rules, it))
        .collect();
    let time = |cost: &dyn Fn(&[f64], &[f64]) -> f64| {
        let start = Instant::now();
        for (a, b) in lists.iter().zip(&lists[1..]) {
            for _ in 0..100 {
                black_box(cost(black_box(a), black_box(b)));
            }
        }
        start.elapsed() / (100 * (lists.len() as u32 - 1))
    };
    let sorted = time(&sorted_cost);
    let hungarian = time(&|a, b| {
        assign(&Costs::from_fn(a.len(), b.len(), |i, j| {
            (a[i] - b[j]).abs()
        }))
        .cost
    });
    println!(
        "matching two lists: {sorted:?} sorted, {hungarian:?} by the Hungarian method, {:.0} times as long",
        ratio(hungarian, sorted)
    );
}

fn ratio(long: Duration, short: Duration) -> f64 {
    long.as_secs_f64() / short.as_secs_f64().max(f64::EPSILON)
}
