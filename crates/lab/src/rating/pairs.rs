//! Matches of two players, in pairs of games over the same opening with colors
//! reversed.

use serde::Serialize;

use super::{logistic, normal_below};

/// Elo difference that a score stands for, without a model of draws.
pub(crate) fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(1e-6, 1.0 - 1e-6);
    400.0 * (score / (1.0 - score)).log10()
}

/// Pairs of each kind that are taken as seen before the first, for the variance
/// alone: a few pairs, or pairs that all came out the same, must not look
/// certain. After a hundred pairs of players less than 200 Elo apart an interval
/// differs by less than half a point.
const PRIOR: f64 = 0.05;

/// Score and 95 % interval in Elo of games in pairs over the same opening with
/// colors reversed: `pairs[k]` counts pairs that gave k half points of four.
/// `None` without a pair.
pub(crate) fn paired(pairs: [u32; 5]) -> Option<Match> {
    let counts = pairs.map(f64::from);
    let count: f64 = counts.iter().sum();
    if count == 0.0 {
        return None;
    }
    let (mean, _) = moments(counts);
    let (_, variance) = moments(counts.map(|it| it + PRIOR));
    let deviation = (variance / count).sqrt();
    Some(Match {
        score: mean,
        elo: elo_of_score(mean),
        low: elo_of_score(mean - 1.96 * deviation),
        high: elo_of_score(mean + 1.96 * deviation),
        superiority: normal_below((mean - 0.5) / deviation),
        variance,
    })
}

/// Mean and variance of the share of points of a pair.
fn moments(counts: [f64; 5]) -> (f64, f64) {
    let count: f64 = counts.iter().sum();
    let average = |of: &dyn Fn(f64) -> f64| {
        let terms = counts.iter().enumerate();
        terms
            .map(|(points, it)| it * of(points as f64 / 4.0))
            .sum::<f64>()
            / count
    };
    let mean = average(&|share| share);
    (mean, average(&|share| (share - mean).powi(2)))
}

/// A match between two players.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Match {
    /// The first player's share of the points.
    pub(crate) score: f64,
    /// The same as a rating difference.
    pub(crate) elo: f64,
    /// Lower end of the 95 % interval.
    pub(crate) low: f64,
    /// Upper end.
    pub(crate) high: f64,
    /// Likelihood that the first player is the stronger one.
    pub(crate) superiority: f64,
    /// Of the share of points of a pair, with a little of every kind of pair added.
    pub(crate) variance: f64,
}

/// Log-likelihood ratio of the hypotheses that the difference is `elo1` rather than `elo0`.
pub(crate) fn likelihood_ratio(pairs: [u32; 5], elo0: f64, elo1: f64) -> f64 {
    let Some(result) = paired(pairs) else {
        return 0.0;
    };
    let count: u32 = pairs.iter().sum();
    let (s0, s1) = (logistic(elo0), logistic(elo1));
    f64::from(count) * (s1 - s0) * (2.0 * result.score - s0 - s1) / (2.0 * result.variance)
}

/// The bound at which a sequential test with 5 % errors ends.
pub(crate) const SPRT_BOUND: f64 = 2.944_438_979_166_44;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_give_score_interval_and_ratio() {
        let even = paired([10, 20, 40, 20, 10]).unwrap();
        assert!(
            (even.score - 0.5).abs() < 1e-12
                && even.elo.abs() < 1e-9
                && even.elo.is_sign_positive()
                && (even.superiority - 0.5).abs() < 1e-6
        );
        assert!(even.low < 0.0 && even.high > 0.0);
        assert!(likelihood_ratio([5, 20, 40, 30, 25], 0.0, 10.0) > 0.0);
        assert!(likelihood_ratio([25, 30, 40, 20, 5], 0.0, 10.0) < 0.0);
        assert!((elo_of_score(10.0 / 11.0) - 400.0).abs() < 1e-6);
        assert_eq!(likelihood_ratio([0; 5], 0.0, 10.0), 0.0);
    }

    #[test]
    fn few_or_equal_pairs_are_not_certain() {
        assert!(paired([0; 5]).is_none());
        let one = paired([0, 0, 0, 0, 1]).unwrap();
        assert!(one.low < 100.0 && one.superiority < 0.99, "{one:?}");
        let drawn = paired([0, 0, 8, 0, 0]).unwrap();
        assert!(drawn.low < -20.0 && drawn.high > 20.0, "{drawn:?}");
        // Who wins every pair wins the test.
        let ratio = |pairs| likelihood_ratio([0, 0, 0, 0, pairs], 0.0, 10.0);
        assert!(ratio(2) < SPRT_BOUND && ratio(10) > SPRT_BOUND);
    }

    #[test]
    fn the_prior_is_a_rounding_after_a_hundred_pairs() {
        for pairs in [[10, 20, 40, 20, 10], [2, 8, 30, 40, 20], [1, 4, 20, 35, 40]] {
            let counts = pairs.map(f64::from);
            let (mean, variance) = moments(counts);
            let reach = 1.96 * (variance / counts.iter().sum::<f64>()).sqrt();
            let result = paired(pairs).unwrap();
            assert_eq!(result.score, mean);
            for (bound, bare) in [(result.low, mean - reach), (result.high, mean + reach)] {
                assert!((bound - elo_of_score(bare)).abs() < 0.5, "{result:?}");
            }
        }
    }
}
