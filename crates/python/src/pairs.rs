//! Distances and paths of all pairs, with a query for one pair at a time.

use std::num::NonZeroUsize;

use apsp::any::AnyPairs;
use graph_formats::VertexId;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::arguments;
use crate::error::Error;
use crate::graph::Graph;
use crate::how::How;
use crate::numbers::{Dtype, Numbers};
use crate::run::{ensure_not_forked, run};
use crate::searches::length;
use crate::tables::ensure_fits;

/// Distances and paths of all pairs of vertices, as :meth:`Graph.pairs` finds them.
///
/// Attributes
/// ----------
/// plan : str
///     What found them, and why that.
#[pyclass(frozen, module = "starpaths")]
pub(crate) struct Pairs(Box<dyn AnyPairs>);

#[pymethods]
impl Pairs {
    /// The distance from a vertex to another, and a shortest path.
    ///
    /// Parameters
    /// ----------
    /// source, target : int
    ///     Where the path starts and ends.
    ///
    /// Returns
    /// -------
    /// (length, list of int), or None where there is no path
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> pairs = starpaths.Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9]).pairs()
    /// >>> pairs.query(0, 2)
    /// (7, [0, 1, 2])
    /// >>> pairs.query(2, 0)
    fn query<'py>(
        &self,
        py: Python<'py>,
        source: i64,
        target: i64,
    ) -> PyResult<Option<(Bound<'py, PyAny>, Vec<VertexId>)>> {
        let source = self.vertex_of("source", source)?;
        let target = self.vertex_of("target", target)?;
        let found = self.0.distance(source, target).zip(self.0.path(source, target));
        found.map(|(distance, path)| Ok((length(py, distance)?, path))).transpose()
    }

    /// The distances from a vertex.
    ///
    /// Parameters
    /// ----------
    /// source : int
    ///     Where they start.
    /// dtype : dtype, default float64
    ///     Their type. Integers are a masked array.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (n_vertices,)
    ///     Infinity where there is no path.
    #[pyo3(signature = (source, *, dtype=None))]
    fn row<'py>(
        &self,
        py: Python<'py>,
        source: i64,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        ensure_not_forked()?;
        let source = self.vertex_of("source", source)?;
        let row = Numbers::of(self.0.row(source), Dtype::of(py, dtype)?)?;
        row.into_array(py, &[self.0.n_vertices()])
    }

    /// The vertex after one on a shortest path to each vertex; -1 where there is none.
    ///
    /// Parameters
    /// ----------
    /// source : int
    ///     Where the paths start.
    ///
    /// Returns
    /// -------
    /// ndarray of int32, shape (n_vertices,)
    fn next_hops<'py>(&self, py: Python<'py>, source: i64) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let source = self.vertex_of("source", source)?;
        let hops = self.0.hops(source).into_iter();
        let hops: Vec<_> = hops.map(|hop| hop.map_or(-1, |hop| hop as i32)).collect();
        Ok(hops.into_pyarray(py))
    }

    /// What found them, and why that.
    #[getter]
    fn plan(&self) -> String {
        self.0.plan().to_string()
    }

    fn __repr__(&self) -> String {
        format!("<starpaths.Pairs of {} vertices>", self.0.n_vertices())
    }
}

impl Pairs {
    fn vertex_of(&self, role: &str, number: i64) -> Result<VertexId, Error> {
        let n_vertices = self.0.n_vertices();
        crate::graph::vertex_of(n_vertices, role, number)
    }
}

#[pymethods]
impl Graph {
    /// Distances and paths of all pairs, with a query for each pair.
    ///
    /// They take up to 8 bytes a pair, and a next hop 2, or 4 where there are 65,535 vertices or
    /// more.
    ///
    /// Parameters
    /// ----------
    /// algorithm, threads, backend, progress
    ///     As for `all_pairs`.
    ///
    /// Returns
    /// -------
    /// Pairs
    ///
    /// Raises
    /// ------
    /// NegativeCycleError, MemoryError
    ///     As `all_pairs`.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> pairs = starpaths.Graph.from_arcs([0, 1], [1, 2], [5, -2]).pairs()
    /// >>> pairs.row(0), pairs.next_hops(0)
    /// (array([0., 5., 3.]), array([-1,  1,  1], dtype=int32))
    #[pyo3(signature = (*, algorithm=None, threads=None, backend=None, progress=false))]
    fn pairs(
        &self,
        py: Python<'_>,
        algorithm: Option<&str>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        progress: bool,
    ) -> PyResult<Pairs> {
        let how = How::new(algorithm, threads, backend)?;
        let n = self.csr.n_vertices();
        let pairs = run(py, self.size().saturating_mul(n), progress, |progress| {
            let hop = if n < usize::from(u16::MAX) { 2 } else { 4 };
            ensure_fits(n, n, self.size_of_distance() + hop)?;
            how.all_pairs(&self.csr, true, progress)
        })?;
        Ok(Pairs(pairs))
    }
}
