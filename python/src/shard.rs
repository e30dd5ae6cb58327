//! Shards: the files that a collection consists of, and groups of them.

use std::path::PathBuf;

use pyo3::{prelude::*, types::PyBytes};
use tabiya_question::Shards;
use tabiya_retrieval::{
    GameNumber, Statistics as Inner, index::Segment, search::Shard as Numbered,
};

use crate::{ask, exception::Exception, statistics::Statistics, work};

/// A file of games with an index of their positions; a collection consists of such files.
/// Opening is instant, whatever the size.
#[pyclass(frozen, module = "tabiya")]
#[derive(Debug)]
pub(crate) struct Shard {
    path: PathBuf,
    segment: Segment,
}

impl Shard {
    pub(crate) fn open(path: PathBuf) -> Result<Shard, Exception> {
        let segment = Segment::open(&path)?;
        Ok(Shard { path, segment })
    }
}

#[pymethods]
impl Shard {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Shard> {
        work::quickly(py, || Shard::open(path))
    }

    /// The path of the file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// The number of games.
    #[getter]
    fn games(&self) -> u32 {
        self.segment.summary().games
    }

    /// The number of indexed positions.
    #[getter]
    fn positions(&self) -> u64 {
        self.segment.summary().positions
    }

    /// The statistics of the shard.
    fn statistics(&self, py: Python<'_>) -> PyResult<Statistics> {
        let read = work::quickly(py, || Inner::of([&self.segment]))?;
        Ok(Statistics(read))
    }

    /// Reads the whole file and verifies its checksums.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        work::quickly(py, || self.segment.check())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (PathBuf,))> {
        Ok((py.get_type::<Shard>().into_any(), (self.path(),)))
    }

    fn __repr__(&self) -> String {
        let (path, games) = (self.path.display(), self.games());
        format!("<tabiya.Shard {path}: {games} games>")
    }
}

/// Some shards of a collection, searched with the statistics of the whole.
#[pyclass(frozen, module = "tabiya._native")]
#[derive(Debug)]
pub(crate) struct ShardGroup {
    shards: Vec<(Segment, u64)>,
    statistics: Inner,
    skip: u16,
}

impl ShardGroup {
    fn open(
        files: Vec<(PathBuf, u64)>,
        statistics: Inner,
        skip: u16,
    ) -> Result<ShardGroup, Exception> {
        let mut shards = Vec::with_capacity(files.len());
        for (path, first_game) in files {
            shards.push((Segment::open(&path)?, first_game));
        }
        check_numbers(&shards)?;
        Ok(ShardGroup {
            shards,
            statistics,
            skip,
        })
    }

    fn shards(&self) -> Shards<'_> {
        let shards = self.shards.iter().map(|(segment, first_game)| Numbered {
            segment,
            first_game: GameNumber(*first_game),
        });
        Shards::new(shards.collect(), &self.statistics).with_skip(self.skip)
    }
}

/// Checks that no two games have the same number.
fn check_numbers(shards: &[(Segment, u64)]) -> Result<(), Exception> {
    let mut ranges: Vec<(u64, u64)> = Vec::with_capacity(shards.len());
    for (segment, first) in shards {
        let end = first.checked_add(segment.summary().games.into());
        let end = end.filter(|_| *first > 0);
        let end = end.ok_or_else(|| {
            Exception::query(format!(
                "a shard cannot begin with game {first}; games are counted from one"
            ))
        })?;
        ranges.push((*first, end));
    }
    ranges.sort_unstable();
    match ranges.windows(2).find(|it| it[0].1 > it[1].0) {
        Some(pair) => Err(Exception::query(format!(
            "two shards hold game {}; give each the number of its first game in the collection",
            pair[1].0
        ))),
        None => Ok(()),
    }
}

#[pymethods]
impl ShardGroup {
    #[new]
    fn new(
        py: Python<'_>,
        shards: Vec<(PathBuf, u64)>,
        statistics: &Statistics,
        skip: u16,
    ) -> PyResult<ShardGroup> {
        let statistics = statistics.0.clone();
        work::quickly(py, || ShardGroup::open(shards, statistics, skip))
    }

    #[getter]
    fn games(&self) -> u64 {
        self.shards().games()
    }

    #[getter]
    fn positions(&self) -> u64 {
        self.shards().positions()
    }

    #[getter]
    fn statistics(&self) -> Statistics {
        Statistics(self.statistics.clone())
    }

    /// The answer to a question from these shards alone, as JSON.
    fn ask(&self, py: Python<'_>, question: &str, parameters: &str) -> PyResult<String> {
        ask::answer(py, question, parameters, || self.shards())
    }

    /// The contribution of these shards to the answer of the whole collection.
    fn ask_part<'py>(
        &self,
        py: Python<'py>,
        question: &str,
        parameters: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        ask::part(py, question, parameters, || self.shards())
    }

    fn __repr__(&self) -> String {
        let (shards, games) = (self.shards.len(), self.games());
        format!("<tabiya.ShardGroup of {shards} shards: {games} games>")
    }
}
