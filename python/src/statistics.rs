//! Statistics that can be sent between machines.

use pyo3::{prelude::*, types::PyBytes};
use tabiya_retrieval::Statistics as Inner;

use crate::exception::Exception;

/// The statistics that ranking needs of a whole collection: the number of positions, the
/// lengths of their documents and the frequency of each term. The statistics of shards add
/// up; they can be compared, pickled and sent as bytes.
#[pyclass(frozen, eq, skip_from_py_object, module = "tabiya")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statistics(pub(crate) Inner);

#[pymethods]
impl Statistics {
    #[new]
    fn new() -> Statistics {
        Statistics::default()
    }

    /// Reads the output of `to_bytes`. Raises `DamagedError` for other bytes.
    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Statistics> {
        let read = Inner::from_bytes(data).map_err(Exception::from)?;
        Ok(Statistics(read))
    }

    /// The statistics as compact bytes with a checksum; equal statistics give equal bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// N: the number of positions.
    #[getter]
    fn positions(&self) -> u64 {
        self.0.positions()
    }

    /// The total number of terms of all positions.
    #[getter]
    fn total_length(&self) -> u64 {
        self.0.total_length()
    }

    /// The mean number of terms per position; 1 if there are none.
    #[getter]
    fn mean_length(&self) -> f64 {
        self.0.mean_length()
    }

    /// The number of distinct terms.
    #[getter]
    fn distinct_terms(&self) -> usize {
        self.0.distinct_terms()
    }

    /// The sum of two statistics.
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
