//! The class `Graph`: its constructors and properties.

use std::ops::ControlFlow;
use std::path::PathBuf;

use bytemuck::cast_slice;
use graph_formats::{
    AnyCsr, Direction, Ids, LoadedGraph, ReadOptions, VertexId, WeightKind, with_csr,
};
use numpy::{IntoPyArray, PyArray1};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Error;
use crate::names::{Names, NamesState};
use crate::numbers::Dtype;
use crate::partitioned_graph::PartitionedGraph;
use crate::run::{ensure_not_forked, run};
use crate::{arguments, arrays};

/// A directed graph with weighted arcs, which does not change.
///
/// Vertices are the numbers from 0 on. Weights are finite integers or floats of 32 or 64 bits, of
/// any sign, and keep their type; shorter ones are widened, and what would lose precision is
/// refused. Parallel arcs and loops are allowed.
///
/// It has arrays of its own: those that it is made of may be changed afterwards.
///
/// Parameters
/// ----------
/// matrix : sparse array or matrix, or array_like, of shape (n, n)
///     Entry (i, j) is the weight of the arc from i to j. Of a sparse matrix every stored entry is
///     an arc, zeros too; of a dense one those that are neither zero, nor infinite, NaN or masked.
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
#[pyclass(frozen, weakref, module = "starpaths")]
pub(crate) struct Graph {
    pub(crate) csr: AnyCsr,
    names: Names,
}

impl Graph {
    pub(crate) fn numbered_from_zero(csr: AnyCsr) -> Result<Self, Error> {
        Self::new(csr, Names::of_file(Ids::FromZero))
    }

    fn new(csr: AnyCsr, names: Names) -> Result<Self, Error> {
        arrays::ensure_numbers(csr.n_vertices())?;
        Ok(Self { csr, names })
    }

    /// The graph of a file.
    pub(crate) fn of_file(csr: AnyCsr, ids: Ids) -> Result<Self, Error> {
        Self::new(csr, Names::of_file(ids))
    }

    /// The same arcs and names with the weights of `csr`.
    pub(crate) fn with_csr(&self, py: Python<'_>, csr: AnyCsr) -> Self {
        // the two arcs of an edge may differ now
        let csr = match self.csr.direction() {
            Direction::Undirected => csr.clone().into_undirected().unwrap_or(csr),
            Direction::Directed => csr,
        };
        Self { csr, names: self.names.clone(py) }
    }

    /// The graph that it has become. New vertices have the first of these names, unless vertices
    /// have no names.
    pub(crate) fn grown(&self, csr: AnyCsr, new: &Bound<'_, PyDict>) -> PyResult<Self> {
        let n_before = self.csr.n_vertices();
        let new = new.keys().get_slice(0, csr.n_vertices() - n_before);
        Ok(Self { csr, names: self.names.and(n_before, &new)? })
    }

    /// The names as a file has them, where they ascend.
    ///
    /// # Errors
    /// Where labels are neither all whole numbers nor all words, or do not ascend.
    pub(crate) fn ids(&self, py: Python<'_>) -> PyResult<Ids> {
        self.names.ids(py, self.csr.n_vertices())
    }

    /// The vertex of this number, or where vertices have names of a name that is no number.
    pub(crate) fn vertex_of(&self, role: &str, vertex: &Bound<'_, PyAny>) -> PyResult<VertexId> {
        self.names.vertex_of(self.csr.n_vertices(), role, vertex)
    }

    /// Vertices of an array of numbers, or of a list of names.
    pub(crate) fn vertices_of(
        &self,
        role: &str,
        vertices: &Bound<'_, PyAny>,
    ) -> Result<Vec<VertexId>, Error> {
        self.names.vertices_of(self.csr.n_vertices(), role, vertices)
    }

    /// The same, or all where none are named.
    pub(crate) fn vertices_or_all(
        &self,
        role: &str,
        vertices: Option<&Bound<'_, PyAny>>,
    ) -> Result<Vec<VertexId>, Error> {
        self.names.vertices_or_all(self.csr.n_vertices(), role, vertices)
    }

    /// Whether vertices have names other than their numbers.
    pub(crate) fn has_names(&self) -> bool {
        self.names.are_names()
    }

