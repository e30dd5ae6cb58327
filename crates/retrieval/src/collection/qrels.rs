//! Judgments as TREC keeps them ("qrels"), a line each: `query 0 document grade`.
//!
//! Queries and documents are words without spaces, and have no further meaning here.

use std::{collections::BTreeMap, fmt};

/// The grades of judged documents, by query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Qrels(BTreeMap<String, BTreeMap<String, i32>>);

/// Why a text is not a list of judgments.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct QrelsError {
    line: usize,
    what: String,
}

impl Qrels {
    /// Reads judgments; skips empty lines.
    ///
    /// # Errors
    ///
    /// At the first line that is not a judgment, or that judges a document again.
    pub fn parse(text: &str) -> Result<Qrels, QrelsError> {
        let mut qrels = Qrels::default();
        for (number, line) in (1..).zip(text.lines()).filter(|it| !it.1.trim().is_empty()) {
            let error = |what| QrelsError { line: number, what };
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [query, _, document, grade] = fields[..] else {
                let what = "fields, expected \"query 0 document grade\"";
                return Err(error(format!("{} {what}", fields.len())));
            };
            let unread = |_| error(format!("the grade \"{grade}\" is not a whole number"));
            let grade = grade.parse().map_err(unread)?;
            if qrels.insert(query, document, grade).is_some() {
                let what = format!("document {document} appears twice under query {query}");
                return Err(error(what));
            }
        }
        Ok(qrels)
    }

    /// Grades a document, and returns its former grade.
    pub fn insert(&mut self, query: &str, document: &str, grade: i32) -> Option<i32> {
        let grades = self.0.entry(query.to_owned()).or_default();
        grades.insert(document.to_owned(), grade)
    }

    /// The queries with their grades by document.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &BTreeMap<String, i32>)> {
        let queries = self.0.iter();
        queries.map(|(query, grades)| (query.as_str(), grades))
    }

    /// The grades for a query, by document.
    pub fn of(&self, query: &str) -> Option<&BTreeMap<String, i32>> {
        self.0.get(query)
    }
}

impl fmt::Display for Qrels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (query, grades) in &self.0 {
            for (document, grade) in grades {
                writeln!(f, "{query} 0 {document} {grade}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judgments_are_read_and_written() {
        let text = "1 0 7.30 4\n1 0 9.41 0\n2 0 7.30 -1\n";
        let qrels = Qrels::parse(text).unwrap();
        assert_eq!(qrels.of("1").unwrap()["7.30"], 4);
        assert_eq!(qrels.of("3"), None);
        assert_eq!(qrels.to_string(), text);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, message) in [
            (
                "1 0 a 1\n\n1 0 a",
                "line 3: 3 fields, expected \"query 0 document grade\"",
            ),
            ("1 0 a x", "line 1: the grade \"x\" is not a whole number"),
            (
                "1 0 a 1\n1 0 a 1",
                "line 2: document a appears twice under query 1",
            ),
        ] {
            assert_eq!(Qrels::parse(text).unwrap_err().to_string(), message);
        }
    }
}
