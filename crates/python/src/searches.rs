//! Searches from one vertex or from a few at once.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::thread;

use bytemuck::cast_slice;
use graph_formats::{Distance, VertexId, Weight, with_csr};
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use sssp::{Config, Goal, Progress, Solver};

use crate::arrays::whole_numbers;
use crate::error::Error;
use crate::graph::Graph;
use crate::numbers::{Dtype, Numbers};
use crate::run::run;
use crate::tree::Tree;

/// What to search with, by the names of the arguments.
pub(crate) fn config(
    algorithm: Option<&str>,
    threads: Option<NonZeroUsize>,
) -> Result<Config, Error> {
    let algorithm = algorithm.map(sssp::Algorithm::from_str).transpose()?;
    Ok(Config { algorithm, threads: at_most_all(threads), ..Config::default() })
}

/// As many threads, but not more than the machine runs at once.
pub(crate) fn at_most_all(threads: Option<NonZeroUsize>) -> Option<NonZeroUsize> {
    let all = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    threads.map(|threads| threads.min(all))
}

/// As far as a cutoff.
///
/// # Errors
/// When it is below zero, or no number.
pub(crate) fn within<D: Distance>(cutoff: f64) -> Result<Goal<D>, Error> {
    if cutoff.is_nan() || cutoff < 0.0 {
        return Err(Error::argument(format!("cutoff is {cutoff}; expected zero or more")));
    }
    let is_whole = D::ZERO.to_i128().is_some();
    let cutoff = if is_whole { cutoff.floor() } else { cutoff };
    // beyond the greatest there is nothing to leave out
    Ok(D::from_f64(cutoff).map_or(Goal::All, Goal::Within))
}

impl Graph {
    /// Vertices of an array.
    pub(crate) fn vertices_of(
        &self,
        role: &str,
        vertices: &Bound<'_, PyAny>,
    ) -> Result<Vec<VertexId>, Error> {
        let numbers: Vec<VertexId> = whole_numbers(vertices, role)?;
        numbers.iter().try_for_each(|&v| self.vertex_of(role, v.into()).map(|_| ()))?;
        Ok(numbers)
    }
}

/// The same solver, if there is anyone to tell.
pub(crate) fn telling<'g, W: Weight>(
    solver: Solver<'g, W>,
    progress: Option<Progress<'g>>,
) -> Solver<'g, W> {
    match progress {
        Some(progress) => solver.with_progress(progress),
        None => solver,
    }
}

