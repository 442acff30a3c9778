//! Searches from one vertex, and from the nearest of several.

use std::num::NonZeroUsize;

use bytemuck::{allocation, cast_slice};
use graph_formats::{AnyCsr, Csr, VertexId, Weight, with_csr};
use numpy::{IntoPyArray, PyArray1};
use partitioned::gpu::SearchesOnGpus;
use paths::{AnyTree, Number};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use sssp::Goal;
use sssp::any::AnySolver;

use crate::arguments;
use crate::arrays::whole_numbers;
use crate::error::Error;
use crate::graph::{Graph, vertex_of};
use crate::how::How;
use crate::numbers::{Dtype, Numbers};
use crate::run::run;
use crate::tree::Tree;

/// How far a search goes.
///
/// # Errors
/// When both are given, or the cutoff is below zero or no number.
pub(crate) fn goal(target: Option<VertexId>, cutoff: Option<f64>) -> Result<Goal<Number>, Error> {
    match (target, cutoff) {
        (None, None) => Ok(Goal::All),
        (Some(target), None) => Ok(Goal::Target(target)),
        (None, Some(cutoff)) if cutoff >= 0.0 => Ok(Goal::Within(Number::F64(cutoff))),
        (None, Some(cutoff)) => {
            Err(Error::argument(format!("cutoff is {cutoff}; expected zero or more")))
        }
        (Some(_), Some(_)) => {
            Err(Error::argument("target and cutoff are both given; give one of them"))
        }
    }
}

/// Distances and predecessors from a vertex, -1 for none.
pub(crate) fn tree(
    solver: &mut dyn AnySolver,
    source: VertexId,
    goal: Goal<Number>,
    dtype: Dtype,
) -> Result<(Numbers, Vec<i32>), Error> {
    parts_of(solver.tree(source, goal)?.answer, dtype)
}

/// Those of a tree that was found.
pub(crate) fn parts_of(tree: AnyTree, dtype: Dtype) -> Result<(Numbers, Vec<i32>), Error> {
    // the code for none becomes -1
    let predecessors = allocation::cast_vec(tree.predecessors.into_storage());
    Ok((Numbers::of(tree.distances, dtype)?, predecessors))
}

/// A length as an int, or if it is none as a float.
pub(crate) fn length(py: Python<'_>, length: Number) -> PyResult<Bound<'_, PyAny>> {
    match length.to_i128() {
        Some(whole) => whole.into_bound_py_any(py),
        None => length.to_f64().into_bound_py_any(py),
    }
}

/// The vertices of an array, for a graph of `n_vertices`.
pub(crate) fn vertices_of(
    n_vertices: usize,
    role: &str,
    vertices: &Bound<'_, PyAny>,
) -> Result<Vec<VertexId>, Error> {
    let numbers: Vec<VertexId> = whole_numbers(vertices, role)?;
    numbers.iter().try_for_each(|&v| vertex_of(n_vertices, role, v.into()).map(|_| ()))?;
    Ok(numbers)
}

/// The same, or all where none are named.
pub(crate) fn vertices_or_all(
    n_vertices: usize,
    role: &str,
    vertices: Option<&Bound<'_, PyAny>>,
) -> Result<Vec<VertexId>, Error> {
    match vertices {
        Some(vertices) => vertices_of(n_vertices, role, vertices),
        None => Ok((0..n_vertices as VertexId).collect()),
    }
}

impl Graph {
    /// The graph with one more vertex, from which arcs of weight zero lead to some.
    fn with_super_source(&self, vertices: &[VertexId]) -> Result<AnyCsr, Error> {
        with_csr!(&self.csr, |graph| {
            let mut row_offsets = graph.row_offsets().to_vec();
            row_offsets.push((graph.n_arcs() + vertices.len()) as u64);
            let columns = [graph.column_indices(), vertices].concat();
            let mut weights = graph.weights().to_vec();
            weights.resize(columns.len(), Weight::ZERO);
            Ok(Csr::new(row_offsets, columns, weights)?.into())
        })
    }
}

/// The root from which predecessors lead to each vertex. That of a root is the number of vertices,
/// and becomes the code for none. O(n).
fn roots(predecessors: &mut [VertexId]) -> Vec<VertexId> {
    const NONE: VertexId = VertexId::MAX;
    let n = predecessors.len() as VertexId;
    let (mut roots, mut path) = (vec![NONE; predecessors.len()], Vec::new());
    for v in 0..n {
        let mut at = v;
        while roots[at as usize] == NONE && predecessors[at as usize] < n {
            path.push(at);
            at = predecessors[at as usize];
        }
        if predecessors[at as usize] == n {
            roots[at as usize] = at;
        }
        let root = roots[at as usize];
        path.drain(..).for_each(|v| roots[v as usize] = root);
    }
    predecessors.iter_mut().filter(|before| **before == n).for_each(|before| *before = NONE);
    roots
}

/// Distances, predecessors, and the sources where paths start.
type NearestTree<'py> = (Bound<'py, PyAny>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i32>>);

