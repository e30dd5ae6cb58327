//! Sampling: what is lost when only some positions, or only some children, are
//! read.
//!
//! The paper tried the structural measure on samples of 40 positions only, for its
//! cost, and suggests sampling children to lower that cost.

use rayon::prelude::*;
use serde::Serialize;
use shakmaty::Chess;
use tabiya_chess::rules::ChessRules;
use tabiya_gametree::similarity::{Continuations, Measure, Sample, Structural};

use super::Survey;
use crate::roc::Scored;

/// How many traps are above the mean, by the structural measure.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AboveMean {
    /// The trap.
    pub(crate) trap: String,
    /// The share of the traps above the mean of all positions.
    pub(crate) full: f64,
    /// The share of the non-traps above it.
    pub(crate) full_others: f64,
    /// The mean share of the traps above the mean, over the samples.
    pub(crate) sampled: f64,
}

/// Repeats the structural experiment on all positions of a survey and on `samples`
/// random samples of 40.
pub(crate) fn above_mean(survey: &Survey<'_>, samples: usize, seed: u64) -> AboveMean {
    let scores = survey.scores(&Structural::over(Continuations::new(2)));
    let all = Scored::new(&scores, &survey.is_trap);
    let shares: Vec<f64> = (0..samples as u64)
        .map(|number| {
            let mut chosen: Vec<usize> = (0..scores.len()).collect();
            let sample = Sample {
                children: 40,
                seed: seed.wrapping_add(number << 32),
            };
            sample.choose(&mut chosen);
            let values: Vec<f64> = chosen.iter().map(|&it| scores[it]).collect();
            let traps: Vec<bool> = chosen.iter().map(|&it| survey.is_trap[it]).collect();
            let scored = Scored::new(&values, &traps);
            1.0 - scored.false_negatives(scored.mean())
        })
        .collect();
    AboveMean {
        trap: survey.trap.name.clone(),
        full: 1.0 - all.false_negatives(all.mean()),
        full_others: all.false_positives(all.mean()),
        sampled: shares.iter().sum::<f64>() / samples.max(1) as f64,
    }
}

/// How far the structural measure over a sample of children is from the exact one.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SampleError {
    /// How many children are read.
    pub(crate) children: usize,
    /// The number of pairs of positions.
    pub(crate) pairs: usize,
    /// The mean absolute difference.
    pub(crate) mean: f64,
    /// The greatest.
    pub(crate) greatest: f64,
}

/// Compares sampled with exact values over pairs of positions.
pub(crate) fn sample_error(pairs: &[(Chess, Chess)], children: usize, seed: u64) -> SampleError {
    let rules = ChessRules::default();
    let exact = Structural::over(Continuations::new(2));
    let sampled = exact.sampled(Sample { children, seed });
    let errors: Vec<f64> = pairs
        .par_iter()
        .map(|(a, b)| (exact.similarity(&rules, a, b) - sampled.similarity(&rules, a, b)).abs())
        .collect();
    SampleError {
        children,
        pairs: pairs.len(),
        mean: errors.iter().sum::<f64>() / errors.len().max(1) as f64,
        greatest: errors.iter().copied().fold(0.0, f64::max),
    }
}

/// Pairs of a survey's original with some of its positions, evenly spread.
pub(crate) fn pairs(survey: &Survey<'_>, wanted: usize) -> Vec<(Chess, Chess)> {
    let step = (survey.positions.len() / wanted.max(1)).max(1);
    let some = survey.positions.iter().step_by(step).take(wanted);
    some.map(|it| (survey.trap.position.clone(), it.clone()))
        .collect()
}
