//! Adds games to collections, and builds shards.

use std::{path::PathBuf, sync::atomic::Ordering};

use pyo3::prelude::*;
use tabiya_chess::pgn::Input;
use tabiya_retrieval::{
    collection::{Import, Progress},
    shard,
};

use crate::{ask, exception::Exception, shard::Shard, work};

/// Adds games to a collection, creating it if necessary. Calls `progress` with the bytes
/// read, all bytes, games and positions so far.
#[pyfunction]
pub(crate) fn index(
    py: Python<'_>,
    pgn: Vec<PathBuf>,
    folder: PathBuf,
    skip: Option<u16>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let import = import(&pgn, skip, threads)?;
    follow(py, &import, progress, |seen| {
        ask::to_json(&import.run(&folder, seen)?)
    })
}

/// Builds shards from games in a new folder. Returns a report and the shards.
#[pyfunction]
pub(crate) fn build_shards(
    py: Python<'_>,
    pgn: Vec<PathBuf>,
    folder: PathBuf,
    skip: Option<u16>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Vec<Shard>)> {
    let import = import(&pgn, skip, threads)?;
    follow(py, &import, progress, |seen| {
        let built = shard::build(&import, &folder, seen)?;
        let report = ask::to_json(&built.report)?;
        let shards = built.shards.into_iter().map(Shard::open);
        Ok((report, shards.collect::<Result<_, Exception>>()?))
    })
}

fn import(pgn: &[PathBuf], skip: Option<u16>, threads: Option<usize>) -> PyResult<Import> {
    let mut inputs = Vec::new();
    for path in pgn {
        let exception = |error| Exception::io(&path.display().to_string(), &error);
        inputs.extend(Input::at(path).map_err(exception)?);
    }
    if inputs.is_empty() {
        return Err(Exception::query("no PGN file; give at least one").into());
    }
    Ok(Import {
        skip,
        threads,
        ..Import::new(inputs)
    })
}

/// Runs an import and calls `progress` regularly, and once more at the end.
fn follow<T: Send>(
    py: Python<'_>,
    import: &Import,
    progress: Option<Py<PyAny>>,
    task: impl FnOnce(&Progress) -> Result<T, Exception> + Send,
) -> PyResult<T> {
    let total = import.inputs.iter().map(Input::size).sum::<Option<u64>>();
    let seen = Progress::default();
    let report = |py: Python<'_>| match &progress {
        Some(progress) => {
            let consumed = seen.consumed.load(Ordering::Relaxed);
            let games = seen.games.load(Ordering::Relaxed);
            let positions = seen.positions.load(Ordering::Relaxed);
            let called = progress.call1(py, (consumed, total, games, positions));
            called.map(drop)
        }
        None => Ok(()),
    };
    let done = work::run(py, || seen.cancel(), report, || task(&seen))?;
    report(py)?;
    Ok(done)
}
