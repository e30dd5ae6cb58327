//! A collection open for reading.

use std::path::PathBuf;

use pyo3::prelude::*;
use tabiya_chess::pgn;
use tabiya_question::Shards;
use tabiya_retrieval::{
    Collection as Inner, CollectionError, GameNumber,
    trap::{Pattern, mined_patterns},
};

use crate::{ask, fault::Fault, statistics::Statistics, work};

/// A directory of games with an index of their positions.
#[pyclass(frozen, module = "tabiya._native")]
#[derive(Debug)]
pub(crate) struct Collection {
    collection: Inner,
    /// The traps mined from its games.
    traps: Vec<Pattern>,
}

#[pymethods]
impl Collection {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Collection> {
        work::quickly(py, || {
            let collection = Inner::open(&path)?;
            let traps = mined_patterns(&collection)?;
            Ok::<_, CollectionError>(Collection { collection, traps })
        })
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.collection.folder().to_owned()
    }

    #[getter]
    fn games(&self) -> u64 {
        self.collection.games()
    }

    #[getter]
    fn positions(&self) -> u64 {
        self.collection.positions()
    }

    #[getter]
    fn skip(&self) -> u16 {
        self.collection.manifest().skip
    }

    #[getter]
    fn statistics(&self) -> Statistics {
        Statistics(self.collection.statistics().clone())
    }

    /// The file of each shard with the number of its first game.
    fn shards(&self) -> Vec<(PathBuf, u64)> {
        let entries = &self.collection.manifest().segments;
        let files = entries
            .iter()
            .map(|it| self.collection.folder().join(&it.name));
        let firsts = self
            .collection
            .shards()
            .into_iter()
            .map(|it| it.first_game.0);
        files.zip(firsts).collect()
    }

    /// The answer to a question as JSON.
    fn ask(&self, py: Python<'_>, question: &str, parameters: &str) -> PyResult<String> {
        let shards = || Shards::from(&self.collection).with_traps(&self.traps);
        ask::answer(py, question, parameters, shards)
    }

    /// A game as PGN.
    fn game(&self, py: Python<'_>, number: u64) -> PyResult<Option<String>> {
        work::quickly(py, || {
            let Some(game) = self
                .collection
                .game(GameNumber(number))
                .map_err(Fault::from)?
            else {
                return Ok(None);
            };
            let mut text = String::new();
            let written = pgn::write(&game, &mut text);
            written.map_err(|error| Fault::new("InternalError", error.to_string()))?;
            Ok::<_, Fault>(Some(text))
        })
    }
}