#[pymethods]
impl Graph {
    /// Shortest paths from one vertex.
    ///
    /// Parameters
    /// ----------
    /// source : int, or a name of the graph
    ///     Where paths start.
    /// target : int, or a name of the graph, optional
    ///     Stop here: vertices that are farther are left unreached.
    /// cutoff : float, optional
    ///     Leave vertices unreached that are farther than this. Not together with `target`.
    /// algorithm : str, optional
    ///     One of dijkstra, breadth-first, delta-stepping, bellman-ford, bellman-ford-queue,
    ///     bellman-ford-slf, bellman-ford-lll and bellman-ford-slf-lll; by default what should be
    ///     fastest. All give the same. A GPU has others, too: an error names them.
    /// threads : int, optional
    ///     Threads to use at most; all by default.
    /// backend : {"cpu", "cuda"}, default "cpu"
    ///     Where to search. A GPU gets the graph each time; `Solver` leaves it there.
    /// gpus : int, optional
    ///     With backend "cuda": this many GPUs of the machine share the graph. What does not fit
    ///     their memory stays in that of the host.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    ///
    /// Returns
    /// -------
    /// Tree
    ///     Distances, predecessors and paths.
    ///
    /// Raises
    /// ------
    /// NegativeCycleError
    ///     When a cycle of negative length can be reached.
    /// StarpathsError
    ///     When an argument is no such vertex, number or name, the algorithm does not take the
    ///     weights, or a distance does not fit the type.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9], n_vertices=4)
    /// >>> tree = graph.sssp(0)
    /// >>> tree.distances
    /// array([ 0.,  5.,  7., inf])
    /// >>> tree.predecessors
    /// array([-1,  0,  1, -1], dtype=int32)
    /// >>> graph.sssp(0, dtype="int64").distances
    /// masked_array(data=[0, 5, 7, --],
    ///              mask=[False, False, False,  True],
    ///        fill_value=999999)
    #[pyo3(signature = (
        source, *, target=None, cutoff=None, algorithm=None, threads=None, backend=None, gpus=None,
        dtype=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "named ones, in Python")]
    fn sssp(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        target: Option<&Bound<'_, PyAny>>,
        cutoff: Option<f64>,
        algorithm: Option<&str>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        #[pyo3(from_py_with = arguments::gpus)] gpus: Option<NonZeroUsize>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Tree> {
        let source = self.vertex_of("source", source)?;
        let target = target.map(|target| self.vertex_of("target", target)).transpose()?;
        let (goal, dtype) = (goal(target, cutoff)?, Dtype::of(py, dtype)?);
        let how = How::new(algorithm, threads, backend)?;
        let gpus = gpus.map(|gpus| how.first_gpus(gpus)).transpose()?;
        let (distances, predecessors) =
            run(py, self.size(), false, |progress| -> Result<_, Error> {
                let Some(gpus) = &gpus else {
                    return tree(&mut *how.solver(&self.csr, 1, progress)?, source, goal, dtype);
                };
                let found = SearchesOnGpus::new(gpus, &self.csr)?.tree(source, goal, progress)?;
                parts_of(found.tree, dtype)
            })?;
        Tree::new(py, source, distances, predecessors)
    }

    /// The algorithm that `sssp` would use, and why.
    ///
    /// Parameters
    /// ----------
    /// algorithm, threads, backend
    ///     As for `sssp`.
    ///
    /// Returns
    /// -------
    /// str
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> starpaths.Graph.from_arcs([0], [1]).explain(algorithm="dijkstra")
    /// 'dijkstra: chosen by the caller; queue dial; 1 thread; 32-bit keys'
    #[pyo3(signature = (*, algorithm=None, threads=None, backend=None))]
    fn explain(
        &self,
        py: Python<'_>,
        algorithm: Option<&str>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        backend: Option<&str>,
    ) -> PyResult<String> {
        let how = How::new(algorithm, threads, backend)?;
        run(py, self.size(), false, |progress| {
            Ok(how.solver(&self.csr, 1, progress)?.plan().to_string())
        })
    }

    /// The nearest of several sources for every vertex, and its distance.
    ///
    /// Parameters
    /// ----------
    /// sources : array_like of int, or of names of the graph, shape (k,)
    ///     The sources.
    /// threads, backend, gpus
    ///     As for `sssp`.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    ///
    /// Returns
    /// -------
    /// distances : ndarray, shape (n_vertices,)
    ///     The distance from the nearest source; infinity where none reaches the vertex.
    /// sources : ndarray of int32, shape (n_vertices,)
    ///     The nearest source, the smallest of several as near; -1 where there is none.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1, 2], [1, 2, 3], [2, 2, 1], directed=False)
    /// >>> graph.nearest([3, 0])
    /// (array([0., 2., 1., 0.]), array([0, 0, 3, 3], dtype=int32))
    #[pyo3(signature = (sources, *, threads=None, backend=None, gpus=None, dtype=None))]
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        sources: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        #[pyo3(from_py_with = arguments::gpus)] gpus: Option<NonZeroUsize>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyArray1<i32>>)> {
        let sources = self.vertices_of("source", sources)?;
        let (how, dtype) = (How::new(None, threads, backend)?, Dtype::of(py, dtype)?);
        let gpus = gpus.map(|gpus| how.first_gpus(gpus)).transpose()?;
        let (distances, owners) = run(py, self.size(), false, |progress| {
            let nearest = match &gpus {
                Some(gpus) => {
                    SearchesOnGpus::new(gpus, &self.csr)?.nearest(&sources, None, progress)?.tree
                }
                None => how.solver(&self.csr, 1, progress)?.nearest(&sources)?.answer,
            };
            let owners = nearest.owners_as_storage().to_vec();
            Ok((Numbers::of(nearest.distances, dtype)?, owners))
        })?;
        let owners = PyArray1::from_slice(py, cast_slice(&owners));
        Ok((distances.into_array(py, &[self.csr.n_vertices()])?, owners))
    }

    /// A shortest path to every vertex from the nearest of several sources.
    ///
    /// Parameters
    /// ----------
    /// sources : array_like of int, or of names of the graph, shape (k,)
    ///     The sources.
    /// cutoff : float, optional
    ///     Leave vertices unreached that are farther than this.
    /// threads : int, optional
    ///     Threads to use at most; all by default.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    ///
    /// Returns
    /// -------
    /// distances : ndarray, shape (n_vertices,)
    ///     The distance from the nearest source; infinity where none reaches the vertex.
    /// predecessors : ndarray of int32, shape (n_vertices,)
    ///     The vertex before each vertex on its path; -1 for sources, and where there is no path.
    /// sources : ndarray of int32, shape (n_vertices,)
    ///     The source where that path starts, one of several as near; -1 where there is none.
    ///
    /// Raises
    /// ------
    /// NegativeCycleError
    ///     When a cycle of negative length can be reached.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1, 2], [1, 2, 3], [2, 2, 1], directed=False)
    /// >>> distances, predecessors, sources = graph.nearest_tree([3, 0])
    /// >>> predecessors, sources
    /// (array([-1,  0,  3, -1], dtype=int32), array([0, 0, 3, 3], dtype=int32))
    #[pyo3(signature = (sources, *, cutoff=None, threads=None, dtype=None))]
    fn nearest_tree<'py>(
        &self,
        py: Python<'py>,
        sources: &Bound<'_, PyAny>,
        cutoff: Option<f64>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<NearestTree<'py>> {
        let n = self.csr.n_vertices();
        let sources = self.vertices_of("source", sources)?;
        let (how, dtype) = (How::new(None, threads, None)?, Dtype::of(py, dtype)?);
        let goal = goal(None, cutoff)?;
        let (distances, predecessors, owners) = run(py, self.size(), false, |progress| {
            let graph = self.with_super_source(&sources)?;
            let tree = how.solver(&graph, 1, progress)?.tree(n as VertexId, goal)?.answer;
            let distances = tree.distances.part(0..n);
            let mut predecessors = tree.predecessors.into_storage();
            predecessors.truncate(n);
            // a source at distance zero is its own nearest, though others may be as near
            let is_zero = |v: VertexId| {
                distances.get(v as usize).is_some_and(|distance| distance.to_f64() == 0.0)
            };
            sources.iter().filter(|&&source| is_zero(source)).for_each(|&source| {
                predecessors[source as usize] = n as VertexId;
            });
            let owners = roots(&mut predecessors);
            Ok((Numbers::of(distances, dtype)?, predecessors, owners))
        })?;
        // the code for none becomes -1
        let [predecessors, owners] = [predecessors, owners]
            .map(|vertices| allocation::cast_vec::<_, i32>(vertices).into_pyarray(py));
        Ok((distances.into_array(py, &[n])?, predecessors, owners))
    }

    /// The k shortest simple paths between two vertices, which pass no vertex twice.
    ///
    /// Parameters
    /// ----------
    /// source, target : int, or names of the graph
    ///     Where paths start and end.
    /// k : int
    ///     The number of paths.
    ///
    /// Returns
    /// -------
    /// list of (length, list of int)
    ///     The `k` shortest paths, or all if there are fewer, sorted by length and then by their
    ///     vertices. A length is an int if weights are integers, else a float.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When a weight is negative, or a vertex does not exist.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9])
    /// >>> graph.k_shortest_paths(0, 2, 5)
    /// [(7, [0, 1, 2]), (9, [0, 2])]
    fn k_shortest_paths<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::k)] k: usize,
    ) -> PyResult<Vec<(Bound<'py, PyAny>, Vec<VertexId>)>> {
        let source = self.vertex_of("source", source)?;
        let target = self.vertex_of("target", target)?;
        let paths = run(py, self.size().saturating_mul(k), false, |progress| {
            let mut solver = How::new(None, None, None)?.solver(&self.csr, 1, progress)?;
            Ok(solver.k_shortest_paths(source, target, k)?.answer)
        })?;
        paths.into_iter().map(|path| Ok((length(py, path.length)?, path.vertices))).collect()
    }
}
