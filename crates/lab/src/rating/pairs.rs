//! Matches of two players, in pairs of games over the same opening with colors
//! reversed.

use serde::Serialize;

use super::{logistic, normal_below};

/// Elo difference that a score stands for, without a model of draws.
pub fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(1e-6, 1.0 - 1e-6);
    -400.0 * (1.0 / score - 1.0).log10()
}

/// Score and 95 % interval in Elo of games in pairs over the same opening with
/// colors reversed: `pairs[k]` counts pairs that gave k half points of four.
pub fn paired(pairs: [u32; 5]) -> Match {
    let count: f64 = pairs.iter().map(|&it| f64::from(it)).sum();
    let share = |points: usize| points as f64 / 4.0;
    let mean = pairs
        .iter()
        .enumerate()
        .map(|(points, &it)| share(points) * f64::from(it))
        .sum::<f64>()
        / count.max(1.0);
    let variance = pairs
        .iter()
        .enumerate()
        .map(|(points, &it)| (share(points) - mean).powi(2) * f64::from(it))
        .sum::<f64>()
        / count.max(1.0);
    let deviation = (variance / count.max(1.0)).sqrt();
    Match {
        score: mean,
        elo: elo_of_score(mean),
        low: elo_of_score(mean - 1.96 * deviation),
        high: elo_of_score(mean + 1.96 * deviation),
        superiority: normal_below((mean - 0.5) / deviation.max(1e-9)),
        variance,
    }
}

/// A match between two players.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Match {
    /// The first player's share of the points.
    pub score: f64,
    /// The same as a rating difference.
    pub elo: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Likelihood that the first player is the stronger one.
    pub superiority: f64,
    /// Of the share of points of a pair.
    pub variance: f64,
}

/// Log-likelihood ratio of the hypotheses that the difference is `elo1` rather than `elo0`.
pub fn likelihood_ratio(pairs: [u32; 5], elo0: f64, elo1: f64) -> f64 {
    let count: u32 = pairs.iter().sum();
    let result = paired(pairs);
    if count == 0 || result.variance <= 0.0 {
        return 0.0;
    }
    let (s0, s1) = (logistic(elo0), logistic(elo1));
    f64::from(count) * (s1 - s0) * (2.0 * result.score - s0 - s1) / (2.0 * result.variance)
}

/// The bound at which a sequential test with 5 % errors ends.
pub const SPRT_BOUND: f64 = 2.944_438_979_166_44;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_give_score_interval_and_ratio() {
        let even = paired([10, 20, 40, 20, 10]);
        assert!(
            (even.score - 0.5).abs() < 1e-12
                && even.elo.abs() < 1e-9
                && (even.superiority - 0.5).abs() < 1e-6
        );
        assert!(even.low < 0.0 && even.high > 0.0);
        assert!(likelihood_ratio([5, 20, 40, 30, 25], 0.0, 10.0) > 0.0);
        assert!(likelihood_ratio([25, 30, 40, 20, 5], 0.0, 10.0) < 0.0);
        assert!((elo_of_score(10.0 / 11.0) - 400.0).abs() < 1e-6);
        assert_eq!(likelihood_ratio([0; 5], 0.0, 10.0), 0.0);
    }
}
