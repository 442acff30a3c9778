//! Measures of how far vertices are from each other, without a matrix.

use std::num::NonZeroUsize;

use centrality::{
    ApproximateConfig, Betweenness, CentralityError, Config, Correction, Lengths, Side, Sources,
    Workers, any,
};
use graph_formats::{AnyCsr, Direction, VertexId};
use hierarchy::Hierarchy;
use numpy::{IntoPyArray, PyArray1};
use paths::{Number, Progress, Total};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

use crate::arguments;
use crate::error::Error;
use crate::graph::Graph;
use crate::how::How;
use crate::run::run;

/// Distances between every vertex and all others, added up, as :meth:`Graph.totals` finds them.
///
/// Attributes
/// ----------
/// radius, diameter : int where weights are, or float; None where there is no vertex
///     The least and the greatest eccentricity.
/// mean_distance : float, or None where there is no pair
///     Of the ordered pairs that have a path.
/// wiener_index : int or float, or None of a sample
///     The sum of all distances; each pair of an undirected graph once. An int where weights are.
/// is_connected : bool
///     Whether there is a path from each vertex to each.
#[pyclass(frozen, module = "starpaths")]
pub(crate) struct Totals {
    found: centrality::Totals,
    lengths: Type,
}

/// Whether lengths are floats to the user: if the weights are floats, also where arcs are counted.
#[derive(Clone, Copy)]
enum Type {
    Integer,
    Float,
}

#[pymethods]
impl Totals {
    /// Closeness of each vertex: the reciprocal of its mean distance; zero where it has no path.
    ///
    /// Parameters
    /// ----------
    /// wf_improved : bool, default True
    ///     Whether to multiply by the share of the vertices that have a path, as in NetworkX; if
    ///     False, vertices without a path are ignored, as in igraph.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (n_vertices,)
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> starpaths.Graph.from_arcs([0, 1], [1, 2], [1, 3], directed=False).totals().closeness()
    /// array([0.4       , 0.5       , 0.28571429])
    #[pyo3(signature = (wf_improved=true))]
    fn closeness<'py>(&self, py: Python<'py>, wf_improved: bool) -> Bound<'py, PyArray1<f64>> {
        let correction = if wf_improved { Correction::WassermanFaust } else { Correction::None };
        self.found.closeness(correction).into_pyarray(py)
    }

    /// Harmonic closeness of each vertex: the sum of the reciprocals of its distances above zero.
    fn harmonic<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.found.harmonic().into_pyarray(py)
    }

    /// The greatest distance of each vertex; pairs without a path do not count.
    ///
    /// Returns
    /// -------
    /// ndarray of int64 where weights are integers, else float64, shape (n_vertices,)
    ///     Of Python's int where one exceeds int64.
    fn eccentricity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.lengths.array(py, self.found.eccentricities())
    }

    /// The number of other vertices that each has a path to, or from; for a sample, an estimate.
    fn reached<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.found.reached().into_pyarray(py)
    }

    /// The sum of the distances of each vertex, as :meth:`eccentricity` has them. Of a sample, of
    /// those that were found.
    fn sums<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.lengths.array(py, self.found.sums())
    }

    /// The vertices whose eccentricity is the radius.
    fn center(&self) -> Vec<VertexId> {
        self.found.centre()
    }

    /// The vertices whose eccentricity is the diameter.
    fn periphery(&self) -> Vec<VertexId> {
        self.found.periphery()
    }

    /// The least eccentricity.
    #[getter]
    fn radius<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.found.radius().map(|radius| self.lengths.number(py, radius)).transpose()
    }

    /// The greatest eccentricity.
    #[getter]
    fn diameter<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.found.diameter().map(|diameter| self.lengths.number(py, diameter)).transpose()
    }

    /// The mean of the distances.
    #[getter]
    fn mean_distance(&self) -> Option<f64> {
        self.found.mean_distance()
    }

    /// The sum of all distances.
    #[getter]
    fn wiener_index<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let index = self.found.wiener_index().map(|index| match index {
            Total::Integer(sum) => sum.into_bound_py_any(py),
            Total::Float(sum) => sum.into_bound_py_any(py),
        });
        index.transpose()
    }

    /// Whether there is a path from each vertex to each.
    #[getter]
    fn is_connected(&self) -> bool {
        self.found.is_connected()
    }

    fn __repr__(&self) -> String {
        format!("<starpaths.Totals of {} vertices>", self.found.n_vertices())
    }
}

