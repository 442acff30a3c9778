//! The class `Graph`: where graphs come from, and what they are.

use std::ops::ControlFlow;
use std::path::PathBuf;

use bytemuck::cast_slice;
use graph_formats::{AnyCsr, Direction, Ids, LoadedGraph, Name, ReadOptions, VertexId, with_csr};
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays;
use crate::error::Error;
use crate::run::run;

/// A directed graph with weighted arcs, which does not change.
///
/// Vertices are the numbers from 0 on. Weights are finite integers or floats of 32 or 64 bits, of
/// any sign, and keep their type; shorter ones are widened, and what would lose precision is
/// refused. Parallel arcs and loops are allowed. All arrays are copied.
///
/// Parameters
/// ----------
/// matrix : sparse array or matrix, or array_like, of shape (n, n)
///     Entry (i, j) is the weight of the arc from i to j. Of a sparse matrix every stored entry is
///     an arc, zeros too; of a dense one those that are neither zero, nor infinite, nor NaN.
/// directed : bool, default True
///     If False, every entry is an edge: an arc each way.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> import starpaths
/// >>> graph = starpaths.Graph(np.array([[0, 5, 9], [0, 0, 2], [0, 0, 0]]))
/// >>> graph
/// <starpaths.Graph of 3 vertices and 3 arcs, weights int64>
/// >>> graph.sssp(0).distances
/// array([0., 5., 7.])
#[pyclass(frozen, module = "starpaths")]
pub(crate) struct Graph {
    pub(crate) csr: AnyCsr,
    ids: Ids,
}

impl Graph {
    fn numbered_from_zero(csr: AnyCsr) -> Result<Self, Error> {
        Self::new(csr, Ids::FromZero)
    }

    fn new(csr: AnyCsr, ids: Ids) -> Result<Self, Error> {
        if i32::try_from(csr.n_vertices()).is_err() {
            let (found, most) = (csr.n_vertices(), i32::MAX);
            return Err(Error::argument(format!(
                "{found} vertices; at most {most} have numbers that predecessors can hold"
            )));
        }
        Ok(Self { csr, ids })
    }

    /// The vertex of this number.
    pub(crate) fn vertex_of(&self, role: &str, number: i64) -> Result<VertexId, Error> {
        let n_vertices = self.csr.n_vertices();
        match VertexId::try_from(number) {
            Ok(vertex) if (vertex as usize) < n_vertices => Ok(vertex),
            _ => Err(Error::argument(format!(
                "{role} {number} does not exist: the graph has {n_vertices} vertices, numbered \
                 from 0"
            ))),
        }
    }

    /// The steps of one pass over the graph.
    pub(crate) fn size(&self) -> usize {
        self.csr.n_vertices() + self.csr.n_arcs()
    }
}

#[pymethods]
impl Graph {
    #[new]
    #[pyo3(signature = (matrix, *, directed=true))]
    fn of_matrix(matrix: &Bound<'_, PyAny>, directed: bool) -> PyResult<Self> {
        Ok(Self::numbered_from_zero(arrays::from_matrix(matrix, directed)?)?)
    }

    /// The graph of a list of arcs, in any order.
    ///
    /// Parameters
    /// ----------
    /// sources, targets : array_like of int, shape (n_arcs,)
    ///     Where each arc starts and ends.
    /// weights : array_like, shape (n_arcs,), optional
    ///     What each arc weighs; 1 by default.
    /// n_vertices : int, optional
    ///     How many vertices there are; by default as many as the arcs need.
    /// directed : bool, default True
    ///     If False, the list is one of edges: of arcs each way.
    ///
    /// Returns
    /// -------
    /// Graph
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> starpaths.Graph.from_arcs([0, 1], [1, 2], [0.5, 2.5], directed=False)
    /// <starpaths.Graph of 3 vertices and 4 arcs, weights float64>
    #[staticmethod]
    #[pyo3(signature = (sources, targets, weights=None, *, n_vertices=None, directed=true))]
    fn from_arcs(
        sources: &Bound<'_, PyAny>,
        targets: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        n_vertices: Option<usize>,
        directed: bool,
    ) -> PyResult<Self> {
        let csr = arrays::from_arcs(sources, targets, weights, n_vertices, directed)?;
        Ok(Self::numbered_from_zero(csr)?)
    }

