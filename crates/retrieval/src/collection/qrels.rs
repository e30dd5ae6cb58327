//! Judgments as TREC keeps them ("qrels"), a line each: `query 0 document grade`.
//!
//! Queries and documents are words without spaces, and have no further meaning here.

use std::{collections::BTreeMap, fmt};

/// The grades of judged documents, by query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Qrels(BTreeMap<String, BTreeMap<String, i32>>);

/// Why a text is not a list of judgments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QrelsError {
    line: usize,
    fault: Fault,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Fault {
    Fields(usize),
    Grade(String),
    Repeated { query: String, document: String },
}

impl fmt::Display for QrelsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.fault {
            Fault::Fields(found) => {
                write!(f, "{found} fields, expected \"query 0 document grade\"")
            }
            Fault::Grade(text) => write!(f, "the grade \"{text}\" is not a whole number"),
            Fault::Repeated { query, document } => {
                write!(f, "document {document} appears twice under query {query}")
            }
        }
    }
}

impl std::error::Error for QrelsError {}

impl Qrels {
    /// Reads judgments; skips empty lines.
    ///
    /// # Errors
    ///
    /// At the first line that is not a judgment, or that judges a document again.
    pub fn parse(text: &str) -> Result<Qrels, QrelsError> {
        let mut qrels = Qrels::default();
        for (number, line) in (1..).zip(text.lines()).filter(|it| !it.1.trim().is_empty()) {
            let error = |fault| QrelsError {
                line: number,
                fault,
            };
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [query, _, document, grade] = fields[..] else {
                return Err(error(Fault::Fields(fields.len())));
            };
            let grade = grade.parse();
            let grade = grade.map_err(|_| error(Fault::Grade(fields[3].to_owned())))?;
            if qrels.insert(query, document, grade).is_some() {
                let (query, document) = (query.to_owned(), document.to_owned());
                return Err(error(Fault::Repeated { query, document }));
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
