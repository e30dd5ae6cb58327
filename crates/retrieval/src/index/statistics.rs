//! What the ranking needs to know of a whole collection: how many positions
//! there are, how long their documents, and how frequent each term.

use xxhash_rust::xxh3::xxh3_64;

use super::{FormatError, Segment, u32_at, u64_at, varint};
use crate::term::{Encoding, Term, VOCABULARY};

const MAGIC: &[u8; 8] = b"tabistat";
const VERSION: u32 = 1;
/// Magic bytes and version.
const HEAD: usize = 12;
const CHECKSUM: usize = 8;

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
    pub fn of<'a>(
        segments: impl IntoIterator<Item = &'a Segment>,
    ) -> Result<Statistics, FormatError> {
        let mut all = Statistics::default();
        for segment in segments {
            all.merge(&Statistics {
                positions: segment.summary().positions,
                total_length: segment.summary().total_length,
                frequencies: segment.frequencies()?.map(u64::from).collect(),
            });
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

    /// Adds the statistics of another part of the collection. In whatever order
    /// and groups parts are added, the sum is the same.
    pub fn merge(&mut self, other: &Statistics) {
        // Saturating: numbers that were read from somewhere may be anything.
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.positions, other.positions);
        add(&mut self.total_length, other.total_length);
        for (sum, &frequency) in self.frequencies.iter_mut().zip(&other.frequencies) {
            add(sum, frequency);
        }
    }

    /// The statistics as bytes, some thirty thousand for any collection, to be
    /// kept and sent: `docs/index-format.md` describes them. Equal statistics
    /// make equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        varint::put(self.positions, &mut bytes);
        varint::put(self.total_length, &mut bytes);
        for &frequency in &self.frequencies {
            varint::put(frequency, &mut bytes);
        }
        bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    /// Reads what [`to_bytes`](Statistics::to_bytes) wrote.
    ///
    /// ```
    /// use tabiya_retrieval::Statistics;
    ///
    /// let bytes = Statistics::default().to_bytes();
    /// assert_eq!(Statistics::from_bytes(&bytes)?, Statistics::default());
    /// assert!(Statistics::from_bytes(&bytes[1..]).is_err());
    /// # Ok::<(), tabiya_retrieval::index::StatisticsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the bytes are foreign, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Statistics, StatisticsError> {
        if bytes.len() < HEAD || !bytes.starts_with(MAGIC) {
            return Err(StatisticsError::Foreign);
        }
        let found = u32_at(bytes, MAGIC.len());
        if found != VERSION {
            return Err(StatisticsError::Version { found });
        }
        let checked = bytes.split_at_checked(bytes.len() - CHECKSUM);
        let (head, sum) = checked.ok_or(StatisticsError::Damaged("they are cut short"))?;
        if xxh3_64(head) != u64_at(sum, 0) {
            return Err(StatisticsError::Damaged("their checksum is wrong"));
        }
        let body = head.get(HEAD..).and_then(Statistics::from_body);
        let read = body.ok_or(StatisticsError::Damaged(
            "they do not end where they should",
        ))?;
        if read.is_sound() {
            Ok(read)
        } else {
            Err(StatisticsError::Damaged(
                "their numbers contradict each other",
            ))
        }
    }

    fn from_body(mut body: &[u8]) -> Option<Statistics> {
        let body = &mut body;
        let read = Statistics {
            positions: varint::take(body)?,
            total_length: varint::take(body)?,
            frequencies: (0..VOCABULARY)
                .map(|_| varint::take(body))
                .collect::<Option<_>>()?,
        };
        body.is_empty().then_some(read)
    }

    /// Whether no term is in more positions than there are, and the terms make
    /// up the lengths.
    fn is_sound(&self) -> bool {
        let mut sum = Some(0u64);
        for &frequency in &self.frequencies {
            sum = sum.and_then(|it| it.checked_add(frequency));
        }
        sum == Some(self.total_length) && self.frequencies.iter().all(|&it| it <= self.positions)
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

/// Why bytes are not statistics.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticsError {
    /// They do not begin with our magic bytes.
    #[error("these are not the statistics of a collection")]
    Foreign,
    /// They were written in another version of the format.
    #[error(
        "the statistics have format {found}, this program reads format {VERSION}; \
         use the program that wrote them"
    )]
    Version {
        /// The version they were written in.
        found: u32,
    },
    /// What is wrong with them.
    #[error("the statistics are damaged ({0}); fetch or make them again")]
    Damaged(&'static str),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{Dice, random_board};

    fn random_statistics(seed: u64) -> Statistics {
        let mut dice = Dice::new(seed);
        let boards = (0..dice.below(12)).map(|_| random_board(dice.below(1 << 30) as u64));
        let documents: Vec<_> = boards.map(|it| Encoding::of_document(&it)).collect();
        Statistics::of_documents(&documents)
    }

    proptest! {
        #[test]
        fn bytes_come_back(seed: u64) {
            let statistics = random_statistics(seed);
            let bytes = statistics.to_bytes();
            prop_assert_eq!(Statistics::from_bytes(&bytes), Ok(statistics));
        }

        #[test]
        fn the_order_of_merging_does_not_matter(seeds in proptest::array::uniform3(any::<u64>())) {
            let [one, two, three] = seeds.map(random_statistics);
            let sum = |parts: [&Statistics; 3]| {
                let mut all = Statistics::default();
                parts.into_iter().for_each(|it| all.merge(it));
                all
            };
            prop_assert_eq!(sum([&one, &two, &three]), sum([&three, &one, &two]));
            let mut later = two.clone();
            later.merge(&three);
            prop_assert_eq!(sum([&one, &later, &Statistics::default()]), sum([&one, &two, &three]));
        }

        #[test]
        fn damaged_bytes_are_refused(seed: u64, at: usize, bit in 0u8..8, length: usize) {
            let bytes = random_statistics(seed).to_bytes();
            let mut flipped = bytes.clone();
            flipped[at % bytes.len()] ^= 1 << bit;
            prop_assert!(Statistics::from_bytes(&flipped).is_err());
            prop_assert!(Statistics::from_bytes(&bytes[..length % bytes.len()]).is_err());
        }

        #[test]
        fn any_bytes_with_a_right_checksum_are_safe(body in proptest::collection::vec(any::<u8>(), 0..40_000)) {
            let read = Statistics::from_bytes(&sealed(&body));
            if let Ok(mut read) = read {
                read.merge(&read.clone());
            }
        }
    }

    /// A body with head and checksum, as an attacker would make it.
    fn sealed(body: &[u8]) -> Vec<u8> {
        let mut bytes = [MAGIC.as_slice(), &VERSION.to_le_bytes(), body].concat();
        bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    #[test]
    fn every_kind_of_fault_is_told() {
        #[track_caller]
        fn check(bytes: &[u8], reason: &str) {
            let error = Statistics::from_bytes(bytes).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        let sound = random_statistics(3).to_bytes();
        let mut newer = sound.clone();
        newer[MAGIC.len()] = 9;
        check(b"", "not the statistics of a collection");
        check(
            &[b"other".as_slice(), &sound].concat(),
            "not the statistics",
        );
        check(&newer, "have format 9, this program reads format 1");
        check(&sound[..HEAD], "checksum is wrong");
        check(&sound[..sound.len() - 1], "checksum is wrong");
        check(&sealed(&[1, 1]), "do not end where they should");
        check(
            &sealed(&vec![0; VOCABULARY + 3]),
            "do not end where they should",
        );
        check(&sealed(&vec![1; VOCABULARY + 2]), "contradict each other");
        let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        check(
            &sealed(&huge.repeat(VOCABULARY + 2)),
            "contradict each other",
        );
    }

    #[test]
    fn merging_what_is_too_large_stays_sound() {
        let mut huge = Statistics {
            positions: u64::MAX,
            total_length: u64::MAX,
            frequencies: vec![u64::MAX; VOCABULARY],
        };
        huge.merge(&huge.clone());
        assert_eq!(huge.positions(), u64::MAX);
    }
}
