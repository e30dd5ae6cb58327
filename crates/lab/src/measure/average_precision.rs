//! Average precision: the precision at each relevant document, averaged over all
//! relevant documents; those not found count 0.

use super::{Judged, judged::share};

pub(crate) fn average_precision(judged: &Judged, relevant: i32) -> f64 {
    let (mut hits, mut sum) = (0.0, 0.0);
    for (rank, is_relevant) in (1u32..).zip(judged.relevance(relevant)) {
        if is_relevant {
            hits += 1.0;
            sum += hits / f64::from(rank);
        }
    }
    share(sum, judged.relevant(relevant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_not_found_count_nothing() {
        let judged = Judged::new(vec![Some(2), None, Some(3)], vec![2, 3, 2, 1]);
        let expected = (1.0 + 2.0 / 3.0) / 3.0;
        assert!((average_precision(&judged, 2) - expected).abs() < 1e-12);
    }
}
