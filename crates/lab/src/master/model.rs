//! The model: a conditional logit over the moves of a position.
//!
//! P(move) ∝ exp(Σ weight · feature), after McFadden. Features are scaled to
//! unit variance, weights are held small, and the likelihood is convex, so the
//! fit depends on the data alone.

use serde::{Deserialize, Serialize};

use super::Observation;

/// A fitted model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Model {
    /// A weight for each feature.
    pub(crate) weights: Vec<f64>,
}

impl Model {
    /// How likely each move is, up to a common factor, as a logarithm.
    pub(crate) fn rate(&self, observation: &Observation) -> Vec<f64> {
        let rate = |features: &[f32]| {
            let pairs = self.weights.iter().zip(features);
            pairs.map(|(weight, &it)| weight * f64::from(it)).sum()
        };
        observation
            .moves
            .iter()
            .map(|it| rate(&it.features))
            .collect()
    }
}

/// Rates the moves of every position by a model that is fitted to the others:
/// the positions are dealt into folds, and each fold is rated by a model of all
/// the other folds.
pub(crate) fn cross_rate(
    observations: &[Observation],
    folds: usize,
    used: impl Fn(usize) -> bool,
) -> Vec<Vec<f64>> {
    let folds = folds.clamp(2, observations.len().max(2));
    let mut rates = vec![Vec::new(); observations.len()];
    for fold in 0..folds {
        let is_held_out = |at: usize| at % folds == fold;
        let others: Vec<&Observation> = (0..observations.len())
            .filter(|&it| !is_held_out(it))
            .map(|it| &observations[it])
            .collect();
        let model = fit(&others, &used);
        for at in (0..observations.len()).filter(|&it| is_held_out(it)) {
            rates[at] = model.rate(&observations[at]);
        }
    }
    rates
}

/// How strongly weights are pulled to zero.
const DECAY: f64 = 2e-3;

/// Steps of the ascent; the likelihood no longer changes after a third of them.
const STEPS: usize = 600;

/// Fits a model to what was played. `used` selects the features.
pub(crate) fn fit(observations: &[&Observation], used: impl Fn(usize) -> bool) -> Model {
    let count = observations
        .first()
        .and_then(|it| it.moves.first())
        .map_or(0, |it| it.features.len());
    let scales = scales(observations, count);
    let mut ascent = Ascent::new(count);
    let mut model = Model {
        weights: vec![0.0; count],
    };
    for _ in 0..STEPS {
        let gradient = gradient(&model, observations);
        for at in (0..count).filter(|&it| used(it) && scales[it] > 0.0) {
            // The step is taken in the scaled feature's unit.
            let scaled = model.weights[at] * scales[at];
            let slope = gradient[at] / scales[at] - DECAY * scaled;
            model.weights[at] = (scaled + ascent.step(at, slope)) / scales[at];
        }
        ascent.time += 1;
    }
    model
}

/// The standard deviation of each feature.
fn scales(observations: &[&Observation], count: usize) -> Vec<f64> {
    let (mut sum, mut squares, mut moves) = (vec![0.0; count], vec![0.0; count], 0.0);
    for it in observations.iter().flat_map(|it| &it.moves) {
        moves += 1.0;
        for (at, &value) in it.features.iter().enumerate() {
            sum[at] += f64::from(value);
            squares[at] += f64::from(value) * f64::from(value);
        }
    }
    let deviation = |at: usize| {
        let mean = sum[at] / f64::max(moves, 1.0);
        (squares[at] / f64::max(moves, 1.0) - mean * mean)
            .max(0.0)
            .sqrt()
    };
    (0..count).map(deviation).collect()
}

