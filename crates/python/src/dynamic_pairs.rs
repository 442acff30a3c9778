//! The class `DynamicPairs`: all pairs that follow changes of a graph.

use std::num::NonZeroUsize;

use apsp::any::{AnyDynamicPairs, dynamic_pairs};
use apsp::{ApspError, Config};
use graph_formats::VertexId;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use sssp::SsspError;

use crate::arguments;
use crate::changing::Changing;
use crate::error::Error;
use crate::graph::Graph;
use crate::how::How;
use crate::numbers::{Dtype, Numbers};
use crate::run::run;
use crate::searches::length;
use crate::tables::ensure_fits;

/// Distances of all pairs of vertices, and paths, which follow changes of a copy of the graph.
///
/// They take up to 8 bytes a pair, and next hops 2, or 4 where there are 65,535 vertices or more.
///
/// Parameters
/// ----------
/// graph : Graph
///     The graph before all changes; it does not change itself.
/// next_hops : bool, default False
///     Whether there are paths too.
/// algorithm, threads, progress
///     As for :meth:`Graph.all_pairs`. The algorithm is for the first time, and for changes that
///     are too many to follow.
///
/// Examples
/// --------
/// >>> import starpaths
/// >>> roads = starpaths.Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9])
/// >>> pairs = starpaths.DynamicPairs(roads, next_hops=True)
/// >>> pairs.query(0, 2)
/// (7, [0, 1, 2])
/// >>> pairs.update([("delete", 1, 2), ("insert", 2, 1, 4)])
/// >>> pairs.query(0, 2)
/// (9, [0, 2])
/// >>> pairs.distances()
/// array([[ 0.,  5.,  9.],
///        [inf,  0., inf],
///        [inf,  4.,  0.]])
#[pyclass(frozen, module = "starpaths")]
pub(crate) struct DynamicPairs {
    has_next_hops: bool,
    held: Changing<Box<dyn AnyDynamicPairs>>,
}

#[pymethods]
impl DynamicPairs {
    #[new]
    #[pyo3(signature = (graph, *, next_hops=false, algorithm=None, threads=None, progress=false))]
    fn new(
        py: Python<'_>,
        graph: Py<Graph>,
        next_hops: bool,
        algorithm: Option<&str>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        progress: bool,
    ) -> PyResult<Self> {
        let network = graph.get();
        let algorithm = algorithm.unwrap_or("auto").parse();
        let algorithm = algorithm.map_err(|error| Error::from(SsspError::from(error)))?;
        let threads = How::new(None, threads, None)?.threads;
        let config = Config { algorithm, threads, next_hops, ..Config::default() };
        let n = network.csr.n_vertices();
        let held = run(py, network.size().saturating_mul(n), progress, |progress| {
            let hop = match (next_hops, n < usize::from(u16::MAX)) {
                (false, _) => 0,
                (true, true) => 2,
                (true, false) => 4,
            };
            ensure_fits(n, n, network.size_of_distance() + hop)?;
            Ok(dynamic_pairs(&network.csr, &config, progress)?)
        })?;
        Ok(Self { has_next_hops: next_hops, held: Changing::new(py, graph, held) })
    }