    /// The vertex of this name, if vertices have names.
    pub(crate) fn named(&self, name: &Bound<'_, PyAny>) -> Option<VertexId> {
        self.names.named(self.csr.n_vertices(), name)
    }

    /// Bytes of a distance in it.
    pub(crate) fn size_of_distance(&self) -> usize {
        self.csr.kind().distance().size()
    }

    /// Bytes of a distance in it while it becomes one of this type.
    pub(crate) fn size_of_distance_as(&self, dtype: Dtype) -> usize {
        let size = self.size_of_distance();
        size + dtype.besides(size)
    }

    /// The steps of one pass over the graph.
    pub(crate) fn size(&self) -> usize {
        self.csr.n_vertices() + self.csr.n_arcs()
    }
}

/// A type of weights by numpy's name.
pub(crate) fn dtype_of(kind: WeightKind) -> &'static str {
    match kind {
        WeightKind::U32 => "uint32",
        WeightKind::I32 => "int32",
        WeightKind::U64 => "uint64",
        WeightKind::I64 => "int64",
        WeightKind::F32 => "float32",
        WeightKind::F64 => "float64",
        _ => "another",
    }
}

/// The vertex of this number, in a graph of `n_vertices`.
pub(crate) fn vertex_of(n_vertices: usize, role: &str, number: i64) -> Result<VertexId, Error> {
    match VertexId::try_from(number) {
        Ok(vertex) if (vertex as usize) < n_vertices => Ok(vertex),
        _ => Err(Error::argument(format!(
            "{role} {number} does not exist: the graph has {n_vertices} vertices, numbered from 0"
        ))),
    }
}

/// The error for a vertex that is neither a number of one nor a name.
pub(crate) fn no_vertex(role: &str, vertex: &Bound<'_, PyAny>, n: usize) -> PyResult<Error> {
    let vertex = vertex.repr()?;
    Ok(Error::argument(format!(
        "{role} is {vertex}; expected a number below {n}, or a name that the graph has"
    )))
}

/// What a graph is pickled as: offsets, columns and weights, whether it is undirected, and its names.
type State<'py> = (Arrays<'py>, bool, NamesState<'py>);

type Arrays<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The graph that was pickled.
#[pyfunction(name = "_restored_graph")]
pub(crate) fn restored_graph(
    arrays: Arrays<'_>,
    is_undirected: bool,
    names: NamesState<'_>,
) -> PyResult<Graph> {
    ensure_not_forked()?;
    let (offsets, columns, weights) = arrays;
    let csr = arrays::from_csr(&offsets, &columns, Some(&weights), !is_undirected)?;
    let names = Names::restored(names, csr.n_vertices())?;
    Ok(Graph::new(csr, names)?)
}

