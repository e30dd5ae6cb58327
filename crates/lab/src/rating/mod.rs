//! Ratings from results: Bradley–Terry with draws and the advantage of White,
//! by maximum likelihood.
//!
//! The model is BayesElo's. With D the rating difference plus White's
//! advantage, White wins with probability 1/(1 + 10^((drawelo − D)/400)), Black
//! with 1/(1 + 10^((drawelo + D)/400)), and the rest is drawn. Errors come from
//! the curvature at the maximum.

mod pairs;

use serde::Serialize;

pub use pairs::{Match, SPRT_BOUND, elo_of_score, likelihood_ratio, paired};

/// Results of one pairing, first player's view, with the first player White.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Results {
    /// White's number.
    pub white: usize,
    /// Black's number.
    pub black: usize,
    /// Won by White, drawn, won by Black.
    pub counts: [u32; 3],
}

/// What the model assumes apart from ratings.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Elo that White has for moving first.
    pub advantage: f64,
    /// The greater, the more draws.
    pub draw: f64,
}

impl Default for Model {
    /// BayesElo's defaults.
    fn default() -> Model {
        Model {
            advantage: 32.8,
            draw: 97.3,
        }
    }
}

impl Model {
    /// Probabilities that White wins, that it is drawn, that Black wins.
    pub fn probabilities(&self, white: f64, black: f64) -> [f64; 3] {
        let difference = white - black + self.advantage;
        let wins = logistic(difference - self.draw);
        let losses = logistic(-difference - self.draw);
        [wins, (1.0 - wins - losses).max(1e-12), losses]
    }
}

fn logistic(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// A player's rating.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Rating {
    /// On the anchors' scale.
    pub elo: f64,
    /// Half the width of the 95 % interval; 0 for anchors.
    pub error: f64,
}

/// The most likely ratings, given that some are known.
///
/// `anchors[i]` is the known rating of player i. Players without an anchor and
/// without a game stay at the anchors' mean, with an infinite error.
pub fn fit(results: &[Results], anchors: &[Option<f64>], model: Model) -> Vec<Rating> {
    let known: Vec<f64> = anchors.iter().flatten().copied().collect();
    let mean = if known.is_empty() {
        0.0
    } else {
        known.iter().sum::<f64>() / known.len() as f64
    };
    let mut elo: Vec<f64> = anchors.iter().map(|it| it.unwrap_or(mean)).collect();
    let mut curvature = vec![0.0; elo.len()];
    // Newton's method, a player at a time: the likelihood is concave in each.
    for _ in 0..400 {
        let mut greatest = 0.0_f64;
        for player in (0..elo.len()).filter(|&it| anchors[it].is_none()) {
            let (slope, bend) = derivatives(results, &elo, model, player);
            curvature[player] = bend;
            if bend < -1e-12 {
                let step = (-slope / bend).clamp(-200.0, 200.0);
                elo[player] += step;
                greatest = greatest.max(step.abs());
            }
        }
        if greatest < 1e-6 {
            break;
        }
    }
    let error = |player: usize| {
        if anchors[player].is_some() {
            0.0
        } else {
            1.96 / (-curvature[player]).max(0.0).sqrt()
        }
    };
    elo.iter()
        .enumerate()
        .map(|(player, &elo)| Rating {
            elo,
            error: error(player),
        })
        .collect()
}

/// The likelihood that one player is stronger than another, by their ratings
/// and errors.
pub fn superiority(one: &Rating, other: &Rating) -> f64 {
    let deviation = one.error.hypot(other.error) / 1.96;
    normal_below((one.elo - other.elo) / deviation.max(1e-9))
}

/// First and second derivative of the log-likelihood by one rating, by differences.
fn derivatives(results: &[Results], elo: &[f64], model: Model, player: usize) -> (f64, f64) {
    const STEP: f64 = 0.5;
    let at = |shift: f64| -> f64 {
        results
            .iter()
            .filter(|it| it.white == player || it.black == player)
            .map(|it| {
                let moved = |of: usize| elo[of] + if of == player { shift } else { 0.0 };
                let probabilities = model.probabilities(moved(it.white), moved(it.black));
                it.counts
                    .iter()
                    .zip(probabilities)
                    .map(|(&count, chance)| f64::from(count) * chance.max(1e-300).ln())
                    .sum::<f64>()
            })
            .sum()
    };
    let (below, here, above) = (at(-STEP), at(0.0), at(STEP));
    (
        (above - below) / (2.0 * STEP),
        (above - 2.0 * here + below) / (STEP * STEP),
    )
}