    /// Makes changes of the graph, all or none, and the pairs those of the graph that is then.
    ///
    /// Parameters
    /// ----------
    /// changes : iterable of tuple
    ///     As for :meth:`DynamicTrees.update`.
    /// progress : bool, default False
    ///     Whether to show a bar.
    ///
    /// Returns
    /// -------
    /// str or None
    ///     Why all pairs were found anew; None if only those were that the changes concern.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When there is no such arc, an arc occurs twice, or the graph would have a negative
    ///     cycle; nothing is changed then.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2], directed=False)
    /// >>> pairs = starpaths.DynamicPairs(roads)
    /// >>> pairs.update([("insert", 0, 2, 1)])
    /// >>> pairs.row(0)
    /// array([0., 3., 1.])
    #[pyo3(signature = (changes, *, progress=false))]
    fn update(
        &self,
        py: Python<'_>,
        changes: &Bound<'_, PyAny>,
        progress: bool,
    ) -> PyResult<Option<&'static str>> {
        let size = (self.held.n_pairs(), progress);
        self.held.update(py, size, changes, |pairs, changes, progress| {
            Ok(pairs.update(changes, progress)?.solved)
        })
    }

    /// A copy of all distances.
    ///
    /// Parameters
    /// ----------
    /// dtype : dtype, default float64
    ///     Their type. Integers are a masked array.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (n_vertices, n_vertices)
    ///     Infinity where there is no path.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> starpaths.DynamicPairs(starpaths.Graph.from_arcs([0], [1], [5])).distances()
    /// array([[ 0.,  5.],
    ///        [inf,  0.]])
    #[pyo3(signature = (*, dtype=None))]
    fn distances<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let dtype = Dtype::of(py, dtype)?;
        let bytes = self.held.before().size_of_distance_as(dtype);
        let (distances, n) = self.held.with(py, self.held.n_pairs(), |pairs| {
            let n = pairs.pairs()?.n_vertices();
            ensure_fits(n, n, bytes)?;
            Ok((Numbers::of(pairs.table()?.distances, dtype)?, n))
        })?;
        distances.into_array(py, &[n, n])
    }

    /// The distances from a vertex.
    ///
    /// Parameters
    /// ----------
    /// source : int, or a name of the graph
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
        source: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (source, dtype) = (self.held.vertex_of("source", source)?, Dtype::of(py, dtype)?);
        let (row, n) = self.held.with(py, 0, |pairs| {
            let pairs = pairs.pairs()?;
            Ok((Numbers::of(pairs.row(source), dtype)?, pairs.n_vertices()))
        })?;
        row.into_array(py, &[n])
    }

    /// The distance from a vertex to another, and a shortest path.
    ///
    /// Parameters
    /// ----------
    /// source, target : int, or names of the graph
    ///     Where the path starts and ends.
    ///
    /// Returns
    /// -------
    /// (length, list of int), or None where there is no path
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     Without `next_hops`.
    fn query<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
    ) -> PyResult<Option<(Bound<'py, PyAny>, Vec<VertexId>)>> {
        let ends = (self.held.vertex_of("source", source)?, self.held.vertex_of("target", target)?);
        self.ensure_next_hops()?;
        let found = self.held.with(py, 0, |pairs| {
            let (pairs, (source, target)) = (pairs.pairs()?, ends);
            Ok(pairs.distance(source, target).zip(pairs.path(source, target)))
        })?;
        found.map(|(distance, path)| Ok((length(py, distance)?, path))).transpose()
    }

    /// The vertex after one on a shortest path to each vertex; -1 where there is none.
    ///
    /// Parameters
    /// ----------
    /// source : int, or a name of the graph
    ///     Where the paths start.
    ///
    /// Returns
    /// -------
    /// ndarray of int32, shape (n_vertices,)
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     Without `next_hops`.
    fn next_hops<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let source = self.held.vertex_of("source", source)?;
        self.ensure_next_hops()?;
        let hops = self.held.with(py, 0, |pairs| Ok(pairs.pairs()?.hops(source)))?;
        let hops = hops.into_iter().map(|hop| hop.map_or(-1, |hop| hop as i32));
        Ok(hops.collect::<Vec<_>>().into_pyarray(py))
    }

    /// A copy of the graph as it is now, with the names of the vertices.
    ///
    /// Returns
    /// -------
    /// Graph
    fn graph(&self, py: Python<'_>) -> PyResult<Graph> {
        self.held.graph(py, |pairs| Ok(pairs.graph()?))
    }

    fn __repr__(&self) -> String {
        format!("<starpaths.DynamicPairs of {} vertices>", self.held.n_vertices())
    }
}

impl DynamicPairs {
    fn ensure_next_hops(&self) -> Result<(), Error> {
        match self.has_next_hops {
            true => Ok(()),
            false => Err(ApspError::NotAskedFor { what: "next hops" }.into()),
        }
    }
}
