//! A run in TREC's format, a line each: `query Q0 document rank score name`.
//!
//! Documents stand in the order of trec_eval: by falling score, compared in single precision,
//! equal scores by falling name of the document. The rank in the file does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::{Context, bail, ensure};
use tabiya_retrieval::Hit;

/// A document that a run found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Retrieved {
    /// Its name.
    pub(crate) document: String,
    /// Its score; greater is better.
    pub(crate) score: f64,
}

/// The name of a position: game and ply.
pub(crate) fn document(hit: &Hit) -> String {
    format!("{}.{}", hit.game, hit.ply)
}

/// A run: for each query the documents it found, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RunFile {
    /// The name of the run.
    pub(crate) name: String,
    rankings: BTreeMap<String, Vec<Retrieved>>,
}

impl RunFile {
    /// A run that has found nothing yet.
    pub(crate) fn new(name: &str) -> RunFile {
        RunFile {
            name: name.to_owned(),
            rankings: BTreeMap::new(),
        }
    }

    /// Reads a run, and its name from the first line; skips empty lines.
    ///
    /// # Errors
    ///
    /// At the first line without the six fields, or that repeats a document.
    pub(crate) fn parse(text: &str) -> anyhow::Result<RunFile> {
        let mut run = RunFile::default();
        let mut seen = BTreeSet::new();
        for (number, line) in (1..).zip(text.lines()).filter(|it| !it.1.trim().is_empty()) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [query, _, document, _, score, name] = fields[..] else {
                let found = fields.len();
                bail!(
                    "line {number}: {found} fields, expected \"query Q0 document rank score name\""
                );
            };
            let value = score.parse().ok().filter(|it: &f64| it.is_finite());
            let score = value.with_context(|| {
                format!("line {number}: the score \"{score}\" is not a finite number")
            })?;
            ensure!(
                seen.insert((query, document)),
                "line {number}: document {document} appears twice under query {query}"
            );
            if run.name.is_empty() {
                run.name = name.to_owned();
            }
            let document = document.to_owned();
            let ranking = run.rankings.entry(query.to_owned()).or_default();
            ranking.push(Retrieved { document, score });
        }
        run.rankings.values_mut().for_each(|it| sort(it));
        Ok(run)
    }

    /// Sets what the run found for a query, in any order.
    pub(crate) fn insert(&mut self, query: &str, mut found: Vec<Retrieved>) {
        sort(&mut found);
        self.rankings.insert(query.to_owned(), found);
    }

    /// What was found for a query, best first; nothing for one it does not know.
    pub(crate) fn of(&self, query: &str) -> &[Retrieved] {
        self.rankings.get(query).map_or(&[], Vec::as_slice)
    }
}

impl fmt::Display for RunFile {
    /// Writes the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (query, found) in &self.rankings {
            for (rank, Retrieved { document, score }) in (1..).zip(found) {
                writeln!(f, "{query} Q0 {document} {rank} {score} {}", self.name)?;
            }
        }
        Ok(())
    }
}

/// The order of trec_eval, so that its measures and ours see the same ranking.
fn sort(found: &mut [Retrieved]) {
    found.sort_by(|one, two| {
        let by_score = (two.score as f32).total_cmp(&(one.score as f32));
        by_score.then_with(|| two.document.cmp(&one.document))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_read_in_the_order_of_trec_eval() {
        // Ranks do not count; b and c are equal in single precision.
        let text = "q Q0 a 1 0.5 mine\nq Q0 b 2 2.00000000001 mine\n\nq\tQ0 c 3 2 mine\n";
        let run = RunFile::parse(text).unwrap();
        let order: Vec<_> = run.of("q").iter().map(|it| it.document.as_str()).collect();
        assert_eq!((run.name.as_str(), order), ("mine", vec!["c", "b", "a"]));
        assert!(run.of("other").is_empty());
        assert_eq!(RunFile::parse(&run.to_string()).unwrap(), run);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, message) in [
            (
                "1 Q0 a",
                "line 1: 3 fields, expected \"query Q0 document rank score name\"",
            ),
            (
                "1 Q0 a 1 NaN x",
                "line 1: the score \"NaN\" is not a finite number",
            ),
            (
                "1 Q0 a 1 2 x\n1 Q0 a 2 1 x",
                "line 2: document a appears twice under query 1",
            ),
        ] {
            assert_eq!(RunFile::parse(text).unwrap_err().to_string(), message);
        }
    }
}