/// How badly the model fits one player's results against each opponent:
/// Pearson's χ² of wins, draws and losses over both colors, with the number of games.
pub fn misfit(
    results: &[Results],
    elo: &[f64],
    model: Model,
    player: usize,
    opponent: usize,
) -> (f64, u32) {
    let (mut expected, mut seen, mut games) = ([0.0; 3], [0.0; 3], 0);
    for it in results {
        let with_white = (it.white, it.black) == (player, opponent);
        if !with_white && (it.black, it.white) != (player, opponent) {
            continue;
        }
        let played: u32 = it.counts.iter().sum();
        games += played;
        let probabilities = model.probabilities(elo[it.white], elo[it.black]);
        for (outcome, (chance, &count)) in probabilities.into_iter().zip(&it.counts).enumerate() {
            let own = if with_white { outcome } else { 2 - outcome };
            expected[own] += chance * f64::from(played);
            seen[own] += f64::from(count);
        }
    }
    let chi_square = expected
        .iter()
        .zip(seen)
        .filter(|it| *it.0 > 0.0)
        .map(|(expected, seen)| (seen - expected).powi(2) / expected)
        .sum();
    (chi_square, games)
}

/// The standard normal distribution function (Abramowitz and Stegun 7.1.26).
fn normal_below(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let tail = t
        * (0.254_829_592
            + t * (-0.284_496_736
                + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let error = 1.0 - tail * (-x * x).exp();
    if z >= 0.0 {
        f64::midpoint(1.0, error)
    } else {
        (1.0 - error) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_bayes_elos() {
        // Equal players: White wins with 1/(1+10^((97.3-32.8)/400)).
        let [wins, draws, losses] = Model::default().probabilities(0.0, 0.0);
        assert!((wins - 0.408_2).abs() < 1e-3 && (losses - 0.320_8).abs() < 1e-3);
        assert!((wins + draws + losses - 1.0).abs() < 1e-12);
    }

    #[test]
    fn known_ratings_are_recovered_from_expected_results() {
        let model = Model::default();
        let truth = [2000.0, 2150.0, 2400.0];
        let mut results = Vec::new();
        for (white, black) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
            let counts = model
                .probabilities(truth[white], truth[black])
                .map(|it| (it * 100_000.0).round() as u32);
            results.push(Results {
                white,
                black,
                counts,
            });
        }
        let ratings = fit(&results, &[Some(2000.0), None, None], model);
        for (rating, truth) in ratings.iter().zip(truth) {
            assert!((rating.elo - truth).abs() < 0.5, "{rating:?} {truth}");
        }
        assert!(ratings[0].error == 0.0 && ratings[1].error > 0.0 && ratings[1].error < 3.0);
        let elo: Vec<f64> = ratings.iter().map(|it| it.elo).collect();
        assert!(misfit(&results, &elo, model, 1, 0).0 < 0.1);
    }

    #[test]
    fn known_ratings_are_recovered_from_played_games() {
        let model = Model::default();
        let truth = [2000.0, 2100.0, 2250.0, 2500.0];
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut dice = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut results = Vec::new();
        for white in 0..4 {
            for black in (0..4).filter(|&it| it != white) {
                let [wins, draws, _] = model.probabilities(truth[white], truth[black]);
                let mut counts = [0; 3];
                for _ in 0..400 {
                    let at = dice();
                    counts[usize::from(at > wins) + usize::from(at > wins + draws)] += 1;
                }
                results.push(Results {
                    white,
                    black,
                    counts,
                });
            }
        }
        let ratings = fit(&results, &[Some(2000.0), None, None, None], model);
        for (rating, truth) in ratings.iter().zip(truth).skip(1) {
            let off = (rating.elo - truth).abs();
            assert!(off < 1.5 * rating.error && off > 0.0, "{rating:?} {truth}");
        }
        assert!(superiority(&ratings[3], &ratings[2]) > 0.999);
        assert!((superiority(&ratings[1], &ratings[1]) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn the_error_is_that_of_a_simple_match() {
        // 100 wins and 100 losses, no draws possible: the curvature is N p (1-p) (ln 10/400)².
        let model = Model {
            advantage: 0.0,
            draw: 0.0,
        };
        let results = [Results {
            white: 0,
            black: 1,
            counts: [100, 0, 100],
        }];
        let ratings = fit(&results, &[None, Some(0.0)], model);
        let expected = 1.96 / (200.0_f64 * 0.25).sqrt() * 400.0 / std::f64::consts::LN_10;
        assert!(
            ratings[0].elo.abs() < 1e-6 && (ratings[0].error - expected).abs() < 0.1,
            "{:?} {expected}",
            ratings[0]
        );
    }
}
