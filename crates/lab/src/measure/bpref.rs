//! bpref (Buckley and Voorhees, 2004): of the judged irrelevant documents, how few
//! stand before the relevant ones. Unjudged documents do not count,
//! which makes it robust where judgments are few.

use super::{Judged, judged::share};

pub(crate) fn bpref(judged: &Judged, relevant: i32) -> f64 {
    let all = judged.relevant(relevant);
    // A negative grade is trec_eval's way to say "in the pool, but not judged".
    let others = judged
        .ideal()
        .partition_point(|&it| it >= 0)
        .saturating_sub(all);
    let bound = all.min(others) as f64;
    let (mut before, mut sum) = (0, 0.0);
    for &grade in judged.found().iter().flatten() {
        if grade >= relevant {
            let worse = before.min(all) as f64;
            sum += if before == 0 {
                1.0
            } else {
                1.0 - worse / bound
            };
        } else if grade >= 0 {
            before += 1;
        }
    }
    share(sum, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unjudged_documents_are_passed_over() {
        let found = vec![None, Some(2), Some(0), None, Some(2), Some(1), Some(2)];
        let judged = Judged::new(found, vec![2, 0, 2, 1, 2]);
        // One irrelevant document of two stands before the second, both before the third.
        assert_eq!(bpref(&judged, 2), (1.0 + 0.5 + 0.0) / 3.0);
    }
}
