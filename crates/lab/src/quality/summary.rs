//! Means, differences to the first ranking, and all in one figure.

use serde::Serialize;
use tabiya_gametree::Dice;

use super::Values;
use crate::bootstrap::{Estimate, Paired};
use crate::draw::Draw;

/// A measure of a ranking.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) measure: String,
    pub(crate) queries: usize,
    /// For each ranking.
    pub(crate) means: Vec<Estimate>,
    /// To the first ranking, for each ranking.
    pub(crate) differences: Vec<Paired>,
    /// The chance of the difference, corrected for the number of measures (Holm).
    pub(crate) adjusted: Vec<f64>,
}

impl Summary {
    /// Summaries of some measures, each ranking compared with the first.
    pub(crate) fn of(values: &[Values], seed: u64) -> Vec<Summary> {
        let summary = |it: &Values| {
            let baseline = it.rankings.first().cloned().unwrap_or_default();
            let paired = |them: &Vec<f64>| Paired::of(&baseline, them, seed);
            Summary {
                measure: it.name.clone(),
                queries: baseline.len(),
                means: it
                    .rankings
                    .iter()
                    .map(|it| Estimate::of(it, seed))
                    .collect(),
                differences: it.rankings.iter().map(paired).collect(),
                adjusted: Vec::new(),
            }
        };
        let mut summaries: Vec<Summary> = values.iter().map(summary).collect();
        let rankings = summaries.first().map_or(0, |it| it.means.len());
        for ranking in 0..rankings {
            let chances: Vec<f64> = summaries
                .iter()
                .map(|it| it.differences[ranking].p)
                .collect();
            for (summary, p) in summaries.iter_mut().zip(holm(&chances)) {
                summary.adjusted.push(p);
            }
        }
        summaries
    }
}

/// Chances corrected for their number, after Holm (1979).
fn holm(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|&one, &two| chances[one].total_cmp(&chances[two]));
    let mut adjusted = vec![1.0; chances.len()];
    let mut least: f64 = 0.0;
    for (rank, at) in order.into_iter().enumerate() {
        least = least
            .max((chances.len() - rank) as f64 * chances[at])
            .min(1.0);
        adjusted[at] = least;
    }
    adjusted
}

/// G: the geometric mean of some measures, as a multiple of the first ranking's.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Together {
    /// G of each ranking.
    pub(crate) means: Vec<f64>,
    /// Over the first ranking's, with the interval of a bootstrap within each measure.
    pub(crate) ratios: Vec<Estimate>,
}

/// How many samples a bootstrap draws.
const SAMPLES: usize = 2000;

impl Together {
    pub(crate) fn of(values: &[&Values], seed: u64) -> Together {
        let rankings = values.first().map_or(0, |it| it.rankings.len());
        let geometric = |ranking: usize, draws: &[Vec<usize>]| {
            let mean = |(values, draw): (&&Values, &Vec<usize>)| {
                let row = &values.rankings[ranking];
                let sum: f64 = draw.iter().map(|&it| row[it]).sum();
                sum / draw.len().max(1) as f64
            };
            let logs = values.iter().zip(draws).map(mean).map(f64::ln);
            (logs.sum::<f64>() / values.len().max(1) as f64).exp()
        };
        let length = |it: &&Values| it.rankings.first().map_or(0, Vec::len);
        let all: Vec<Vec<usize>> = values.iter().map(|it| (0..length(it)).collect()).collect();
        let mut dice = Dice::new(seed);
        let mut samples = vec![Vec::new(); rankings];
        for _ in 0..SAMPLES {
            let draw = |it: &Vec<usize>, dice: &mut Dice| {
                it.iter().map(|_| dice.index(it.len())).collect()
            };
            let draws: Vec<Vec<usize>> = all.iter().map(|it| draw(it, &mut dice)).collect();
            let first = geometric(0, &draws);
            for (ranking, samples) in samples.iter_mut().enumerate() {
                samples.push(geometric(ranking, &draws) / first);
            }
        }
        let means: Vec<f64> = (0..rankings).map(|it| geometric(it, &all)).collect();
        let ratio = |(ranking, mut samples): (usize, Vec<f64>)| {
            samples.sort_by(f64::total_cmp);
            Estimate {
                mean: means[ranking] / means[0],
                low: samples[SAMPLES * 25 / 1000],
                high: samples[SAMPLES * 975 / 1000 - 1],
            }
        };
        let ratios = samples.into_iter().enumerate().map(ratio).collect();
        Together { means, ratios }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_corrected_step_by_step() {
        let close =
            |one: &[f64], two: &[f64]| one.iter().zip(two).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close(&holm(&[0.01, 0.04, 0.03]), &[0.03, 0.06, 0.06]));
        assert!(close(&holm(&[0.9, 0.8]), &[1.0, 1.0]));
    }

    #[test]
    fn together_is_the_ratio_of_geometric_means() {
        let values = |one: f64, two: f64| Values {
            name: String::new(),
            rankings: vec![vec![one; 40], vec![two; 40]],
        };
        let (a, b) = (values(0.1, 0.2), values(0.5, 0.5));
        let together = Together::of(&[&a, &b], 1);
        assert!((together.means[1] - 0.1f64.sqrt()).abs() < 1e-12);
        assert!((together.ratios[1].mean - 2f64.sqrt()).abs() < 1e-12);
        assert!((together.ratios[1].low - 2f64.sqrt()).abs() < 1e-9);
    }
}
