//! A collection, opened for reading.

use std::path::PathBuf;

use pyo3::prelude::*;
use tabiya_answer::{
    Archive,
    request::{Explain, Explore},
};
use tabiya_chess::pgn;
use tabiya_retrieval::Collection as Inner;

use crate::{ask, fault::Fault, statistics::Statistics, work};

/// A directory of games with an index over their positions.
#[pyclass(frozen, module = "tabiya._native")]
#[derive(Debug)]
pub(crate) struct Collection(Inner);

#[pymethods]
impl Collection {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Collection> {
        let inner = work::quickly(py, || Inner::open(&path))?;
        Ok(Collection(inner))
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.0.folder().to_owned()
    }

    #[getter]
    fn games(&self) -> u64 {
        self.0.games()
    }

    #[getter]
    fn positions(&self) -> u64 {
        self.0.positions()
    }

    #[getter]
    fn skip(&self) -> u16 {
        self.0.manifest().skip
    }

    #[getter]
    fn statistics(&self) -> Statistics {
        Statistics(self.0.statistics().clone())
    }

    /// The files of the shards, each with the number of its first game.
    fn shards(&self) -> Vec<(PathBuf, u64)> {
        let entries = &self.0.manifest().segments;
        let files = entries.iter().map(|it| self.0.folder().join(&it.name));
        let firsts = self.0.shards().into_iter().map(|it| it.first_game);
        files.zip(firsts).collect()
    }

    fn search(&self, py: Python<'_>, parameters: &str) -> PyResult<String> {
        ask::search(py, parameters, false, || Archive::from(&self.0))
    }

    fn explain(&self, py: Python<'_>, parameters: &str) -> PyResult<String> {
        let asked = Explain::read(parameters).map_err(Fault::from)?;
        work::quickly(py, || {
            let answer = asked.answer(self.0.statistics()).map_err(Fault::from)?;
            ask::to_json(&answer)
        })
    }

    fn explore(&self, py: Python<'_>, parameters: &str) -> PyResult<String> {
        let asked = Explore::read(parameters).map_err(Fault::from)?;
        work::quickly(py, || {
            let answer = asked.answer(&Archive::from(&self.0)).map_err(Fault::from)?;
            ask::to_json(&answer)
        })
    }

    /// A game as PGN.
    fn game(&self, py: Python<'_>, number: u64) -> PyResult<Option<String>> {
        work::quickly(py, || {
            let Some(game) = self.0.game(number).map_err(Fault::from)? else {
                return Ok(None);
            };
            let mut text = String::new();
            let written = pgn::write(&game, &mut text);
            written.map_err(|error| Fault::new("InternalError", error.to_string()))?;
            Ok::<_, Fault>(Some(text))
        })
    }
}