    /// The graph of compressed sparse rows, as scipy's `csr_array` has them.
    ///
    /// Parameters
    /// ----------
    /// indptr : array_like of int, shape (n_vertices + 1,)
    ///     Where the arcs of each vertex start in the other arrays, and last their number.
    /// indices : array_like of int, shape (n_arcs,)
    ///     Where each arc ends.
    /// weights : array_like, shape (n_arcs,), optional
    ///     What each arc weighs; 1 by default.
    ///
    /// Returns
    /// -------
    /// Graph
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> starpaths.Graph.from_csr([0, 2, 3, 3], [1, 2, 2], [5, 9, 2]).sssp(0).path_to(2)
    /// [0, 1, 2]
    #[staticmethod]
    #[pyo3(signature = (indptr, indices, weights=None))]
    fn from_csr(
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self::numbered_from_zero(arrays::from_csr(indptr, indices, weights)?)?)
    }

    /// The graph of a file, in the format that its suffix names.
    ///
    /// Formats are DIMACS (.gr), Matrix Market (.mtx), METIS (.graph), the GAP benchmark's (.sg,
    /// .wsg), edge lists (.el, .wel, .csv, .tsv) and the project's own (.spg), compressed or not.
    /// The vertices are numbered from 0 on; `name` and `vertex` lead to the file's names and back.
    ///
    /// Parameters
    /// ----------
    /// path : path_like
    ///     The file.
    ///
    /// Returns
    /// -------
    /// Graph
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When the file holds no graph; the message has the line.
    /// OSError
    ///     When it cannot be read.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        // how large it is shows only then
        let loaded = run(py, usize::MAX, |progress| {
            let progress = progress.unwrap_or(&|_, _| ControlFlow::Continue(()));
            Ok(graph_formats::read_with(&path, &ReadOptions::default(), progress)?)
        })?;
        let LoadedGraph { csr, ids, .. } = loaded;
        Ok(Self::new(csr, ids)?)
    }

    /// The graph as a sparse array of scipy: parallel arcs stay entries of their own.
    ///
    /// Returns
    /// -------
    /// scipy.sparse.csr_array
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1], [1, 0], [3, 4])
    /// >>> graph.to_scipy().toarray()
    /// array([[0, 3],
    ///        [4, 0]])
    fn to_scipy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let n = self.csr.n_vertices();
        let arrays = with_csr!(&self.csr, |graph| {
            let offsets: &[i64] = cast_slice(graph.row_offsets());
            let columns: &[i32] = cast_slice(graph.column_indices());
            let weights = PyArray1::from_slice(py, graph.weights()).into_any();
            (weights, PyArray1::from_slice(py, columns), PyArray1::from_slice(py, offsets))
        });
        let shape = PyDict::new(py);
        shape.set_item("shape", (n, n))?;
        py.import("scipy.sparse")?.call_method("csr_array", (arrays,), Some(&shape))
    }

    /// The same arcs without their weights: each counts 1.
    fn unweighted(&self) -> Self {
        Self { csr: self.csr.clone().unweighted(), ids: self.ids.clone() }
    }

    /// The same graph with every arc turned round.
    fn transposed(&self, py: Python<'_>) -> PyResult<Self> {
        let csr = run(py, self.size(), |_| Ok(with_csr!(&self.csr, |g| g.transposed().into())))?;
        Ok(Self { csr, ids: self.ids.clone() })
    }

    /// What the file that the graph is of calls a vertex: a number or a word.
    fn name<'py>(&self, py: Python<'py>, vertex: i64) -> PyResult<Bound<'py, PyAny>> {
        match self.ids.name(self.vertex_of("vertex", vertex)?) {
            Name::Number(number) => number.into_bound_py_any(py),
            Name::Word(word) => word.into_bound_py_any(py),
        }
    }

    /// The vertex that the file that the graph is of calls by this name; None if there is none.
    fn vertex(&self, name: &Bound<'_, PyAny>) -> PyResult<Option<VertexId>> {
        let n_vertices = self.csr.n_vertices();
        match name.extract::<u64>() {
            Ok(number) => Ok(self.ids.vertex(number, n_vertices)),
            Err(_) => Ok(self.ids.vertex(name.extract::<&str>()?, n_vertices)),
        }
    }

    /// How many vertices there are.
    #[getter]
    fn n_vertices(&self) -> usize {
        self.csr.n_vertices()
    }

    /// How many arcs there are; an edge counts twice.
    #[getter]
    fn n_arcs(&self) -> usize {
        self.csr.n_arcs()
    }

    /// Whether arcs are one-way, or not known to have their reverses.
    #[getter]
    fn is_directed(&self) -> bool {
        with_csr!(&self.csr, |graph| graph.direction() == Direction::Directed)
    }

    /// Whether a weight is below zero.
    #[getter]
    fn has_negative_weights(&self) -> bool {
        with_csr!(&self.csr, |graph| graph.first_negative().is_some())
    }

    /// The type of the weights, by numpy's name.
    #[getter]
    fn dtype(&self) -> &'static str {
        match &self.csr {
            AnyCsr::U32(_) => "uint32",
            AnyCsr::I32(_) => "int32",
            AnyCsr::U64(_) => "uint64",
            AnyCsr::I64(_) => "int64",
            AnyCsr::F32(_) => "float32",
            AnyCsr::F64(_) => "float64",
            _ => "another",
        }
    }

    fn __repr__(&self) -> String {
        let (n, m, dtype) = (self.n_vertices(), self.n_arcs(), self.dtype());
        format!("<starpaths.Graph of {n} vertices and {m} arcs, weights {dtype}>")
    }
}
