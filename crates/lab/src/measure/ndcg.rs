//! Normalized discounted cumulative gain (Järvelin and Kekäläinen, 2002): graded
//! documents are worth more the higher they stand, as a part of the best possible.

use super::Judged;

/// What a document of a grade is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gain {
    /// The grade itself, as in trec_eval.
    Linear,
    /// 2^grade − 1, which favors the highest grades (Burges and others, 2005).
    Exponential,
}

impl Gain {
    fn of(self, grade: i32) -> f64 {
        match self {
            Gain::Linear => f64::from(grade.max(0)),
            Gain::Exponential => f64::from(grade.clamp(0, 1000)).exp2() - 1.0,
        }
    }
}

pub(crate) fn ndcg(judged: &Judged, gain: Gain, first: Option<usize>) -> f64 {
    let first = first.unwrap_or(usize::MAX);
    let found = judged.found().iter().map(|it| it.unwrap_or(0));
    let best = discounted(judged.ideal().iter().copied(), gain, first);
    if best > 0.0 {
        discounted(found, gain, first) / best
    } else {
        0.0
    }
}

fn discounted(grades: impl Iterator<Item = i32>, gain: Gain, first: usize) -> f64 {
    let ranked = (2u32..).zip(grades.take(first));
    ranked
        .map(|(next, grade)| gain.of(grade) / f64::from(next).log2())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_literature() {
        // Grades 3 2 3 0 1 2 found, of 3 3 3 2 2 2 1 0: the worked example of many
        // lectures, DCG 6.861 and, at six, ideal DCG 8.740.
        let found = [3, 2, 3, 0, 1, 2].map(Some).to_vec();
        let judged = Judged::new(found, vec![3, 2, 3, 0, 1, 2, 3, 2]);
        assert!((ndcg(&judged, Gain::Linear, Some(6)) - 0.785).abs() < 5e-4);
    }

    #[test]
    fn grades_below_nothing_gain_nothing() {
        let judged = Judged::new(vec![Some(-2), None, Some(1)], vec![-2, 1]);
        assert_eq!(ndcg(&judged, Gain::Linear, None), 0.5);
        assert_eq!(ndcg(&judged, Gain::Exponential, Some(2)), 0.0);
    }
}
