//! Statistics that travel.

use pyo3::{prelude::*, types::PyBytes};
use tabiya_retrieval::Statistics as Inner;

use crate::fault::Fault;

/// What the ranking needs to know of a whole collection: how many positions there
/// are, how long their documents, and how frequent each term. Those of its shards
/// add up; they can be compared, pickled, and sent as bytes.
#[pyclass(frozen, eq, skip_from_py_object, module = "tabiya")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statistics(pub(crate) Inner);

#[pymethods]
impl Statistics {
    #[new]
    fn new() -> Statistics {
        Statistics::default()
    }

    /// Reads what `to_bytes` wrote. Raises `DamagedError` if it is anything else.
    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Statistics> {
        let read = Inner::from_bytes(data).map_err(Fault::from)?;
        Ok(Statistics(read))
    }

    /// The statistics as compact bytes with a checksum; equal ones for equal ones.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// N: how many positions there are.
    #[getter]
    fn positions(&self) -> u64 {
        self.0.positions()
    }

    /// How many terms all positions hold together.
    #[getter]
    fn total_length(&self) -> u64 {
        self.0.total_length()
    }

    /// The mean number of terms of a position; 1 if there are none.
    #[getter]
    fn mean_length(&self) -> f64 {
        self.0.mean_length()
    }

    /// How many different terms occur.
    #[getter]
    fn distinct_terms(&self) -> usize {
        self.0.distinct_terms()
    }

    /// The sum of both.
    fn merge(&self, other: &Statistics) -> Statistics {
        let mut sum = self.0.clone();
        sum.merge(&other.0);
        Statistics(sum)
    }

    fn __add__(&self, other: &Statistics) -> Statistics {
        self.merge(other)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let read = py.get_type::<Statistics>().getattr("from_bytes")?;
        Ok((read, (self.to_bytes(py),)))
    }

    fn __repr__(&self) -> String {
        let Statistics(inner) = self;
        format!(
            "<tabiya.Statistics of {} positions, {:.1} terms each>",
            inner.positions(),
            inner.mean_length()
        )
    }
}
