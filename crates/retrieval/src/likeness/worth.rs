//! What agreement is worth: the learned model, a sum of step functions.
//!
//! The table is generated (`python/train/train.py`). Each feature has its own steps, which
//! never fall, so more agreement never lowers a score, and the parts of a sum explain it.

pub(super) use super::table::{BASE, TOP};
use super::{
    GROUPS,
    feature::{Feature, Features},
    table::{KNOTS, STEPS},
};

/// What a value of a feature adds to the score: the first step that reaches up to it.
pub(super) fn worth(feature: Feature, value: f32) -> f64 {
    let steps = STEPS[feature as usize];
    let at = steps.partition_point(|step| step.0 < value);
    steps.get(at).or(steps.last()).map_or(0.0, |step| step.1)
}

/// The score of a pair with what each feature adds to it.
pub(super) fn score(features: &Features, mut part: impl FnMut(Feature, f64)) -> f64 {
    let mut score = BASE;
    for (&feature, &value) in Feature::ALL.iter().zip(features) {
        let worth = worth(feature, value);
        part(feature, worth);
        score += worth;
    }
    score
}

/// The most that each group can add.
pub(super) fn most() -> [f64; GROUPS] {
    let mut most = [0.0; GROUPS];
    for (feature, steps) in Feature::ALL.iter().zip(STEPS) {
        most[feature.group() as usize] += steps.last().map_or(0.0, |step| step.1);
    }
    most
}

/// The score of the same position: above all others.
pub(super) const SAME: f64 = TOP + 1.0;

/// A score as a number from 0 to below 1: on the line between the knots around it.
pub(super) fn similarity(score: f64) -> f64 {
    let above = KNOTS.partition_point(|knot| knot.0 <= score);
    match (above.checked_sub(1).map(|it| KNOTS[it]), KNOTS.get(above)) {
        (None, _) => 0.0,
        (Some(last), None) => last.1,
        (Some(low), Some(high)) => {
            let part = (score - low.0) / (high.0 - low.0);
            low.1 + part * (high.1 - low.1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likeness::feature::FEATURES;

    #[test]
    fn steps_and_knots_rise() {
        for (feature, steps) in Feature::ALL.iter().zip(STEPS) {
            assert!(steps.is_sorted_by(|a, b| a.0 < b.0), "{feature}");
            assert!(steps.is_sorted_by(|a, b| a.1 <= b.1), "{feature}");
            assert_eq!(steps.last().unwrap().0, f32::INFINITY, "{feature}");
        }
        assert!(KNOTS.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1));
        assert!(KNOTS[0].1 == 0.0 && similarity(SAME) < 1.0);
        let top: f64 = STEPS.iter().map(|it| it.last().unwrap().1).sum();
        assert!((BASE + top - TOP).abs() < 1e-9);
    }

    #[test]
    fn the_table_is_small() {
        let steps: usize = STEPS.iter().map(|it| it.len()).sum();
        assert!(size_of::<(f32, f64)>() * steps <= 60_000, "{steps} steps");
    }

    /// The sample has features and the scores that LightGBM itself gives.
    #[test]
    fn scores_are_those_of_lightgbm() {
        let mut lines = include_str!("sample.csv").lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        assert_eq!(names[..FEATURES], Feature::NAMES);
        let mut count = 0;
        for line in lines {
            let cells: Vec<f64> = line.split(',').map(|it| it.parse().unwrap()).collect();
            let features: Features = std::array::from_fn(|it| cells[it] as f32);
            let ours = score(&features, |_, _| {});
            assert!((ours - cells[FEATURES]).abs() < 1e-6, "{line}: {ours}");
            count += 1;
        }
        assert!(count >= 50);
    }
}
