//! Times many queries and collects their answers.

use std::{
    fmt, hint,
    time::{Duration, Instant},
};

use anyhow::Result;
use rayon::ThreadPoolBuilder;

/// The number of threads for a query.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Threads {
    One,
    All,
}

impl Threads {
    fn number(self) -> usize {
        match self {
            Threads::One => 1,
            Threads::All => std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

impl fmt::Display for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number())
    }
}

/// The latencies and answers of a series of queries, in order.
#[derive(Debug)]
pub(crate) struct Measured<T> {
    pub(crate) latencies: Vec<Duration>,
    pub(crate) answers: Vec<T>,
}

/// Runs every query once to warm up and once for the clock.
pub(crate) fn measure<Q: Sync, T: Send>(
    queries: &[Q],
    threads: Threads,
    search: impl Fn(&Q) -> Result<T> + Sync,
) -> Result<Measured<T>> {
    measure_once(queries, threads, &search)?;
    measure_once(queries, threads, search)
}

/// Runs every query once for the clock.
pub(crate) fn measure_once<Q: Sync, T: Send>(
    queries: &[Q],
    threads: Threads,
    search: impl Fn(&Q) -> Result<T> + Sync,
) -> Result<Measured<T>> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads.number())
        .build()?;
    let mut measured = Measured {
        latencies: Vec::with_capacity(queries.len()),
        answers: Vec::with_capacity(queries.len()),
    };
    // Inside the pool, so that handing over a query is not timed.
    pool.install(|| {
        for query in queries {
            let begin = Instant::now();
            let answer = hint::black_box(search(query)?);
            measured.latencies.push(begin.elapsed());
            measured.answers.push(answer);
        }
        Ok(measured)
    })
}

/// The latencies that 50, 95 and 99 percent of the queries do not exceed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Percentiles {
    pub(crate) p50: Duration,
    pub(crate) p95: Duration,
    pub(crate) p99: Duration,
}

impl Percentiles {
    /// Percentiles by nearest rank: each is the latency of a query.
    pub(crate) fn of(latencies: &[Duration]) -> Percentiles {
        let mut sorted = latencies.to_vec();
        sorted.sort();
        let at = |per_cent: usize| {
            let rank = (sorted.len() * per_cent).div_ceil(100).max(1);
            sorted.get(rank - 1).copied().unwrap_or_default()
        };
        Percentiles {
            p50: at(50),
            p95: at(95),
            p99: at(99),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let shuffled = (0..200).map(|it| Duration::from_millis(1 + it * 77 % 200));
        let expected = [100, 190, 198].map(Duration::from_millis);
        let Percentiles { p50, p95, p99 } = Percentiles::of(&shuffled.collect::<Vec<_>>());
        assert_eq!([p50, p95, p99], expected);
        assert_eq!(Percentiles::of(&[]), Percentiles::default());
    }
}
