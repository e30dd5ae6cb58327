//! Precision: the share of relevant documents among the first k; fewer documents
//! than k are no excuse.

use super::{Judged, judged::share};

pub(crate) fn precision(judged: &Judged, relevant: i32, first: usize) -> f64 {
    let hits = judged
        .relevance(relevant)
        .take(first)
        .filter(|it| *it)
        .count();
    share(hits as f64, first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_rankings_are_filled_with_nothing() {
        let judged = Judged::new(vec![Some(2), Some(1), Some(2)], vec![2, 1, 2]);
        assert_eq!(precision(&judged, 2, 5), 0.4);
        assert_eq!(precision(&judged, 2, 2), 0.5);
    }
}