#[pymethods]
impl Graph {
    /// Adds up the distances between every vertex and all others, a row at a time.
    ///
    /// Where all weights are 1 this counts arcs, many sources at once.
    ///
    /// Parameters
    /// ----------
    /// side : {"out", "in"}, default "out"
    ///     Whether distances lead out of each vertex, or into it, as those of closeness in NetworkX.
    /// sample : int, optional
    ///     Measure to, or from, this number of vertices only, and estimate.
    /// seed : int, default 0
    ///     Another seed draws another sample.
    /// threads, backend, progress
    ///     As for `table`.
    ///
    /// Returns
    /// -------
    /// Totals
    ///     Closeness, eccentricities and other measures.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When a weight is negative.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> totals = starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2], directed=False).totals()
    /// >>> totals.eccentricity()
    /// array([7, 5, 7])
    /// >>> totals.center(), totals.diameter, totals.wiener_index
    /// ([1], 7, 14)
    #[pyo3(signature = (
        *, side="out", sample=None, seed=0, threads=None, backend=None, progress=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "named ones, in Python")]
    fn totals(
        &self,
        py: Python<'_>,
        side: &str,
        #[pyo3(from_py_with = arguments::sample)] sample: Option<NonZeroUsize>,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        progress: bool,
    ) -> PyResult<Totals> {
        let how = How::new(None, threads, backend)?;
        let config = self.config(sample, seed, &how);
        self.find_totals(py, None, side, config, &how, progress)
    }

    /// The greatest of all distances, found by a few searches.
    ///
    /// Parameters
    /// ----------
    /// threads : int, optional
    ///     Threads to use at most; all by default.
    ///
    /// Returns
    /// -------
    /// (diameter, from, to) : (int or float, int, int), or None where there is no vertex
    ///     The length, an int where weights are, and where such a path starts and ends. Pairs without a path do not count.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2]).diameter()
    /// (7, 0, 2)
    #[pyo3(signature = (*, threads=None))]
    fn diameter<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
    ) -> PyResult<Option<(Bound<'py, PyAny>, VertexId, VertexId)>> {
        let size = self.size().saturating_mul(self.csr.n_vertices());
        let (lengths, threads) = (self.lengths(), How::new(None, threads, None)?.threads);
        let found = run(py, size, false, |progress| {
            Ok(any::diameter(&self.csr, lengths, threads, progress)?)
        })?;
        let number = |value| self.type_of_lengths().number(py, value);
        found.map(|found| Ok((number(found.value)?, found.from, found.to))).transpose()
    }

    /// Betweenness of each vertex: the sum, over pairs of others, of the share of their shortest
    /// paths that go through it.
    ///
    /// Parameters
    /// ----------
    /// normalized : bool, default True
    ///     Whether to divide it by the number of pairs. If not, each pair of an undirected graph
    ///     counts once.
    /// sample, seed, threads, backend, progress
    ///     As for `totals`; paths of a sample start there.
    /// sources : array_like of int, or of names of the graph, optional
    ///     Count paths from these vertices only, and estimate. Not together with `sample`.
    /// endpoints : bool, default False
    ///     Whether a path also counts for the two vertices at its ends.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (n_vertices,)
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When a weight is not above zero.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2], directed=False).betweenness()
    /// array([0., 1., 0.])
    #[pyo3(signature = (
        *, normalized=true, sample=None, seed=0, threads=None, backend=None, progress=false,
        sources=None, endpoints=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "named ones, in Python")]
    fn betweenness<'py>(
        &self,
        py: Python<'py>,
        normalized: bool,
        #[pyo3(from_py_with = arguments::sample)] sample: Option<NonZeroUsize>,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        progress: bool,
        sources: Option<&Bound<'_, PyAny>>,
        endpoints: bool,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let how = How::new(None, threads, backend)?;
        let config = self.config_of_paths(sample, seed, &how, sources)?;
        let config = Config { endpoints, ..config };
        self.find_betweenness(py, any::betweenness, &how, &config, normalized, progress)
    }

    /// Betweenness of each vertex within an error, from random shortest paths.
    ///
    /// Arcs are counted; weights play no part. The values are those of `betweenness` for a graph
    /// without weights, up to the error.
    ///
    /// Parameters
    /// ----------
    /// error : float
    ///     No value is off by more. Above 0 and below 1.
    /// failure : float, default 0.1
    ///     The probability that one is. Above 0 and below 1.
    /// seed : int, default 0
    ///     Another seed draws other paths.
    /// threads, backend, progress
    ///     As for `table`.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (n_vertices,)
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When `error` or `failure` is not between 0 and 1.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2], directed=False)
    /// >>> graph.approximate_betweenness(0.1).round(1)
    /// array([0., 1., 0.])
    #[pyo3(signature = (
        error, *, failure=0.1, seed=0, threads=None, backend=None, progress=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "named ones, in Python")]
    fn approximate_betweenness<'py>(
        &self,
        py: Python<'py>,
        error: f64,
        failure: f64,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let how = How::new(None, threads, backend)?;
        let config = ApproximateConfig { error, failure, seed, threads: how.threads };
        let found = run(py, self.size(), progress, |progress| {
            Ok(any::approximate_betweenness(&self.csr, how.gpus(), &config, progress)?.normalised())
        })?;
        Ok(found.into_pyarray(py))
    }

    /// Betweenness of each arc: the sum, over pairs of vertices, of the share of their shortest paths
    /// that go along it.
    ///
    /// An edge of an undirected graph has two arcs, and each counts the paths in its direction: the
    /// two values add up to the edge's value in NetworkX. Parallel arcs share paths.
    ///
    /// Parameters
    /// ----------
    /// normalized : bool, default True
    ///     Whether to divide it by the number of pairs. If not, each pair of an undirected graph
    ///     counts once.
    /// sample, seed, threads, backend, progress, sources
    ///     As for `betweenness`.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (n_arcs,)
    ///     In the order of the entries of `to_scipy()`.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When a weight is not above zero.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 0, 1], [1, 2, 2], [5, 9, 2])
    /// >>> graph.edge_betweenness(normalized=False)
    /// array([2., 0., 2.])
    #[pyo3(signature = (
        *, normalized=true, sample=None, seed=0, threads=None, backend=None, progress=false,
        sources=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "named ones, in Python")]
    fn edge_betweenness<'py>(
        &self,
        py: Python<'py>,
        normalized: bool,
        #[pyo3(from_py_with = arguments::sample)] sample: Option<NonZeroUsize>,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        progress: bool,
        sources: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let how = How::new(None, threads, backend)?;
        let config = self.config_of_paths(sample, seed, &how, sources)?;
        self.find_betweenness(py, any::arc_betweenness, &how, &config, normalized, progress)
    }
}

