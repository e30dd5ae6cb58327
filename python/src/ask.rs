//! Questions about positions alone, and answers about to be merged.

use pyo3::prelude::*;
use serde::Serialize;
use tabiya_answer::{
    Archive, json,
    moves::Moves,
    request::{Compare, Cut, Encode, Search, read},
};
use tabiya_retrieval::search::Cancel;

use crate::{fault::Fault, work};

/// Answers a search. With `is_part` the answer is one of several, to be merged.
pub(crate) fn search<'a>(
    py: Python<'_>,
    parameters: &str,
    is_part: bool,
    archive: impl FnOnce() -> Archive<'a> + Send,
) -> PyResult<String> {
    let search = Search::read(parameters).map_err(Fault::from)?;
    let search = if is_part { search.for_a_part() } else { search };
    let cancel = Cancel::default();
    let query = search.query(&cancel).map_err(Fault::from)?;
    let task = || {
        let answer = search.answer(&query, &archive())?;
        to_json(&answer)
    };
    calculate(py, &cancel, task)
}

/// Whether a search makes sense and a server would answer it.
#[pyfunction]
pub(crate) fn check_search(parameters: &str) -> PyResult<()> {
    let search = Search::read(parameters).map_err(Fault::from)?;
    search.cut.check().map_err(Fault::from)?;
    search.query(&Cancel::default()).map_err(Fault::from)?;
    Ok(())
}

/// A game move by move, if the archive holds it.
pub(crate) fn moves(archive: &Archive<'_>, number: u64) -> Result<Option<String>, Fault> {
    let game = archive.game(number)?;
    game.map(|it| to_json(&Moves::new(number, &it))).transpose()
}

/// An answer as the server sends it.
pub(crate) fn to_json(answer: &impl Serialize) -> Result<String, Fault> {
    let written = serde_json::to_string(answer);
    written.map_err(|error| Fault::new("InternalError", error.to_string()))
}

/// Two positions by every measure, as JSON.
#[pyfunction]
pub(crate) fn compare(py: Python<'_>, parameters: &str) -> PyResult<String> {
    let asked = Compare::read(parameters).map_err(Fault::from)?;
    work::quickly(py, || work::with_all_cores(|| to_json(&asked.answer()?)))
}

/// The terms of a position, as JSON.
#[pyfunction]
pub(crate) fn encode(py: Python<'_>, parameters: &str) -> PyResult<String> {
    let asked = Encode::read(parameters).map_err(Fault::from)?;
    work::quickly(py, || to_json(&asked.answer()))
}

/// One answer of those that groups of shards gave for their parts.
#[pyfunction]
pub(crate) fn merge_answers(
    py: Python<'_>,
    answers: Vec<String>,
    parameters: &str,
) -> PyResult<String> {
    let cut: Cut = read(parameters).map_err(Fault::from)?;
    let cancel = Cancel::default();
    calculate(py, &cancel, || {
        let answers = answers.iter().map(|it| serde_json::from_str(it));
        let answers = answers.collect::<Result<Vec<json::Answer>, _>>()?;
        to_json(&tabiya_answer::merge(answers, &cut, &cancel)?)
    })
}

/// Work for all cores that the user may call off.
fn calculate<T: Send>(
    py: Python<'_>,
    cancel: &Cancel,
    task: impl FnOnce() -> Result<T, Fault> + Send,
) -> PyResult<T> {
    let task = || work::with_all_cores(task);
    work::run(py, || cancel.cancel(), |_| Ok(()), task)
}
