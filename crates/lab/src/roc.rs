//! How well a score separates the members of a class from the rest.
//!
//! A score is good if members have higher ones. A threshold turns it into a
//! decision and so into two kinds of error; the area under the ROC curve judges
//! the score without one.

/// Scores of things of which some are members of a class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scored {
    members: Vec<f64>,
    others: Vec<f64>,
}

impl Scored {
    /// Divides scores by membership; the two go in parallel.
    pub(crate) fn new(scores: &[f64], is_member: &[bool]) -> Scored {
        let mut scored = Scored::default();
        for (&score, &member) in scores.iter().zip(is_member) {
            if member {
                scored.members.push(score)
            } else {
                scored.others.push(score)
            }
        }
        scored
    }

    /// The mean of all scores, 0 without any.
    pub(crate) fn mean(&self) -> f64 {
        let sum: f64 = self.members.iter().chain(&self.others).sum();
        ratio(sum, self.members.len() + self.others.len())
    }

    /// The share of members below the threshold.
    pub(crate) fn false_negatives(&self, threshold: f64) -> f64 {
        let missed = self.members.iter().filter(|&&it| it < threshold).count();
        ratio(missed as f64, self.members.len())
    }

    /// The share of the others above the threshold.
    pub(crate) fn false_positives(&self, threshold: f64) -> f64 {
        let wrong = self.others.iter().filter(|&&it| it > threshold).count();
        ratio(wrong as f64, self.others.len())
    }

    /// The chance that a random member scores higher than a random other, ties
    /// counted half: the area under the ROC curve. One half if either is missing.
    pub(crate) fn area(&self) -> f64 {
        let mut others = self.others.clone();
        others.sort_by(f64::total_cmp);
        let wins = self.members.iter().map(|score| {
            let below = others.partition_point(|it| it < score);
            let equal = others.partition_point(|it| it <= score) - below;
            below as f64 + equal as f64 / 2.0
        });
        let pairs = self.members.len() * self.others.len();
        if pairs == 0 {
            0.5
        } else {
            wins.sum::<f64>() / pairs as f64
        }
    }
}

fn ratio(part: f64, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ROC curve: false and true positives as the threshold falls.
    fn curve(scored: &Scored) -> Vec<(f64, f64)> {
        let mut thresholds: Vec<f64> = scored
            .members
            .iter()
            .chain(&scored.others)
            .copied()
            .collect();
        thresholds.sort_by(|a, b| b.total_cmp(a));
        thresholds.dedup();
        let share = |list: &[f64], least: f64| {
            ratio(
                list.iter().filter(|&&it| it >= least).count() as f64,
                list.len(),
            )
        };
        let points = thresholds
            .iter()
            .map(|&it| (share(&scored.others, it), share(&scored.members, it)));
        std::iter::once((0.0, 0.0)).chain(points).collect()
    }

    #[test]
    fn errors_are_counted_on_their_own_side() {
        let scored = Scored::new(&[0.8, 0.2, 0.6, 0.4], &[true, true, false, false]);
        assert_eq!(scored.mean(), 0.5);
        assert_eq!(scored.false_negatives(0.5), 0.5);
        assert_eq!(scored.false_positives(0.5), 0.5);
        assert_eq!(scored.area(), 0.5);
    }

    #[test]
    fn the_curve_encloses_the_area() {
        let scored = Scored::new(
            &[0.9, 0.8, 0.8, 0.3, 0.1],
            &[true, false, true, true, false],
        );
        let curve = curve(&scored);
        let trapezoids = curve
            .windows(2)
            .map(|it| (it[1].0 - it[0].0) * (it[0].1 + it[1].1) / 2.0);
        assert!((trapezoids.sum::<f64>() - scored.area()).abs() < 1e-12);
        assert_eq!(curve.last(), Some(&(1.0, 1.0)));
    }

    #[test]
    fn nothing_scored_is_no_error() {
        let scored = Scored::new(&[], &[]);
        assert_eq!(
            (scored.mean(), scored.area(), scored.false_negatives(0.5)),
            (0.0, 0.5, 0.0)
        );
    }

    #[test]
    fn the_area_counts_ties_half() {
        let scored = Scored::new(&[0.9, 0.5, 0.5, 0.1], &[true, true, false, false]);
        assert_eq!(scored.area(), 0.875);
    }
}