impl Graph {
    /// Totals by searches, or by the hierarchy of the graph.
    pub(crate) fn find_totals(
        &self,
        py: Python<'_>,
        hierarchy: Option<&Hierarchy>,
        side: &str,
        config: Config,
        how: &How,
        progress: bool,
    ) -> PyResult<Totals> {
        let side = match side {
            "out" => Side::Out,
            "in" => Side::In,
            other => {
                let message = format!("side is '{other}'; expected 'out' or 'in'");
                return Err(Error::argument(message).into());
            }
        };
        let config = Config { side, ..config };
        let size = self.size().saturating_mul(self.csr.n_vertices());
        let totals = run(py, size, progress, |progress| {
            Ok(any::totals(&self.csr, hierarchy, how.gpus().into(), &config, progress)?)
        })?;
        Ok(Totals { found: totals, lengths: self.type_of_lengths() })
    }
}

/// Betweenness of vertices, or of arcs.
type FindBetweenness =
    fn(&AnyCsr, Workers<'_>, &Config, Option<Progress<'_>>) -> Result<Betweenness, CentralityError>;

impl Graph {
    /// The config for paths from a sample of vertices, or from listed ones.
    fn config_of_paths(
        &self,
        sample: Option<NonZeroUsize>,
        seed: u64,
        how: &How,
        sources: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Config> {
        let mut config = self.config(sample, seed, how);
        if let Some(sources) = sources {
            if sample.is_some() {
                let message = "sample and sources are both given; give one of them";
                return Err(Error::argument(message).into());
            }
            let sources = self.vertices_of("source", sources)?;
            if sources.is_empty() {
                return Err(Error::argument("sources are empty; expected at least one").into());
            }
            config.sources = Sources::Listed(sources);
        }
        Ok(config)
    }

    fn find_betweenness<'py>(
        &self,
        py: Python<'py>,
        find: FindBetweenness,
        how: &How,
        config: &Config,
        normalized: bool,
        progress: bool,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let size = self.size().saturating_mul(self.csr.n_vertices());
        let betweenness = run(py, size, progress, |progress| {
            let found = find(&self.csr, how.gpus().into(), config, progress)?;
            let is_undirected = self.csr.direction() == Direction::Undirected;
            let halves = if is_undirected { 2.0 } else { 1.0 };
            Ok(match normalized {
                true => found.normalised(),
                false => found.raw().into_iter().map(|sum| sum / halves).collect(),
            })
        })?;
        Ok(betweenness.into_pyarray(py))
    }

