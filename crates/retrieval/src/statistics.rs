//! What the ranking needs to know of a whole collection: how many positions
//! there are, how long their documents, and how frequent each term.

use crate::{
    index::{FormatError, Segment},
    term::{Encoding, Term, VOCABULARY},
};

/// Statistics of a collection. Those of its segments add up, so a segment can
/// be searched anywhere and score as if all were in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    positions: u64,
    total_length: u64,
    frequencies: Vec<u64>,
}

impl Default for Statistics {
    fn default() -> Statistics {
        Statistics {
            positions: 0,
            total_length: 0,
            frequencies: vec![0; VOCABULARY],
        }
    }
}

impl Statistics {
    /// The statistics of some segments together.
    ///
    /// # Errors
    ///
    /// When a segment is damaged.
    pub fn of<'a>(
        segments: impl IntoIterator<Item = &'a Segment>,
    ) -> Result<Statistics, FormatError> {
        let mut all = Statistics::default();
        for segment in segments {
            all.positions += segment.summary().positions;
            all.total_length += segment.summary().total_length;
            for (sum, frequency) in all.frequencies.iter_mut().zip(segment.frequencies()?) {
                *sum += u64::from(frequency);
            }
        }
        Ok(all)
    }

    /// The statistics of documents that belong to no segment.
    pub fn of_documents<'a>(documents: impl IntoIterator<Item = &'a Encoding>) -> Statistics {
        let mut all = Statistics::default();
        for document in documents {
            all.positions += 1;
            all.total_length += document.len() as u64;
            for (term, _) in document.iter() {
                all.frequencies[term.index()] += 1;
            }
        }
        all
    }

    /// Adds the statistics of another part of the collection.
    pub fn merge(&mut self, other: &Statistics) {
        self.positions += other.positions;
        self.total_length += other.total_length;
        for (sum, frequency) in self.frequencies.iter_mut().zip(&other.frequencies) {
            *sum += frequency;
        }
    }

    /// N: how many positions there are.
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// df: how many positions hold a term.
    pub fn frequency(&self, term: Term) -> u64 {
        self.frequencies[term.index()]
    }

    /// How many different terms occur.
    pub fn distinct_terms(&self) -> usize {
        self.frequencies.iter().filter(|&&it| it > 0).count()
    }

    /// How many terms all positions hold together.
    pub fn total_length(&self) -> u64 {
        self.total_length
    }

    /// avgdl: the mean number of terms of a position; 1 if there are none.
    pub fn mean_length(&self) -> f64 {
        if self.positions == 0 {
            1.0
        } else {
            self.total_length as f64 / self.positions as f64
        }
    }
}
