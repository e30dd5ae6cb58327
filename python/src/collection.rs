//! A collection open for reading.

use std::path::PathBuf;

use pyo3::prelude::*;
use tabiya_chess::pgn;
use tabiya_question::{Shards, shards::OwnShards};
use tabiya_retrieval::{Collection as Inner, GameNumber};

use crate::{ask, exception::Exception, statistics::Statistics, work};

/// A directory of games with an index of their positions.
#[pyclass(frozen, module = "tabiya._native")]
#[derive(Debug)]
pub(crate) struct Collection(Inner, OwnShards);

#[pymethods]
impl Collection {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Collection> {
        let open = work::quickly(py, || Inner::open(&path))?;
        Ok(Collection(open, OwnShards::default()))
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

    /// The file of each shard with the number of its first game.
    fn shards(&self) -> Vec<(PathBuf, u64)> {
        let entries = &self.0.manifest().segments;
        let files = entries.iter().map(|it| self.0.folder().join(&it.name));
        let firsts = self.0.shards().into_iter().map(|it| it.first_game.0);
        files.zip(firsts).collect()
    }

    /// The answer to a question as JSON.
    fn ask(&self, py: Python<'_>, question: &str, parameters: &str) -> PyResult<String> {
        let shards = || Shards::from(&self.0).with_own(&self.1);
        ask::answer(py, question, parameters, shards)
    }

    /// A game as PGN.
    fn game(&self, py: Python<'_>, number: u64) -> PyResult<Option<String>> {
        work::quickly(py, || {
            let Some(game) = self.0.game(GameNumber(number)).map_err(Exception::from)? else {
                return Ok(None);
            };
            let mut text = String::new();
            let written = pgn::write(&game, &mut text);
            written.map_err(|error| Exception::new("InternalError", error.to_string()))?;
            Ok::<_, Exception>(Some(text))
        })
    }
}