    pub(crate) fn config(&self, sample: Option<NonZeroUsize>, seed: u64, how: &How) -> Config {
        let sources = sample.map_or(Sources::All, |n| Sources::Sample { n, seed });
        let (lengths, threads) = (self.lengths(), how.threads);
        Config { sources, lengths, threads, ..Config::default() }
    }

    fn type_of_lengths(&self) -> Type {
        if self.csr.kind().is_integer() { Type::Integer } else { Type::Float }
    }

    /// Arcs are counted where that is the same.
    fn lengths(&self) -> Lengths {
        if self.csr.common_weight() == Some(1.0) { Lengths::Hops } else { Lengths::Weights }
    }
}

impl Type {
    /// An int or a float.
    fn number<'py>(self, py: Python<'py>, number: Number) -> PyResult<Bound<'py, PyAny>> {
        match (self, number.to_i128()) {
            (Self::Integer, Some(whole)) => whole.into_bound_py_any(py),
            _ => number.to_f64().into_bound_py_any(py),
        }
    }

    /// An array of floats, or of integers: of 64 bits, or where these do not do of any size.
    fn array<'py, T: Into<Total>>(
        self,
        py: Python<'py>,
        numbers: Vec<T>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let numbers = numbers.into_iter().map(Into::into);
        if matches!(self, Self::Float) {
            let float = |number| match number {
                Total::Integer(sum) => sum as f64,
                Total::Float(sum) => sum,
            };
            return Ok(numbers.map(float).collect::<Vec<_>>().into_pyarray(py).into_any());
        }
        let whole: Vec<i128> = numbers
            .filter_map(|number| match number {
                Total::Integer(sum) => Some(sum),
                Total::Float(_) => None,
            })
            .collect();
        match whole.iter().map(|&sum| i64::try_from(sum)).collect::<Result<Vec<_>, _>>() {
            Ok(narrow) => Ok(narrow.into_pyarray(py).into_any()),
            Err(_) => py.import("numpy")?.call_method1("array", (whole, "O")),
        }
    }
}