/// The slope of the mean log-likelihood.
fn gradient(model: &Model, observations: &[&Observation]) -> Vec<f64> {
    let mut slope = vec![0.0; model.weights.len()];
    for observation in observations {
        let rates = model.rate(observation);
        let most = rates.iter().copied().fold(f64::MIN, f64::max);
        let odds: Vec<f64> = rates.iter().map(|it| (it - most).exp()).collect();
        let total: f64 = odds.iter().sum();
        for (index, (it, odds)) in observation.moves.iter().zip(odds).enumerate() {
            let surprise = f64::from(index == observation.played) - odds / total;
            for (slope, &feature) in slope.iter_mut().zip(&it.features) {
                *slope += surprise * f64::from(feature);
            }
        }
    }
    let count = observations.len().max(1) as f64;
    slope.into_iter().map(|it| it / count).collect()
}

/// Steps by the method of Kingma and Ba (Adam).
struct Ascent {
    mean: Vec<f64>,
    square: Vec<f64>,
    time: i32,
}

impl Ascent {
    const RATE: f64 = 0.05;
    const KEEP_MEAN: f64 = 0.9;
    const KEEP_SQUARE: f64 = 0.99;

    fn new(count: usize) -> Ascent {
        Ascent {
            mean: vec![0.0; count],
            square: vec![0.0; count],
            time: 1,
        }
    }

    fn step(&mut self, at: usize, slope: f64) -> f64 {
        let blend = |old: f64, new: f64, keep: f64| keep * old + (1.0 - keep) * new;
        self.mean[at] = blend(self.mean[at], slope, Self::KEEP_MEAN);
        self.square[at] = blend(self.square[at], slope * slope, Self::KEEP_SQUARE);
        let mean = self.mean[at] / (1.0 - Self::KEEP_MEAN.powi(self.time));
        let square = self.square[at] / (1.0 - Self::KEEP_SQUARE.powi(self.time));
        Self::RATE * mean / (square.sqrt() + 1e-9)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::master::Observed;

    /// Positions in which moves are chosen by known weights.
    pub(in crate::master) fn simulated(weights: &[f64], count: usize) -> Vec<Observation> {
        let mut state = 88172645463325252u64;
        let mut dice = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let model = Model {
            weights: weights.to_vec(),
        };
        let mut all = Vec::new();
        for number in 0..count {
            let moves: Vec<Observed> = (0..8)
                .map(|_| Observed {
                    uci: String::new(),
                    support: 0.0,
                    score: dice(),
                    features: weights.iter().map(|_| dice() as f32).collect(),
                })
                .collect();
            let mut observation = Observation {
                number,
                fen: String::new(),
                played: 0,
                pieces: 20,
                covered: false,
                moves,
            };
            let odds: Vec<f64> = model.rate(&observation).iter().map(|it| it.exp()).collect();
            let mut left = dice() * odds.iter().sum::<f64>();
            let chosen = odds.iter().position(|it| {
                left -= it;
                left <= 0.0
            });
            observation.played = chosen.unwrap_or(7);
            all.push(observation);
        }
        all
    }

    #[test]
    fn a_fit_recovers_the_weights_that_made_the_choices() {
        let truth = [3.0, -2.0, 0.0];
        let all = simulated(&truth, 4_000);
        let all: Vec<&Observation> = all.iter().collect();
        let model = fit(&all, |_| true);
        for (found, truth) in model.weights.iter().zip(truth) {
            assert!((found - truth).abs() < 0.3, "{:?}", model.weights);
        }
        let blind = fit(&all[..200], |it| it == 1);
        assert!(blind.weights[0] == 0.0 && blind.weights[1] < 0.0);
        assert!(fit(&[], |_| true).weights.is_empty());
    }

    #[test]
    fn nobody_is_rated_by_a_model_that_has_seen_the_answer() {
        // A feature that names the position tells the answer to whoever has
        // seen it, and nothing about other positions.
        let mut observations = simulated(&[0.0], 40);
        for (number, it) in observations.iter_mut().enumerate() {
            for (at, one) in it.moves.iter_mut().enumerate() {
                one.features = vec![0.0; 40];
                one.features[number] = f32::from(u8::from(at == it.played));
            }
        }
        for rates in cross_rate(&observations, 5, |_| true) {
            assert!(rates.iter().all(|&it| it == 0.0), "{rates:?}");
        }
        assert!(cross_rate(&[], 5, |_| true).is_empty());
    }
}
