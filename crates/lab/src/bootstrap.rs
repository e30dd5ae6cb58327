//! How far a mean could be off: bootstrap intervals and a paired test.
//!
//! Queries are a sample; another sample would give another mean. The bootstrap
//! (Efron, 1979) draws samples from the sample. The randomization test (Fisher;
//! for retrieval Smucker, Allan and Carterette, 2007) asks how often a difference
//! as large would come about if the names of the two runs were exchanged at random
//! for each query.

use serde::Serialize;
use tabiya_gametree::Dice;

use crate::draw::Draw;

/// How many samples are drawn: enough for the third digit.
const SAMPLES: usize = 4000;

/// A mean with the interval that holds it with 95 per cent confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Estimate {
    /// The mean.
    pub(crate) mean: f64,
    /// The lower end of the interval.
    pub(crate) low: f64,
    /// The upper end of the interval.
    pub(crate) high: f64,
}

impl Estimate {
    /// The mean of some values with the percentile interval of the bootstrap; all
    /// zero without values.
    pub(crate) fn of(values: &[f64], seed: u64) -> Estimate {
        if values.is_empty() {
            return Estimate::default();
        }
        let mut dice = Dice::new(seed);
        let mut draw = || -> f64 {
            let sum: f64 = values
                .iter()
                .map(|_| values[dice.index(values.len())])
                .sum();
            sum / values.len() as f64
        };
        let mut means: Vec<f64> = (0..SAMPLES).map(|_| draw()).collect();
        means.sort_by(f64::total_cmp);
        Estimate {
            mean: mean(values),
            low: means[SAMPLES * 25 / 1000],
            high: means[SAMPLES * 975 / 1000 - 1],
        }
    }
}

/// Two runs on the same queries.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Paired {
    /// The mean of second minus first.
    pub(crate) difference: Estimate,
    /// The chance of a difference at least as large, either way, if the two were
    /// the same.
    pub(crate) p: f64,
    /// On how many queries the second is better.
    pub(crate) wins: usize,
    /// On how many they are equal.
    pub(crate) ties: usize,
    /// On how many the second is worse.
    pub(crate) losses: usize,
}

impl Paired {
    /// Compares values that go in parallel.
    pub(crate) fn of(first: &[f64], second: &[f64], seed: u64) -> Paired {
        let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| b - a).collect();
        let count = |sign: fn(f64) -> bool| differences.iter().filter(|&&it| sign(it)).count();
        Paired {
            difference: Estimate::of(&differences, seed),
            p: randomization(&differences, seed),
            wins: count(|it| it > 0.0),
            ties: count(|it| it == 0.0),
            losses: count(|it| it < 0.0),
        }
    }
}

/// The two-sided p-value of the paired randomization test. The differences as they
/// are count as one of the samples, so it is never 0.
fn randomization(differences: &[f64], seed: u64) -> f64 {
    let mut dice = Dice::new(seed);
    let observed = differences.iter().sum::<f64>().abs();
    let mut draw = || -> f64 {
        let signed = differences
            .iter()
            .map(|&it| if dice.coin() { it } else { -it });
        signed.sum::<f64>().abs()
    };
    // Sums of the same numbers in another order of signs may differ by rounding.
    let as_large = (0..SAMPLES).filter(|_| draw() >= observed - 1e-12).count();
    (as_large + 1) as f64 / (SAMPLES + 1) as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_the_normal_distribution() {
        // A hundred tosses of a fair coin: 0.5 ± 1.96 · 0.05.
        let values: Vec<f64> = (0..100).map(|it| f64::from(it % 2)).collect();
        let estimate = Estimate::of(&values, 1);
        assert_eq!(estimate.mean, 0.5);
        assert!((estimate.low - 0.402).abs() < 0.015, "{estimate:?}");
        assert!((estimate.high - 0.598).abs() < 0.015, "{estimate:?}");
        assert_eq!(estimate, Estimate::of(&values, 1));
        assert_eq!(Estimate::of(&[], 1), Estimate::default());
    }

    #[test]
    fn few_pairs_prove_nothing_and_many_do() {
        // All of five pairs agree: 2 of 32 ways to sign them are as extreme.
        let five = Paired::of(&[0.0; 5], &[1.0; 5], 1);
        assert!((five.p - 2.0 / 32.0).abs() < 0.015, "{five:?}");
        assert_eq!((five.wins, five.ties, five.losses), (5, 0, 0));
        let forty = Paired::of(&[0.0; 40], &[1.0; 40], 1);
        assert!(forty.p < 0.001 && forty.difference.low > 0.0);
        let same = Paired::of(&[0.3; 40], &[0.3; 40], 1);
        assert_eq!((same.p, same.ties), (1.0, 40));
        assert_eq!((same.difference.low, same.difference.high), (0.0, 0.0));
    }
}
