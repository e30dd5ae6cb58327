//! The files of TREC: judgments ("qrels") and runs.
//!
//! ```text
//! qrels  query 0 document grade
//! run    query Q0 document rank score name
//! ```
//!
//! Queries and documents are words and mean nothing here. A run's order is that
//! of trec_eval: by falling score, compared in single precision, equal scores by
//! falling name of the document; the written rank is not believed.

use std::collections::BTreeMap;
use std::fmt;

/// Why a file makes no judgments, or no run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrecError {
    /// The line, counted from one.
    pub line: usize,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Fields {
        found: usize,
        expected: &'static str,
    },
    Grade(String),
    Score(String),
    Twice {
        query: String,
        document: String,
    },
}

impl fmt::Display for TrecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.what {
            What::Fields { found, expected } => {
                write!(f, "{found} fields, expected \"{expected}\"")
            }
            What::Grade(text) => write!(f, "the grade \"{text}\" is no whole number"),
            What::Score(text) => write!(f, "the score \"{text}\" is no finite number"),
            What::Twice { query, document } => write!(
                f,
                "document {document} stands twice under query {query}; keep one of the two"
            ),
        }
    }
}

impl std::error::Error for TrecError {}

/// What people said of documents: a grade for some, by query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Qrels(BTreeMap<String, BTreeMap<String, i32>>);

impl Qrels {
    /// Reads judgments; empty lines are passed over.
    ///
    /// # Errors
    ///
    /// The first line that is none, or that judges a document again.
    pub fn parse(text: &str) -> Result<Qrels, TrecError> {
        let mut qrels = Qrels::default();
        for (line, fields) in lines(text) {
            let [query, _, document, grade] = fields[..] else {
                return Err(fields_error(line, fields.len(), "query 0 document grade"));
            };
            let grade = grade.parse().map_err(|_| TrecError {
                line,
                what: What::Grade(grade.to_owned()),
            })?;
            if qrels.insert(query, document, grade).is_some() {
                return Err(twice(line, query, document));
            }
        }
        Ok(qrels)
    }

    /// Grades a document, and returns the grade it had.
    pub fn insert(&mut self, query: &str, document: &str, grade: i32) -> Option<i32> {
        let grades = self.0.entry(query.to_owned()).or_default();
        grades.insert(document.to_owned(), grade)
    }

    /// The queries with their grades by document.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &BTreeMap<String, i32>)> {
        self.0
            .iter()
            .map(|(query, grades)| (query.as_str(), grades))
    }

    /// The grades given under a query, by document.
    pub fn of(&self, query: &str) -> Option<&BTreeMap<String, i32>> {
        self.0.get(query)
    }
}

impl fmt::Display for Qrels {
    /// Writes the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (query, grades) in &self.0 {
            for (document, grade) in grades {
                writeln!(f, "{query} 0 {document} {grade}")?;
            }
        }
        Ok(())
    }
}

/// A document that a run found.
#[derive(Clone, Debug, PartialEq)]
pub struct Retrieved {
    /// Its name.
    pub document: String,
    /// Its score; greater is better.
    pub score: f64,
}

/// A run: for each query the documents it found, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// What the run is called.
    pub name: String,
    rankings: BTreeMap<String, Vec<Retrieved>>,
}

impl Run {
    /// A run that has found nothing yet.
    pub fn new(name: &str) -> Run {
        Run {
            name: name.to_owned(),
            rankings: BTreeMap::new(),
        }
    }

    /// Reads a run; empty lines are passed over. It is called what its first
    /// line says.
    ///
    /// # Errors
    ///
    /// The first line that is none, or that finds a document again.
    pub fn parse(text: &str) -> Result<Run, TrecError> {
        let mut run = Run::default();
        let mut seen = BTreeMap::<&str, std::collections::BTreeSet<&str>>::new();
        for (line, fields) in lines(text) {
            let [query, _, document, _, score, name] = fields[..] else {
                let expected = "query Q0 document rank score name";
                return Err(fields_error(line, fields.len(), expected));
            };
            let value = score.parse().ok().filter(|it: &f64| it.is_finite());
            let score = value.ok_or_else(|| TrecError {
                line,
                what: What::Score(score.to_owned()),
            })?;
            if !seen.entry(query).or_default().insert(document) {
                return Err(twice(line, query, document));
            }
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
    pub fn insert(&mut self, query: &str, mut found: Vec<Retrieved>) {
        sort(&mut found);
        self.rankings.insert(query.to_owned(), found);
    }

    /// The queries with what was found, best first.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[Retrieved])> {
        self.rankings
            .iter()
            .map(|(query, found)| (query.as_str(), found.as_slice()))
    }

    /// What was found for a query, best first; nothing for one it does not know.
    pub fn of(&self, query: &str) -> &[Retrieved] {
        self.rankings.get(query).map_or(&[], Vec::as_slice)
    }
}

impl fmt::Display for Run {
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

/// The lines that hold something, numbered from one, as fields.
fn lines(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let fields = text.lines().map(|it| it.split_whitespace().collect());
    (1..)
        .zip(fields)
        .filter(|it: &(_, Vec<_>)| !it.1.is_empty())
}

fn fields_error(line: usize, found: usize, expected: &'static str) -> TrecError {
    TrecError {
        line,
        what: What::Fields { found, expected },
    }
}

fn twice(line: usize, query: &str, document: &str) -> TrecError {
    let (query, document) = (query.to_owned(), document.to_owned());
    TrecError {
        line,
        what: What::Twice { query, document },
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
    fn runs_are_read_in_the_order_of_trec_eval() {
        // Ranks are not believed; b and c are equal in single precision.
        let text = "q Q0 a 1 0.5 mine\nq Q0 b 2 2.00000000001 mine\n\nq\tQ0 c 3 2 mine\n";
        let run = Run::parse(text).unwrap();
        let order: Vec<_> = run.of("q").iter().map(|it| it.document.as_str()).collect();
        assert_eq!((run.name.as_str(), order), ("mine", vec!["c", "b", "a"]));
        assert!(run.of("other").is_empty());
        assert_eq!(Run::parse(&run.to_string()).unwrap(), run);
    }

    #[test]
    fn wrong_lines_are_named() {
        #[track_caller]
        fn check(error: Option<TrecError>, message: &str) {
            assert_eq!(error.unwrap().to_string(), message);
        }
        let qrels = |text| Qrels::parse(text).err();
        check(
            qrels("1 0 a 1\n\n1 0 a"),
            "line 3: 3 fields, expected \"query 0 document grade\"",
        );
        check(
            qrels("1 0 a x"),
            "line 1: the grade \"x\" is no whole number",
        );
        let again = "document a stands twice under query 1; keep one of the two";
        check(qrels("1 0 a 1\n1 0 a 1"), &format!("line 2: {again}"));
        let run = |text| Run::parse(text).err();
        check(
            run("1 Q0 a"),
            "line 1: 3 fields, expected \"query Q0 document rank score name\"",
        );
        check(
            run("1 Q0 a 1 NaN x"),
            "line 1: the score \"NaN\" is no finite number",
        );
        check(
            run("1 Q0 a 1 2 x\n1 Q0 a 2 1 x"),
            &format!("line 2: {again}"),
        );
    }
}
