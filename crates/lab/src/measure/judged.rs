//! A ranking as a judge sees it.

use std::collections::BTreeMap;

use crate::run_file::Retrieved;

/// The grades of a ranking's documents, best ranked first, and all the grades that
/// were given, also to documents that were not found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Judged {
    found: Vec<Option<i32>>,
    /// All grades, falling.
    grades: Vec<i32>,
}

impl Judged {
    /// A ranking by its grades, `None` for an unjudged document, and all
    /// grades in any order.
    pub(crate) fn new(found: Vec<Option<i32>>, mut grades: Vec<i32>) -> Judged {
        grades.sort_unstable_by(|one, two| two.cmp(one));
        Judged { found, grades }
    }

    /// A ranking of documents under the grades of its query.
    pub(crate) fn of(found: &[Retrieved], grades: &BTreeMap<String, i32>) -> Judged {
        let found = found.iter().map(|it| grades.get(&it.document).copied());
        Judged::new(found.collect(), grades.values().copied().collect())
    }

    /// The grades of the documents found, in their order.
    pub(crate) fn found(&self) -> &[Option<i32>] {
        &self.found
    }

    /// All grades, falling: the ideal ranking.
    pub(crate) fn ideal(&self) -> &[i32] {
        &self.grades
    }

    /// Which of the documents found are relevant, in their order.
    pub(crate) fn relevance(&self, relevant: i32) -> impl Iterator<Item = bool> + '_ {
        let found = self.found.iter();
        found.map(move |it| it.is_some_and(|grade| grade >= relevant))
    }

    /// How many relevant documents there are, found or not.
    pub(crate) fn relevant(&self, relevant: i32) -> usize {
        self.grades.partition_point(|&it| it >= relevant)
    }
}

/// A part of a whole; nothing of nothing is 0.
pub(crate) fn share(part: f64, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part / whole as f64 }
}