#[pymethods]
impl Graph {
    #[new]
    #[pyo3(signature = (matrix, *, directed=true))]
    fn of_matrix(matrix: &Bound<'_, PyAny>, directed: bool) -> PyResult<Self> {
        ensure_not_forked()?;
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
    /// labels : iterable of hashable, optional
    ///     What the vertices are called, one each, for `name` and `vertex`.
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
    #[pyo3(signature = (
        sources, targets, weights=None, *, n_vertices=None, directed=true, labels=None
    ))]
    fn from_arcs(
        sources: &Bound<'_, PyAny>,
        targets: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arguments::n_vertices)] n_vertices: Option<usize>,
        directed: bool,
        labels: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        ensure_not_forked()?;
        let Some(labels) = labels else {
            let csr = arrays::from_arcs(sources, targets, weights, n_vertices, directed)?;
            return Ok(Self::numbered_from_zero(csr)?);
        };
        let (n, names) = Names::labelled(labels)?;
        if n_vertices.is_some_and(|n_vertices| n_vertices != n) {
            let message = format!("there are {n} labels; expected one for each vertex");
            return Err(Error::argument(message).into());
        }
        let csr = arrays::from_arcs(sources, targets, weights, Some(n), directed)?;
        Ok(Self::new(csr, names)?)
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
    /// directed : bool, default True
    ///     If False, every entry is an edge: an arc each way.
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
    #[pyo3(signature = (indptr, indices, weights=None, *, directed=true))]
    fn from_csr(
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        directed: bool,
    ) -> PyResult<Self> {
        ensure_not_forked()?;
        let csr = arrays::from_csr(indptr, indices, weights, directed)?;
        Ok(Self::numbered_from_zero(csr)?)
    }

    /// The graph of a file, in the format that its suffix names.
    ///
    /// Formats are DIMACS (.gr, .col), Matrix Market (.mtx), METIS (.graph), GraphML (.graphml),
    /// Pajek (.net), the GAP benchmark's (.sg, .wsg) and the project's own (.spg). Lists of arcs are
    /// .el, .wel, .csv and .tsv; a table of all pairs is a .matrix. All may be compressed.
    /// The vertices are numbered from 0 on; `name` and `vertex` lead to the file's names and back.
    ///
    /// Parameters
    /// ----------
    /// path : path_like
    ///     The file.
    /// partitioned : bool, default False
    ///     Whether each process that `mpirun` has started gets a part of the graph. All call this. Of an
    ///     .spg file each reads its rows, without the file's checksum; other files rank 0 reads.
    /// communicator : mpi4py.MPI.Comm, optional
    ///     The ranks among which the graph is partitioned; by default `mpi4py.MPI.COMM_WORLD`.
    /// backend : {"cpu", "cuda"}, default "cpu"
    ///     With `partitioned`, where ranks search: with "cuda" each has a GPU. The ranks of a machine take
    ///     its GPUs in turn.
    /// memory : int, optional
    ///     With `partitioned`, the bytes that this rank may use. If it needs more for its part of an .spg
    ///     file and a search, all ranks raise an error before they read. With "cuda" they are those of
    ///     its GPU, and arcs that do not fit stay in the host's memory.
    ///
    /// Returns
    /// -------
    /// Graph, or PartitionedGraph
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When the file holds no graph; the message has the line.
    /// OSError
    ///     When it cannot be read.
    /// MemoryError
    ///     When this rank needs more than `memory`.
    #[staticmethod]
    #[pyo3(signature = (path, *, partitioned=false, communicator=None, backend=None, memory=None))]
    fn read<'py>(
        py: Python<'py>,
        path: PathBuf,
        partitioned: bool,
        communicator: Option<&Bound<'py, PyAny>>,
        backend: Option<&str>,
        memory: Option<u64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if partitioned {
            return PartitionedGraph::read(py, &path, communicator, backend, memory)?
                .into_bound_py_any(py);
        }
        let given = [
            ("communicator", communicator.is_some()),
            ("backend", backend.is_some()),
            ("memory", memory.is_some()),
        ];
        if let Some((name, _)) = given.iter().find(|(_, is_given)| *is_given) {
            let message =
                format!("{name} is given, but partitioned is False; give partitioned=True too");
            return Err(Error::argument(message).into());
        }
        // how large it is shows only then
        let loaded = run(py, usize::MAX, false, |progress| {
            let progress = progress.unwrap_or(&|_, _| ControlFlow::Continue(()));
            Ok(graph_formats::read_with(&path, &ReadOptions::default(), progress)?)
        })?;
        let LoadedGraph { csr, ids, .. } = loaded;
        Self::of_file(csr, ids)?.into_bound_py_any(py)
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
        let arcs = self.csr.unweighted();
        // scipy widens columns where offsets are wide
        let offsets = match i32::try_from(arcs.n_arcs()) {
            Ok(_) => {
                let narrow = arcs.row_offsets().iter().map(|&offset| offset as i32);
                PyArray1::from_iter(py, narrow).into_any()
            }
            Err(_) => {
                let wide: &[i64] = cast_slice(arcs.row_offsets());
                PyArray1::from_slice(py, wide).into_any()
            }
        };
        let columns: &[i32] = cast_slice(arcs.column_indices());
        let weights =
            with_csr!(&self.csr, |graph| PyArray1::from_slice(py, graph.weights()).into_any());
        let arrays = (weights, PyArray1::from_slice(py, columns), offsets);
        let shape = PyDict::new(py);
        shape.set_item("shape", (n, n))?;
        py.import("scipy.sparse")?.call_method("csr_array", (arrays,), Some(&shape))
    }

    /// The same arcs with other weights, and the same names.
    ///
    /// Parameters
    /// ----------
    /// weights : array_like, shape (n_arcs,)
    ///     What each arc weighs, in the order of the entries of `to_scipy()`.
    ///
    /// Returns
    /// -------
    /// Graph
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2], labels=["a", "b", "c"])
    /// >>> minutes = roads.with_weights(roads.to_scipy().data * 1.5)
    /// >>> minutes.sssp("a").distances
    /// array([ 0. ,  7.5, 10.5])
    fn with_weights(&self, py: Python<'_>, weights: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(self.with_csr(py, arrays::with_weights(&self.csr, weights)?))
    }

    /// The same arcs without their weights: each counts 1.
    fn unweighted(&self, py: Python<'_>) -> Self {
        Self { csr: self.csr.unweighted().into(), names: self.names.clone(py) }
    }

    /// The same graph with every arc reversed.
    fn transposed(&self, py: Python<'_>) -> PyResult<Self> {
        let csr = run(py, self.size(), false, |_| Ok(self.csr.transposed()?))?;
        Ok(Self { csr, names: self.names.clone(py) })
    }

    /// What a vertex is called, by the file that the graph is of or by its labels.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0], [1], labels=["here", "there"])
    /// >>> graph.name(1), graph.vertex("here"), graph.vertex("elsewhere")
    /// ('there', 0, None)
    fn name<'py>(&self, py: Python<'py>, vertex: i64) -> PyResult<Bound<'py, PyAny>> {
        let vertex = vertex_of(self.csr.n_vertices(), "vertex", vertex)?;
        self.names.name(py, vertex)
    }

    /// The vertex that is called so; None if there is none.
    fn vertex(&self, name: &Bound<'_, PyAny>) -> PyResult<Option<VertexId>> {
        self.names.vertex(name, self.csr.n_vertices())
    }

    /// The vertices of several names.
    ///
    /// Parameters
    /// ----------
    /// names : iterable of hashable
    ///     Names of the file that the graph is of, or labels. A number is a name here too.
    ///
    /// Returns
    /// -------
    /// ndarray of int32
    ///     Their numbers, in this order.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0], [1], labels=[4711, 17])
    /// >>> graph.vertices([17, 4711, 17])
    /// array([1, 0, 1], dtype=int32)
    fn vertices<'py>(
        &self,
        py: Python<'py>,
        names: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let mut found = Vec::with_capacity(names.len().unwrap_or_default());
        for (at, name) in names.try_iter()?.enumerate() {
            let name = name?;
            let Some(vertex) = self.vertex(&name)? else {
                let name = name.repr()?;
                let message = format!(
                    "names: entry {at} is {name}, which the graph does not have; leave it out, or \
                     make the graph of data that has it"
                );
                return Err(Error::argument(message).into());
            };
            found.push(vertex as i32);
        }
        Ok(found.into_pyarray(py))
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
        self.csr.direction() == Direction::Directed
    }

    /// Whether a weight is below zero.
    #[getter]
    fn has_negative_weights(&self) -> bool {
        self.csr.first_negative().is_some()
    }

    /// The type of the weights, by numpy's name.
    #[getter]
    fn dtype(&self) -> &'static str {
        dtype_of(self.csr.kind())
    }

    /// It does not change, and is its own copy.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, State<'py>)> {
        let arcs = self.csr.unweighted();
        let offsets: &[i64] = cast_slice(arcs.row_offsets());
        let columns: &[i32] = cast_slice(arcs.column_indices());
        let weights =
            with_csr!(&self.csr, |graph| PyArray1::from_slice(py, graph.weights()).into_any());
        let arrays = (
            PyArray1::from_slice(py, offsets).into_any(),
            PyArray1::from_slice(py, columns).into_any(),
            weights,
        );
        let restore = py.import("starpaths._core")?.getattr("_restored_graph")?;
        Ok((restore, (arrays, !self.is_directed(), self.names.state(py)?)))
    }

    fn __repr__(&self) -> String {
        let (n, m, dtype) = (self.n_vertices(), self.n_arcs(), self.dtype());
        format!("<starpaths.Graph of {n} vertices and {m} arcs, weights {dtype}>")
    }
}
