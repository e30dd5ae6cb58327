//! A run under judgments: every measure on every query.

use tabiya_retrieval::collection::Qrels;

use crate::bootstrap::Estimate;
use crate::measure::{Judged, Measure};
use crate::run_file::RunFile;

/// The values of some measures, query by query.
#[derive(Clone, Debug)]
pub(crate) struct Evaluation {
    /// The name of the run.
    pub(crate) run: String,
    /// The measures, in the order of the values.
    pub(crate) measures: Vec<Measure>,
    /// Each query with its values.
    pub(crate) queries: Vec<(String, Vec<f64>)>,
}

impl Evaluation {
    /// Measures a run on every judged query; one that it did not answer counts 0.
    /// Skips queries without judgments.
    pub(crate) fn of(
        qrels: &Qrels,
        run: &RunFile,
        measures: &[Measure],
        relevant: i32,
    ) -> Evaluation {
        let values = qrels.iter().map(|(query, grades)| {
            let judged = Judged::of(run.of(query), grades);
            let values = measures.iter().map(|it| it.of(&judged, relevant));
            (query.to_owned(), values.collect())
        });
        Evaluation {
            run: run.name.clone(),
            measures: measures.to_vec(),
            queries: values.collect(),
        }
    }

    /// The values of the measure with this number, in the order of the queries.
    pub(crate) fn column(&self, measure: usize) -> Vec<f64> {
        let value = |it: &(String, Vec<f64>)| it.1.get(measure).copied();
        self.queries.iter().filter_map(value).collect()
    }

    /// The mean of each measure with its interval.
    pub(crate) fn estimates(&self, seed: u64) -> Vec<(Measure, Estimate)> {
        let numbered = self.measures.iter().enumerate();
        let estimate = |(at, &it)| (it, Estimate::of(&self.column(at), seed));
        numbered.map(estimate).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unanswered_queries_count_and_unjudged_ones_do_not() {
        let qrels = Qrels::parse("1 0 a 2\n2 0 b 2\n").unwrap();
        let run = RunFile::parse("1 Q0 a 1 1 x\n3 Q0 c 1 1 x\n").unwrap();
        let measures = [Measure::AveragePrecision, Measure::Precision(1)];
        let evaluation = Evaluation::of(&qrels, &run, &measures, 2);
        assert_eq!(evaluation.column(0), [1.0, 0.0]);
        let means: Vec<f64> = evaluation.estimates(1).iter().map(|it| it.1.mean).collect();
        assert_eq!(means, [0.5, 0.5]);
        assert!(evaluation.column(2).is_empty());
    }
}
