//! Recall: the share of all relevant documents that is among the first k.

use super::{Judged, judged::share};

pub(crate) fn recall(judged: &Judged, relevant: i32, first: usize) -> f64 {
    let hits = judged
        .relevance(relevant)
        .take(first)
        .filter(|it| *it)
        .count();
    share(hits as f64, judged.relevant(relevant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_is_of_all_that_is_relevant() {
        let judged = Judged::new(vec![Some(2), None, Some(2)], vec![2, 2, 2, 3, 0]);
        assert_eq!(recall(&judged, 2, 2), 0.25);
        assert_eq!(recall(&judged, 2, 100), 0.5);
    }
}
