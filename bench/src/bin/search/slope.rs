//! Measures how query times grow with the collection: the same queries on more and more games
//! of the same file.

use anyhow::Result;
use shakmaty::Chess;
use tabiya_retrieval::{Collection, Query};

use crate::{
    building::{self, Built},
    corpus::Corpus,
    latency,
    query::{self, Symmetries},
    table::{Table, count},
    timing::{Percentiles, Threads, measure},
};

/// The number of games of the smallest collection, and the factor between sizes.
const FIRST: usize = 2_000;
const STEP: usize = 5;

/// The number of positions of a collection, and its median query time in seconds.
type Point = (f64, f64);

/// Latencies by size. The queries come from the smallest collection, so that only the size
/// differs.
pub(crate) fn table(
    corpus: &Corpus,
    whole: &Built,
    top: usize,
    draw: impl Fn(&Collection) -> Result<Vec<Chess>>,
) -> Result<Table> {
    let mut table = Table::new(
        &format!("Growth, top {top}, symmetry none, all threads"),
        &[
            "games",
            "positions",
            "p50 ms",
            "p95 ms",
            "p99 ms",
            "p50 ns/position",
        ],
    );
    let mut queries: Vec<Query> = Vec::new();
    let mut points = Vec::new();
    let sizes = std::iter::successors(Some(FIRST), |it| it.checked_mul(STEP))
        .take_while(|&it| it < corpus.games());
    for size in sizes.map(Some).chain([None]) {
        let built;
        let here = match size {
            Some(size) => {
                built = building::build(&Corpus::first(corpus.path(), Some(size))?)?;
                &built
            }
            None => whole,
        };
        let collection = here.open()?;
        if queries.is_empty() {
            queries = query::all(&draw(&collection)?, top, Symmetries::None);
        }
        let measured = measure(&queries, Threads::All, |it| Ok(collection.search(it)?))?;
        let taken = Percentiles::of(&measured.latencies);
        points.push((here.positions as f64, taken.p50.as_secs_f64()));
        table.row(row(here, taken));
    }
    table.note(&match exponent(&points) {
        Some(exponent) => format!(
            "p50 grows with the number of positions to the power of {exponent:.2} (least squares of \
             the logarithms; 1 would be as fast as the collection grows)."
        ),
        None => format!("Measuring growth takes more than {} games.", count(FIRST as u64)),
    });
    Ok(table)
}

fn row(built: &Built, taken: Percentiles) -> Vec<String> {
    let each = taken.p50.as_nanos() as f64 / built.positions.max(1) as f64;
    let mut row = vec![count(built.games), count(built.positions)];
    row.extend(latency::cells(taken));
    row.push(format!("{each:.2}"));
    row
}

/// The slope of the line through the logarithms of the points; `None` for a single point.
fn exponent(points: &[Point]) -> Option<f64> {
    let logarithms: Vec<Point> = points.iter().map(|it| (it.0.ln(), it.1.ln())).collect();
    let number = logarithms.len() as f64;
    let mean_x = logarithms.iter().map(|it| it.0).sum::<f64>() / number;
    let mean_y = logarithms.iter().map(|it| it.1).sum::<f64>() / number;
    let spread: f64 = logarithms.iter().map(|it| (it.0 - mean_x).powi(2)).sum();
    let common: f64 = logarithms
        .iter()
        .map(|it| (it.0 - mean_x) * (it.1 - mean_y))
        .sum();
    (spread > 0.0).then(|| common / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_is_found() {
        let points = |power: f64| [1.0f64, 5.0, 25.0, 60.0].map(|it| (it, 3.0 * it.powf(power)));
        for power in [0.0, 0.5, 1.0, 2.0] {
            assert!((exponent(&points(power)).unwrap() - power).abs() < 1e-12);
        }
        assert_eq!(exponent(&[(2.0, 3.0)]), None);
    }
}
