//! Reciprocal rank: how soon the first relevant document comes.

use super::Judged;

pub(crate) fn reciprocal_rank(judged: &Judged, relevant: i32) -> f64 {
    let first = judged.relevance(relevant).position(|it| it);
    first.map_or(0.0, |at| 1.0 / (at + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_relevant_document_decides() {
        let judged = Judged::new(vec![None, Some(1), Some(2), Some(2)], vec![1, 2, 2]);
        assert_eq!(reciprocal_rank(&judged, 2), 1.0 / 3.0);
        assert_eq!(reciprocal_rank(&judged, 3), 0.0);
    }
}
