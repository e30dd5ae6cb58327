//! Collections in object storage.

use std::path::PathBuf;

use pyo3::{prelude::*, types::PyBytes};
use serde_json::json;
use tabiya_depot::{Depot as Inner, Manifest, ShardEntry, Transfer};

use crate::{ask, exception::Exception, statistics::Statistics, work};

/// A place in object storage that holds the generations of one collection.
#[pyclass(frozen, module = "tabiya._native")]
#[derive(Debug)]
pub(crate) struct Depot(Inner);

/// A generation as JSON.
fn to_json(generation: u64, manifest: &Manifest) -> Result<String, Exception> {
    let shards = manifest.shards.iter();
    let shards = shards.map(|it| json!({ "name": it.name(), "entry": it }));
    ask::to_json(&json!({
        "generation": generation,
        "skip": manifest.skip,
        "statistics": manifest.statistics_name(),
        "shards": shards.collect::<Vec<_>>(),
    }))
}

fn entry(text: &str) -> Result<ShardEntry, Exception> {
    let read = serde_json::from_str(text);
    read.map_err(|error| Exception::query(format!("not a shard of a depot: {error}")))
}

/// Runs a transfer and calls `progress` with the bytes done and the total.
fn follow<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    task: impl FnOnce(&Transfer) -> Result<T, Exception> + Send,
) -> PyResult<T> {
    let transfer = Transfer::default();
    let report = |py: Python<'_>| match &progress {
        Some(it) => it.call1(py, (transfer.done(), transfer.total())).map(drop),
        None => Ok(()),
    };
    let done = work::run(py, || transfer.cancel(), report, || task(&transfer))?;
    report(py)?;
    Ok(done)
}

#[pymethods]
impl Depot {
    #[new]
    fn new(py: Python<'_>, address: String) -> PyResult<Depot> {
        let inner = work::quickly(py, || Inner::open(&address))?;
        Ok(Depot(inner))
    }

    #[getter]
    fn address(&self) -> &str {
        self.0.address()
    }

    fn generations(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        work::quickly(py, || self.0.generations())
    }

    /// A generation as JSON; `None` selects the current one.
    fn manifest(&self, py: Python<'_>, generation: Option<u64>) -> PyResult<String> {
        work::quickly(py, || {
            let (number, manifest) = self.0.manifest(generation)?;
            to_json(number, &manifest)
        })
    }

    fn statistics(&self, py: Python<'_>, generation: Option<u64>) -> PyResult<Statistics> {
        let read = work::quickly(py, || {
            let (_, manifest) = self.0.manifest(generation)?;
            self.0.statistics(&manifest)
        })?;
        Ok(Statistics(read))
    }

    /// Returns whether the generation is new, and the generation as JSON.
    fn push(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(bool, String)> {
        follow(py, progress, |transfer| {
            let pushed = self.0.push(&folder, transfer)?;
            Ok((pushed.is_new, to_json(pushed.generation, &pushed.manifest)?))
        })
    }

    fn pull(
        &self,
        py: Python<'_>,
        generation: Option<u64>,
        folder: PathBuf,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        follow(py, progress, |transfer| {
            let pulled = self.0.pull(generation, &folder, transfer)?;
            to_json(pulled.generation, &pulled.manifest)
        })
    }

    /// Returns the shard's name and its entry as JSON.
    fn put_shard(&self, py: Python<'_>, path: PathBuf) -> PyResult<(String, String)> {
        follow(py, None, |transfer| {
            let entry = self.0.put_shard(&path, transfer)?;
            Ok((entry.name(), ask::to_json(&entry)?))
        })
    }

    fn get_shard(&self, py: Python<'_>, shard: &str, folder: PathBuf) -> PyResult<PathBuf> {
        let entry = entry(shard)?;
        follow(py, None, |transfer| {
            Ok(self.0.get_shard(&entry, &folder, transfer)?)
        })
    }

    fn publish(
        &self,
        py: Python<'_>,
        skip: u16,
        shards: Vec<String>,
        statistics: &Statistics,
    ) -> PyResult<u64> {
        let shards = shards.iter().map(|it| entry(it));
        let shards = shards.collect::<Result<Vec<_>, Exception>>()?;
        work::quickly(py, || self.0.publish(skip, shards, &statistics.0))
    }

    fn list(&self, py: Python<'_>, folder: &str) -> PyResult<Vec<(String, u64)>> {
        let found = work::quickly(py, || self.0.list(folder))?;
        Ok(found.into_iter().map(|it| (it.name, it.bytes)).collect())
    }

    fn get<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = work::quickly(py, || self.0.get(name))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn put(&self, py: Python<'_>, name: &str, data: Vec<u8>) -> PyResult<()> {
        work::quickly(py, || self.0.put(name, data))
    }
}
