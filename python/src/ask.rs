//! Asks questions by name. Parameters are those of an HTTP request, answers are JSON, and parts
//! of an answer are bytes.

use std::time::Duration;

use pyo3::{prelude::*, types::PyBytes};
use serde::Serialize;
use tabiya_question::{
    Ask, AskError, Entry, QUESTIONS, Scope, Shards, document::Coverage, list::Gathered,
};
use tabiya_retrieval::{Statistics, search::Cancel};

use crate::{exception::Exception, work};

fn read(question: &str, parameters: &str) -> Result<Box<dyn Ask>, Exception> {
    Ok(entry(question)?.read(parameters)?)
}

fn entry(question: &str) -> Result<&'static Entry, Exception> {
    let names = || {
        QUESTIONS
            .iter()
            .map(|it| it.name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let unknown = || {
        Exception::query(format!(
            "\"{question}\" is not a question; the questions are {}",
            names()
        ))
    };
    Entry::named(question).ok_or_else(unknown)
}

/// The names of all questions.
#[pyfunction]
pub(crate) fn questions() -> Vec<&'static str> {
    QUESTIONS.iter().map(|it| it.name).collect()
}

/// The name of each question and its path under `/api/v1/`.
#[pyfunction]
pub(crate) fn paths() -> Vec<(&'static str, &'static str)> {
    QUESTIONS.iter().map(|it| (it.name, it.path)).collect()
}

/// Checks a question as a server does. Returns the groups of shards to ask: all ("everyone"), any
/// one ("anyone"), or the one that holds a game (its number).
#[pyfunction]
pub(crate) fn check(question: &str, parameters: &str) -> PyResult<String> {
    let read = entry(question).and_then(|it| Ok(it.read_within_limits(parameters)?))?;
    Ok(match read.scope() {
        Scope::Everyone => "everyone".to_owned(),
        Scope::Anyone => "anyone".to_owned(),
        Scope::Holder(game) => game.to_string(),
    })
}

/// Answers a question about positions alone, without games.
#[pyfunction]
pub(crate) fn ask(py: Python<'_>, question: &str, parameters: &str) -> PyResult<String> {
    let statistics = Statistics::default();
    answer(py, question, parameters, || {
        Shards::new(Vec::new(), &statistics)
    })
}

/// Answers a question from some shards.
pub(crate) fn answer<'a>(
    py: Python<'_>,
    question: &str,
    parameters: &str,
    shards: impl FnOnce() -> Shards<'a> + Send,
) -> PyResult<String> {
    let question = read(question, parameters)?;
    calculate(py, |cancel| question.answer(&shards(), cancel))
}

/// The contribution of some shards to an answer.
pub(crate) fn part<'py, 'a>(
    py: Python<'py>,
    question: &str,
    parameters: &str,
    shards: impl FnOnce() -> Shards<'a> + Send,
) -> PyResult<Bound<'py, PyBytes>> {
    let question = read(question, parameters)?;
    let part = calculate(py, |cancel| question.part(&shards(), cancel))?;
    Ok(PyBytes::new(py, &part))
}

/// Merges the parts of groups of shards, in the order of their games, into one answer. `took` is the
/// time spent gathering them in seconds; `shards` counts those that answered, and all.
#[pyfunction]
#[pyo3(signature = (question, parameters, parts, took=0.0, shards=None))]
pub(crate) fn merge(
    py: Python<'_>,
    question: &str,
    parameters: &str,
    parts: Vec<Vec<u8>>,
    took: f64,
    shards: Option<(u64, u64)>,
) -> PyResult<String> {
    let question = read(question, parameters)?;
    let gathered = Gathered {
        took: Duration::try_from_secs_f64(took).unwrap_or_default(),
        coverage: shards.map(|(answered, total)| Coverage { answered, total }),
    };
    calculate(py, |cancel| question.merge(&parts, gathered, cancel))
}

/// Runs work on all cores until it is done or the user cancels it.
fn calculate<T: Send>(
    py: Python<'_>,
    task: impl FnOnce(&Cancel) -> Result<T, AskError> + Send,
) -> PyResult<T> {
    let cancel = Cancel::default();
    let task = || work::with_all_cores(|| Ok(task(&cancel)?));
    work::run(py, || cancel.cancel(), |_| Ok(()), task)
}

/// A value as JSON.
pub(crate) fn to_json(value: &impl Serialize) -> Result<String, Exception> {
    let written = serde_json::to_string(value);
    written.map_err(|error| Exception::new("InternalError", error.to_string()))
}
