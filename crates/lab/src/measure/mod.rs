//! How good a ranking is by judgments of its documents: one measure a file.
//!
//! Definitions are those of trec_eval, and `tests/measures.py` holds ours against
//! an independent implementation. An unjudged document gains nothing;
//! only bpref passes over it.

mod average_precision;
mod bpref;
mod judged;
mod ndcg;
mod precision;
mod recall;
mod reciprocal_rank;

use std::fmt;
use std::str::FromStr;

pub(crate) use judged::Judged;
pub(crate) use ndcg::Gain;

/// A measure of one ranking, between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Normalized discounted cumulative gain, over all or the first k.
    Ndcg {
        /// What a grade is worth.
        gain: Gain,
        /// How many documents count.
        first: Option<usize>,
    },
    /// Average precision; its mean over queries is MAP.
    AveragePrecision,
    /// The share of relevant documents among the first k.
    Precision(usize),
    /// The share of the relevant documents that is among the first k.
    Recall(usize),
    /// One over the rank of the first relevant document; its mean is MRR.
    ReciprocalRank,
    /// How rarely judged irrelevant documents stand before relevant ones.
    Bpref,
}

impl Measure {
    /// What is usually asked for: the paper's four and some more.
    pub(crate) const USUAL: [Measure; 10] = [
        Measure::ndcg(Gain::Linear, None),
        Measure::ndcg(Gain::Linear, Some(5)),
        Measure::ndcg(Gain::Linear, Some(10)),
        Measure::ndcg(Gain::Exponential, Some(5)),
        Measure::ndcg(Gain::Exponential, Some(10)),
        Measure::AveragePrecision,
        Measure::Precision(5),
        Measure::Recall(100),
        Measure::ReciprocalRank,
        Measure::Bpref,
    ];

    /// nDCG with this gain over the first k, or all.
    pub(crate) const fn ndcg(gain: Gain, first: Option<usize>) -> Measure {
        Measure::Ndcg { gain, first }
    }

    /// The measure of a ranking. Measures that know two kinds of documents only
    /// take those graded `relevant` or more as relevant.
    pub(crate) fn of(self, judged: &Judged, relevant: i32) -> f64 {
        match self {
            Measure::Ndcg { gain, first } => ndcg::ndcg(judged, gain, first),
            Measure::AveragePrecision => average_precision::average_precision(judged, relevant),
            Measure::Precision(first) => precision::precision(judged, relevant, first),
            Measure::Recall(first) => recall::recall(judged, relevant, first),
            Measure::ReciprocalRank => reciprocal_rank::reciprocal_rank(judged, relevant),
            Measure::Bpref => bpref::bpref(judged, relevant),
        }
    }
}

impl fmt::Display for Measure {
    /// The name as it is read: `nDCG@10`, `nDCG-exp@10`, `MAP`, `P@5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Measure::Ndcg { gain, first } => {
                f.write_str("nDCG")?;
                if *gain == Gain::Exponential {
                    f.write_str("-exp")?;
                }
                first.map_or(Ok(()), |it| write!(f, "@{it}"))
            }
            Measure::AveragePrecision => f.write_str("MAP"),
            Measure::Precision(first) => write!(f, "P@{first}"),
            Measure::Recall(first) => write!(f, "R@{first}"),
            Measure::ReciprocalRank => f.write_str("MRR"),
            Measure::Bpref => f.write_str("bpref"),
        }
    }
}

/// The text is not a measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnknownMeasure(String);

impl fmt::Display for UnknownMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown measure \"{}\"; choose from nDCG, nDCG@10, nDCG-exp@10, MAP, P@5, R@100, MRR and bpref",
            self.0
        )
    }
}

impl std::error::Error for UnknownMeasure {}

impl FromStr for Measure {
    type Err = UnknownMeasure;

    fn from_str(text: &str) -> Result<Measure, UnknownMeasure> {
        let lower = text.trim().to_lowercase();
        let (name, first) = match lower.split_once('@') {
            Some((name, number)) => (name, number.parse().ok().filter(|&it| it > 0)),
            None => (lower.as_str(), None),
        };
        let is_cut = lower.contains('@');
        let found = match (name, is_cut, first) {
            ("ndcg", true, None) | ("ndcg-exp", true, None) => None,
            ("ndcg", ..) => Some(Measure::ndcg(Gain::Linear, first)),
            ("ndcg-exp", ..) => Some(Measure::ndcg(Gain::Exponential, first)),
            ("map", false, _) => Some(Measure::AveragePrecision),
            ("p", true, Some(first)) => Some(Measure::Precision(first)),
            ("r", true, Some(first)) => Some(Measure::Recall(first)),
            ("mrr", false, _) => Some(Measure::ReciprocalRank),
            ("bpref", false, _) => Some(Measure::Bpref),
            _ => None,
        };
        found.ok_or_else(|| UnknownMeasure(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for measure in Measure::USUAL {
            assert_eq!(measure.to_string().parse(), Ok(measure));
        }
        for wrong in ["", "ndcg@", "ndcg@0", "p", "p@x", "map@5", "mrr@", "f1"] {
            assert!(wrong.parse::<Measure>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_measure_is_one_on_the_ideal_and_zero_on_nothing() {
        let ideal = Judged::new([4, 3, 2, 2, 2].map(Some).into(), vec![4, 3, 2, 2, 2, 0, 1]);
        let nothing = Judged::new(Vec::new(), vec![4, 3, 2, 0]);
        for measure in Measure::USUAL {
            let full = measure.of(&ideal, 2);
            let cut_short = measure == Measure::ndcg(Gain::Linear, None)
                || matches!(
                    measure,
                    Measure::Ndcg {
                        first: Some(10),
                        ..
                    }
                );
            assert!(full == 1.0 || cut_short && full > 0.9, "{measure} {full}");
            assert_eq!(measure.of(&nothing, 2), 0.0, "{measure}");
            assert_eq!(measure.of(&Judged::default(), 2), 0.0, "{measure}");
        }
    }
}
