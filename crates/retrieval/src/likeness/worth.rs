//! What agreement is worth: the learned model, a sum of step functions.
//!
//! The table is generated (`python/train/train.py`). Each feature has its own steps, which
//! never fall, so more agreement never lowers a score, and the parts of a sum explain it.

pub(super) use super::lines_table::BASE as LINES_BASE;
use super::{
    GROUPS, LINE_FEATURES,
    feature::{Feature, Features, Group},
    lines_table,
    table::{self, STEPS},
};

/// A value up to which a step goes, and what it is worth.
type Step = (f32, f64);

/// What a value of a feature adds to the score: the first step that reaches up to it.
fn worth(steps: &[Step], value: f32) -> f64 {
    let at = steps.partition_point(|step| step.0 < value);
    steps.get(at).or(steps.last()).map_or(0.0, |step| step.1)
}

/// The score of a pair with what each feature adds to it.
pub(super) fn score(features: &Features, mut part: impl FnMut(Feature, f64)) -> f64 {
    let mut score = table::BASE;
    for ((&feature, steps), &value) in Feature::ALL.iter().zip(STEPS).zip(features) {
        let worth = worth(steps, value);
        part(feature, worth);
        score += worth;
    }
    score
}

/// What the features of two courses add to the score, beside a constant.
pub(super) fn of_lines(features: &[f32; LINE_FEATURES]) -> f64 {
    let steps = lines_table::STEPS.iter().zip(features);
    steps.map(|(steps, &value)| worth(steps, value)).sum()
}

/// The score of the same position: above all others.
pub(super) const SAME: f64 = DEEP.top + 1.0;

/// The scores that there can be, and the similarities that they stand for.
#[derive(Debug)]
pub(super) struct Scale {
    /// What is added to every sum.
    pub(super) base: f64,
    /// The greatest score.
    pub(super) top: f64,
    /// The features of best lines, if they are part of it.
    lines: &'static [&'static [Step]],
    knots: &'static [(f64, f64)],
}

/// Scores of what stands on the board.
pub(super) const STATIC: Scale = Scale {
    base: table::BASE,
    top: table::TOP,
    lines: &[],
    knots: &table::KNOTS,
};

/// The same with best lines.
pub(super) const DEEP: Scale = Scale {
    base: table::BASE + lines_table::BASE,
    top: lines_table::TOP,
    lines: &lines_table::STEPS,
    knots: &lines_table::KNOTS,
};

impl Scale {
    /// The most that each group can add.
    pub(super) fn most(&self) -> [f64; GROUPS] {
        let mut most = [0.0; GROUPS];
        let features = Feature::ALL.iter().map(|it| it.group()).zip(STEPS);
        let lines = self.lines.iter().map(|&it| (Group::Lines, it));
        for (group, steps) in features.chain(lines) {
            most[group as usize] += steps.last().map_or(0.0, |step| step.1);
        }
        most
    }

    /// A score as a number from 0 to below 1: on the line between the knots around it.
    pub(super) fn similarity(&self, score: f64) -> f64 {
        let above = self.knots.partition_point(|knot| knot.0 <= score);
        match (
            above.checked_sub(1).map(|it| self.knots[it]),
            self.knots.get(above),
        ) {
            (None, _) => 0.0,
            (Some(last), None) => last.1,
            (Some(low), Some(high)) => {
                let part = (score - low.0) / (high.0 - low.0);
                low.1 + part * (high.1 - low.1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likeness::course::LineFeature;

    #[test]
    fn steps_and_knots_rise() {
        for steps in STEPS.iter().chain(&lines_table::STEPS) {
            assert!(steps.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1));
            assert_eq!(steps.last().unwrap().0, f32::INFINITY);
        }
        for scale in [STATIC, DEEP] {
            let knots = scale.knots;
            assert!(knots.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1));
            assert!(knots[0].1 == 0.0 && scale.similarity(SAME) < 1.0);
            let top: f64 = scale.most().iter().sum();
            assert!((scale.base + top - scale.top).abs() < 1e-9);
        }
    }

    #[test]
    fn the_tables_are_small() {
        let steps = STEPS.iter().chain(&lines_table::STEPS);
        let steps: usize = steps.map(|it| it.len()).sum();
        assert!(size_of::<Step>() * steps <= 60_000, "{steps} steps");
    }

    /// A sample has features and what LightGBM itself makes of them.
    fn assert_like_lightgbm(sample: &str, names: &[&str], ours: impl Fn(&[f64]) -> f64) {
        let mut lines = sample.lines();
        let header: Vec<&str> = lines.next().unwrap().split(',').collect();
        assert_eq!(header[..names.len()], *names);
        let mut count = 0;
        for line in lines {
            let cells: Vec<f64> = line.split(',').map(|it| it.parse().unwrap()).collect();
            let ours = ours(&cells);
            assert!((ours - cells[names.len()]).abs() < 1e-6, "{line}: {ours}");
            count += 1;
        }
        assert!(count >= 50);
    }

    #[test]
    fn scores_are_those_of_lightgbm() {
        assert_like_lightgbm(include_str!("sample.csv"), &Feature::NAMES, |cells| {
            score(&std::array::from_fn(|it| cells[it] as f32), |_, _| {})
        });
        assert_like_lightgbm(
            include_str!("lines_sample.csv"),
            &LineFeature::NAMES,
            |cells| LINES_BASE + of_lines(&std::array::from_fn(|it| cells[it] as f32)),
        );
    }
}