#[pymethods]
impl Graph {
    /// Shortest paths from one vertex.
    ///
    /// Parameters
    /// ----------
    /// source : int
    ///     Where paths start.
    /// target : int, optional
    ///     Stop here: vertices that are farther are left unreached.
    /// cutoff : float, optional
    ///     Leave vertices unreached that are farther than this. Not together with `target`.
    /// algorithm : str, optional
    ///     One of dijkstra, breadth-first, delta-stepping, bellman-ford, bellman-ford-queue,
    ///     bellman-ford-slf, bellman-ford-lll and bellman-ford-slf-lll; by default what should be
    ///     fastest. All give the same.
    /// threads : int, optional
    ///     Threads to use at most; all by default.
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
    #[pyo3(signature = (source, *, target=None, cutoff=None, algorithm=None, threads=None, dtype=None))]
    #[expect(clippy::too_many_arguments, reason = "named ones, in Python")]
    fn sssp(
        &self,
        py: Python<'_>,
        source: i64,
        target: Option<i64>,
        cutoff: Option<f64>,
        algorithm: Option<&str>,
        threads: Option<NonZeroUsize>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Tree> {
        let source = self.vertex_of("source", source)?;
        let target = target.map(|target| self.vertex_of("target", target)).transpose()?;
        let (config, dtype) = (config(algorithm, threads)?, Dtype::of(py, dtype)?);
        let (distances, predecessors) = with_csr!(&self.csr, |graph| {
            run(py, self.size(), |progress| {
                let goal = match (target, cutoff) {
                    (None, None) => Goal::All,
                    (Some(target), None) => Goal::Target(target),
                    (None, Some(cutoff)) => within(cutoff)?,
                    (Some(_), Some(_)) => {
                        return Err(Error::argument("a target or a cutoff, not both"));
                    }
                };
                let tree = telling(Solver::new(graph, &config)?, progress).tree(source, goal)?;
                let distances = tree.distances.as_storage().to_vec();
                Ok((Numbers::of(distances, dtype)?, tree.predecessors))
            })?
        });
        let n = self.csr.n_vertices();
        // the code for none becomes -1
        let predecessors: &[i32] = cast_slice(predecessors.as_storage());
        let predecessors = PyArray1::from_slice(py, predecessors);
        Tree::new(source, distances.into_array(py, &[n])?, predecessors)
    }

    /// For every vertex how far the nearest of several sources is, and which.
    ///
    /// Parameters
    /// ----------
    /// sources : array_like of int, shape (k,)
    ///     The sources.
    /// threads : int, optional
    ///     Threads to use at most; all by default.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    ///
    /// Returns
    /// -------
    /// distances : ndarray, shape (n_vertices,)
    ///     How far the nearest source is; infinity where none reaches the vertex.
    /// sources : ndarray of int32, shape (n_vertices,)
    ///     Which it is, the smallest of several as near; -1 where there is none.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1, 2], [1, 2, 3], [2, 2, 1], directed=False)
    /// >>> graph.nearest([3, 0])
    /// (array([0., 2., 1., 0.]), array([0, 0, 3, 3], dtype=int32))
    #[pyo3(signature = (sources, *, threads=None, dtype=None))]
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        sources: &Bound<'_, PyAny>,
        threads: Option<NonZeroUsize>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyArray1<i32>>)> {
        let sources = self.vertices_of("source", sources)?;
        let (config, dtype) = (config(None, threads)?, Dtype::of(py, dtype)?);
        let (distances, owners) = with_csr!(&self.csr, |graph| {
            run(py, self.size(), |progress| {
                // only Dijkstra's algorithm does it
                let config = Config { algorithm: None, ..config };
                let nearest = telling(Solver::new(graph, &config)?, progress).nearest(&sources)?;
                let distances = nearest.distances.as_storage().to_vec();
                Ok((Numbers::of(distances, dtype)?, nearest.owners_as_storage().to_vec()))
            })?
        });
        let owners = PyArray1::from_slice(py, cast_slice(&owners));
        Ok((distances.into_array(py, &[self.csr.n_vertices()])?, owners))
    }

    /// The shortest paths from a vertex to another that pass no vertex twice.
    ///
    /// Parameters
    /// ----------
    /// source, target : int
    ///     Where paths start and end.
    /// k : int
    ///     How many are wanted.
    ///
    /// Returns
    /// -------
    /// list of (length, list of int)
    ///     The `k` shortest, or all where there are fewer, by length and those of equal length by
    ///     their vertices. A length is an int where weights are, and else a float.
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
        source: i64,
        target: i64,
        k: usize,
    ) -> PyResult<Vec<(Bound<'py, PyAny>, Vec<VertexId>)>> {
        let source = self.vertex_of("source", source)?;
        let target = self.vertex_of("target", target)?;
        let paths = with_csr!(&self.csr, |graph| {
            run(py, self.size().saturating_mul(k), |progress| {
                let mut solver = telling(Solver::new(graph, &Config::default())?, progress);
                let paths = solver.k_shortest_paths(source, target, k)?.into_iter();
                let numbers =
                    paths.map(|path| (path.length.to_i128(), path.length.to_f64(), path.vertices));
                Ok(numbers.collect::<Vec<_>>())
            })?
        });
        let lengths = paths.into_iter().map(|(whole, float, vertices)| {
            let length = match whole {
                Some(whole) => whole.into_bound_py_any(py),
                None => float.into_bound_py_any(py),
            };
            Ok((length?, vertices))
        });
        lengths.collect()
    }
}
