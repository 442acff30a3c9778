//! The class `Metric`: the distances and paths of a prepared network by some weights.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use bytemuck::allocation;
use graph_formats::VertexId;
use numpy::{IntoPyArray, PyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::any_metric::{AnyMetric, Points, customized};
use crate::arguments;
use crate::arrays::{self, array_of, floats, values, whole_numbers};
use crate::changes::changes_of;
use crate::error::Error;
use crate::graph::{Graph, dtype_of};
use crate::how::How;
use crate::measures::Totals;
use crate::numbers::{Dtype, Numbers, shaped};
use crate::prepared::Prepared;
use crate::run::{ensure_not_forked, run};
use crate::searches::{goal, length};
use crate::tables::{ensure_fits, ensure_free};
use crate::turns::unpoisoned;

/// Distances and paths of a prepared network by some weights, as :meth:`Prepared.customize` makes it.
///
/// A copy (``copy.copy``) shares the memory, takes no time, and keeps its weights. Threads may ask
/// while another changes the weights: each answer is by the weights before or after.
///
/// Attributes
/// ----------
/// prepared : Prepared
///     The network.
#[pyclass(frozen, weakref, module = "starpaths")]
pub(crate) struct Metric {
    /// The network, for other weights.
    #[pyo3(get)]
    pub(crate) prepared: Py<Prepared>,
    held: Mutex<Arc<dyn AnyMetric>>,
    /// Locked while it changes, so that one change is after the other.
    changing: Mutex<()>,
}

/// Offsets of sources, vertices and distances.
type Near<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyAny>);

/// A length, vertices, and arcs by their positions.
type Route<'py> = (Bound<'py, PyAny>, Vec<VertexId>, Vec<usize>);

#[pymethods]
impl Metric {
    /// Replaces all weights, in less time if few differ. Labels are dropped.
    ///
    /// Arcs that were closed or opened are as in the network again.
    ///
    /// Parameters
    /// ----------
    /// weights : array_like, shape (n_arcs,)
    ///     As for :meth:`Prepared.customize`.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     As there; the metric then stays as it was.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1, 0], [1, 2, 2], np.array([5, 2, 9]))
    /// >>> metric = starpaths.Prepared(roads).customize()
    /// >>> metric.customize(np.array([50, 9, 2]))
    /// >>> metric.distance(0, 2)
    /// 9
    fn customize(&self, py: Python<'_>, weights: &Bound<'_, PyAny>) -> PyResult<()> {
        let prepared = self.prepared.get();
        let network = prepared.graph.get();
        let csr = arrays::with_weights(&network.csr, weights)?;
        run(py, network.size(), false, |_| {
            self.replace(|metric| match metric.csr().kind() == csr.kind() {
                true => metric.with_weights(&prepared.hierarchy, csr),
                false => customized(&prepared.hierarchy, &csr),
            })
        })
    }

    /// Gives some arcs other weights; of two for one arc the last counts. Labels follow.
    ///
    /// It computes what changes. Where there are copies of the metric, the first change copies
    /// its memory.
    ///
    /// Parameters
    /// ----------
    /// arcs : array_like of int, shape (k,)
    ///     The arcs, by their positions among the entries of ``graph.to_scipy()``, as :meth:`route`
    ///     has them; after :meth:`change`, of ``metric.graph.to_scipy()``.
    /// weights : array_like, shape (k,)
    ///     What each weighs, as a number that the type of the weights has.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When there is no such arc, or a weight is negative, infinite or NaN; the metric then
    ///     stays as it was.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9])
    /// >>> metric = starpaths.Prepared(roads).customize()
    /// >>> length, vertices, arcs = metric.route(0, 2)
    /// >>> metric.update(arcs[:1], [50])
    /// >>> metric.route(0, 2)
    /// (9, [0, 2], [1])
    fn update(
        &self,
        py: Python<'_>,
        arcs: &Bound<'_, PyAny>,
        weights: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let n_arcs = self.now().csr().n_arcs();
        let (arcs, weights) = (whole_numbers::<usize>(arcs, "arcs")?, values(weights)?);
        if arcs.len() != weights.len() {
            let (arcs, weights) = (arcs.len(), weights.len());
            let message = format!("weights: {weights} entries for {arcs} arcs; expected one each");
            return Err(Error::argument(message).into());
        }
        if let Some(at) = arcs.iter().position(|&arc| arc >= n_arcs) {
            let message = format!(
                "arcs: entry {at} is {}; the graph has {n_arcs} arcs, numbered from 0 in the order \
                 of graph.to_scipy()",
                arcs[at]
            );
            return Err(Error::argument(message).into());
        }
        run(py, 0, false, |_| self.change_in_place(|metric| metric.take_some(&arcs, &weights)))
    }

    /// Makes changes of the graph, all or none: arcs are closed, opened or get other weights.
    /// Labels follow.
    ///
    /// Where arcs were closed or opened, all weights of the hierarchy are computed again, in
    /// milliseconds for a city. Arcs are then those of ``metric.graph``. For a :class:`DeviceMetric`,
    /// save the metric then, and load it.
    ///
    /// Parameters
    /// ----------
    /// changes : iterable of tuple
    ///     As for :meth:`DynamicTrees.update`, without new vertices.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When there is no such arc, an arc occurs twice, a weight is negative, or neither an arc
    ///     nor a shortcut joins the ends of a new arc: then prepare the graph with it. The metric
    ///     then stays as it was.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9])
    /// >>> metric = starpaths.Prepared(roads).customize()
    /// >>> metric.change([("delete", 0, 1), ("insert", 2, 1, 4)])
    /// >>> metric.distance(0, 1)
    /// 13
    fn change(&self, py: Python<'_>, changes: &Bound<'_, PyAny>) -> PyResult<()> {
        let network = self.network();
        let changes = changes_of(network, changes)?;
        run(py, network.size(), false, |_| self.change_in_place(|metric| metric.make(&changes)))
    }

    /// The distance from a vertex to another.
    ///
    /// Parameters
    /// ----------
    /// source, target : int, or names of the graph
    ///     Where the path starts and ends.
    ///
    /// Returns
    /// -------
    /// int or float, or None where there is no path
    ///     An int if weights are integers, else a float.
    fn distance<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let [source, target] = self.ends(source, target)?;
        let found = run(py, 0, false, |_| self.now().distance(source, target))?;
        found.map(|distance| length(py, distance)).transpose()
    }

    /// A shortest path from a vertex to another.
    ///
    /// Parameters
    /// ----------
    /// source, target : int, or names of the graph
    ///     Where the path starts and ends.
    ///
    /// Returns
    /// -------
    /// (length, list of int, list of int), or None where there is no path
    ///     The length, the vertices, and the arcs by their positions among the entries of
    ///     ``graph.to_scipy()``.
    fn route<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Route<'py>>> {
        let [source, target] = self.ends(source, target)?;
        let found = run(py, 0, false, |_| self.now().path(source, target))?;
        found.map(|path| Ok((length(py, path.length)?, path.vertices, path.arcs))).transpose()
    }

    /// The k shortest simple paths between two vertices, as :meth:`Graph.k_shortest_paths`.
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
    ///     The `k` shortest paths, or all if there are fewer.
    fn k_shortest_paths<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::k)] k: usize,
    ) -> PyResult<Vec<(Bound<'py, PyAny>, Vec<VertexId>)>> {
        let [source, target] = self.ends(source, target)?;
        let size = self.network().size().saturating_mul(k);
        let found = run(py, size, false, |progress| {
            self.now().k_shortest_paths(source, target, k, progress)
        })?;
        found.into_iter().map(|(distance, path)| Ok((length(py, distance)?, path))).collect()
    }

    /// The distances of pairs of vertices.
    ///
    /// Parameters
    /// ----------
    /// pairs : array_like of int, or of names of the graph, shape (k, 2)
    ///     Where each path starts and ends; with `targets`, of shape (k,) and the starts alone.
    /// targets : array_like of int, or of names of the graph, shape (k,), optional
    ///     The ends.
    /// dtype : dtype, default float64
    ///     The type of the distances. Integers are a masked array.
    /// progress : bool, default False
    ///     Whether a bar of tqdm shows how far it is.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (k,)
    ///     Infinity where there is no path.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9])
    /// >>> metric = starpaths.Prepared(roads).customize()
    /// >>> metric.distances([(0, 2), (2, 1)])
    /// array([ 7., inf])
    /// >>> metric.distances([0, 1], [2, 2])
    /// array([7., 2.])
    #[pyo3(signature = (pairs, targets=None, *, dtype=None, progress=false))]
    fn distances<'py>(
        &self,
        py: Python<'py>,
        pairs: &Bound<'py, PyAny>,
        targets: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (network, pairs) = (self.network(), self.pairs_of(pairs, targets)?);
        let (n, dtype) = (pairs.len(), Dtype::of(py, dtype)?);
        let size = n.saturating_mul(self.prepared.get().hierarchy.height());
        let numbers = run(py, size, progress, |progress| {
            ensure_fits(n, 1, 2 * network.size_of_distance_as(dtype))?;
            Numbers::of(self.now().pairs(&pairs, progress)?, dtype)
        })?;
        numbers.into_array(py, &[n])
    }

    /// The sums of attributes of the arcs along a shortest path of each pair of vertices.
    ///
    /// With minutes for weights and metres for an attribute: how long the quickest ways are.
    ///
    /// Parameters
    /// ----------
    /// attributes : array_like of numbers, shape (n_arcs,) or (a, n_arcs)
    ///     One for each entry of ``graph.to_scipy()``, in its order.
    /// pairs, targets, progress
    ///     As for `distances`.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (k,) or (k, a)
    ///     NaN where there is no path.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9])
    /// >>> metric = starpaths.Prepared(roads).customize()
    /// >>> metric.sums_along([10, 20, 30], [(0, 2), (2, 1)])  # arcs are ordered by their starts
    /// array([40., nan])
    #[pyo3(signature = (attributes, pairs, targets=None, *, progress=false))]
    fn sums_along<'py>(
        &self,
        py: Python<'py>,
        attributes: &Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
        targets: Option<&Bound<'_, PyAny>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let pairs = self.pairs_of(pairs, targets)?;
        let attributes = array_of(attributes)?;
        let is_one = attributes.ndim() == 1;
        let rows = if is_one {
            vec![floats("attributes", &attributes)?]
        } else {
            let rows = attributes.try_iter()?.map(|row| Ok(floats("attributes", &row?)?));
            rows.collect::<PyResult<_>>()?
        };
        let n_arcs = self.now().csr().n_arcs();
        if let Some(row) = rows.iter().find(|row| row.len() != n_arcs) {
            let found = row.len();
            let message = format!("attributes: {found} for {n_arcs} arcs; expected one each");
            return Err(Error::argument(message).into());
        }
        let (n, width) = (pairs.len(), rows.len());
        let size = n.saturating_mul(self.prepared.get().hierarchy.height());
        let sums = run(py, size, progress, |progress| {
            ensure_fits(n, width, size_of::<f64>())?;
            self.now().sums_along(&pairs, &rows, progress)
        })?;
        let sums = sums.into_pyarray(py).into_any();
        if is_one { Ok(sums) } else { sums.call_method1("reshape", (n, width)) }
    }

    /// The distances from each of several vertices to each of several others.
    ///
    /// Parameters
    /// ----------
    /// sources : array_like of int, or of names of the graph, shape (k,) or (k, e)
    ///     The rows; of shape (k, e) with `source_distances`.
    /// targets : array_like of int, or of names of the graph, shape (t,) or (t, e), optional
    ///     The columns; all vertices by default.
    /// source_distances, target_distances : array_like of numbers, shape of sources and of targets
    ///     Makes each a place on a street, or near up to 16 vertices: how far it is from there to
    ///     each, and from each to there. Infinity leaves a vertex out.
    /// dtype, progress
    ///     As for `distances`.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (k, t)
    ///     Infinity where there is no path.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9])
    /// >>> starpaths.Prepared(roads).customize().table([0, 1], [1, 2])
    /// array([[5., 7.],
    ///        [0., 2.]])
    ///
    /// A place on the arc from 0 to 1, at 1 from its end, and one on that from 1 to 2, at 1 from
    /// its start:
    ///
    /// >>> metric = starpaths.Prepared(roads).customize()
    /// >>> metric.table([[1]], [[1]], source_distances=[[1]], target_distances=[[1]])
    /// array([[2.]])
    #[pyo3(signature = (
        sources, targets=None, *, source_distances=None, target_distances=None, dtype=None,
        progress=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "named ones, in Python")]
    fn table<'py>(
        &self,
        py: Python<'py>,
        sources: &Bound<'_, PyAny>,
        targets: Option<&Bound<'_, PyAny>>,
        source_distances: Option<&Bound<'_, PyAny>>,
        target_distances: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let network = self.network();
        let sources = self.points("source", Some(sources), source_distances)?;
        let targets = self.points("target", targets, target_distances)?;
        let dtype = Dtype::of(py, dtype)?;
        let size = network.size().saturating_mul(sources.n);
        let numbers = run(py, size, progress, |progress| {
            ensure_fits(sources.n, targets.n, network.size_of_distance_as(dtype))?;
            let found = match (&sources.distances, &targets.distances) {
                (None, None) => self.now().table(&sources.vertices, &targets.vertices, progress),
                _ => self.now().table_of_points(&sources, &targets, progress),
            };
            Numbers::of(found?, dtype)
        })?;
        numbers.into_array(py, &[sources.n, targets.n])
    }

    /// The vertices within a distance of each of several vertices.
    ///
    /// Parameters
    /// ----------
    /// sources : array_like of int, or of names of the graph, shape (k,)
    ///     Where the paths start.
    /// cutoff : float
    ///     The greatest distance.
    /// dtype, progress
    ///     As for `distances`.
    ///
    /// Returns
    /// -------
    /// offsets : ndarray of int64, shape (k + 1,)
    ///     What belongs to sources[i] is at offsets[i]:offsets[i + 1] of the other arrays.
    /// vertices : ndarray of int32
    ///     The vertices within, ascending for each source.
    /// distances : ndarray
    ///     The distance of each of these vertices from its source.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 2, 4])
    /// >>> starpaths.Prepared(roads).customize().within([0, 1], 6)
    /// (array([0, 2, 5]), array([0, 1, 1, 2, 3], dtype=int32), array([0., 5., 0., 2., 6.]))
    #[pyo3(signature = (sources, cutoff, *, dtype=None, progress=false))]
    fn within<'py>(
        &self,
        py: Python<'py>,
        sources: &Bound<'_, PyAny>,
        cutoff: f64,
        dtype: Option<&Bound<'_, PyAny>>,
        progress: bool,
    ) -> PyResult<Near<'py>> {
        let network = self.network();
        let sources = network.vertices_of("source", sources)?;
        goal(None, Some(cutoff))?;
        let dtype = Dtype::of(py, dtype)?;
        let size = network.size().saturating_mul(sources.len());
        let (offsets, vertices, numbers) = run(py, size, progress, |progress| {
            let (offsets, vertices, distances) = self.now().within(&sources, cutoff, progress)?;
            Ok((offsets, vertices, Numbers::of(distances, dtype)?))
        })?;
        let n = vertices.len();
        // there are no more vertices than that
        let vertices = allocation::cast_vec::<VertexId, i32>(vertices).into_pyarray(py);
        Ok((offsets.into_pyarray(py), vertices, numbers.into_array(py, &[n])?))
    }

    /// The nearest of some candidates for each of several vertices.
    ///
    /// Parameters
    /// ----------
    /// sources : array_like of int, or of names of the graph, shape (n,)
    ///     Where the paths start.
    /// candidates : array_like of int, or of names of the graph
    ///     Where they may end.
    /// k : int, default 1
    ///     How many of the candidates to find.
    /// progress : bool, default False
    ///     Whether a bar of tqdm shows how far it is.
    ///
    /// Returns
    /// -------
    /// vertices : ndarray of int32, shape (n, k)
    ///     The candidates, the nearest first; of those equally near the ones listed first. -1 where
    ///     fewer have a path.
    /// distances : ndarray of float64, shape (n, k)
    ///     How far they are; infinity where there is none.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 2, 4], directed=False)
    /// >>> starpaths.Prepared(roads).customize().nearest([0, 1], [2, 3])
    /// (array([[2],
    ///        [2]], dtype=int32), array([[7.],
    ///        [2.]]))
    #[pyo3(signature = (sources, candidates, k=1, *, progress=false))]
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        sources: &Bound<'_, PyAny>,
        candidates: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::k)] k: usize,
        progress: bool,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let network = self.network();
        let sources = network.vertices_of("source", sources)?;
        let candidates = network.vertices_of("candidate", candidates)?;
        let size = network.size().saturating_mul(sources.len());
        let (vertices, distances) = run(py, size, progress, |progress| {
            ensure_fits(sources.len(), k, 3 * (size_of::<f64>() + size_of::<i32>()))?;
            let (offsets, found, distances) =
                self.now().nearest(&sources, &candidates, k, progress)?;
            let Numbers::Float64(lengths) = Numbers::of(distances, Dtype::Float64)? else {
                unreachable!("they are asked for as such");
            };
            let mut vertices = vec![-1; sources.len() * k];
            let mut distances = vec![f64::INFINITY; sources.len() * k];
            for (row, ends) in offsets.windows(2).enumerate() {
                let range = ends[0] as usize..ends[1] as usize;
                for (at, place) in range.zip(row * k..) {
                    vertices[place] = found[at] as i32;
                    distances[place] = lengths[at];
                }
            }
            Ok((vertices, distances))
        })?;
        let shape = [sources.len(), k];
        Ok((shaped(py, vertices, &shape)?, shaped(py, distances, &shape)?))
    }

    /// Adds up the distances between every vertex and all others, as :meth:`Graph.totals`, by sweeps
    /// of the hierarchy.
    ///
    /// Parameters
    /// ----------
    /// side, sample, seed, threads, backend, progress
    ///     As there.
    ///
    /// Returns
    /// -------
    /// Totals
    ///     Closeness, eccentricities and other measures.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1], [1, 2], [1, 3], directed=False)
    /// >>> totals = starpaths.Prepared(roads).customize().totals()
    /// >>> totals.closeness()
    /// array([0.4       , 0.5       , 0.28571429])
    /// >>> totals.eccentricity(), totals.mean_distance
    /// (array([4, 3, 4]), 2.6666666666666665)
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
        let graph = self.graph(py)?;
        let config = graph.config(sample, seed, &how);
        let hierarchy = &self.prepared.get().hierarchy;
        graph.find_totals(py, Some(hierarchy), side, config, &how, progress)
    }

    /// Makes labels, with which `distance` and `distances` take a fraction of a microsecond.
    ///
    /// They pay for some million distances between two changes of the weights: ``update`` and
    /// ``change`` make those again that are others, and ``customize`` drops them. Of floats, last digits may differ from those of a path.
    ///
    /// Raises
    /// ------
    /// MemoryError
    ///     When memory has no place for `labels_nbytes`.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9])
    /// >>> metric = starpaths.Prepared(roads).customize()
    /// >>> metric.labels()
    /// >>> metric.has_labels, metric.distance(0, 2)
    /// (True, 7)
    fn labels(&self, py: Python<'_>) -> PyResult<()> {
        run(py, self.network().size(), false, |_| {
            let bytes = self.now().bytes_of_labels().into();
            ensure_free(bytes, "; without labels distances take longer", || "labels".into())?;
            self.replace(|metric| metric.with_labels())
        })
    }

    /// Whether there are labels.
    #[getter]
    fn has_labels(&self) -> bool {
        self.now().has_labels()
    }

    /// How many bytes labels take, at most.
    #[getter]
    fn labels_nbytes(&self, py: Python<'_>) -> PyResult<u64> {
        run(py, self.network().size(), false, |_| Ok(self.now().bytes_of_labels()))
    }

    /// The network with these weights, which later changes do not reach.
    #[getter]
    fn graph(&self, py: Python<'_>) -> PyResult<Graph> {
        ensure_not_forked()?;
        Ok(self.network().with_csr(py, self.now().csr()))
    }

    /// Writes the network and its hierarchy with these weights, as :meth:`Prepared.save`.
    ///
    /// Parameters
    /// ----------
    /// path : path_like
    ///     The file, whose name ends in .prepared.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.prepared.get().write(py, &path, || Ok(self.now()))
    }

    /// Another with the same weights, in the same memory.
    fn __copy__(&self, py: Python<'_>) -> Self {
        Self::new(self.prepared.clone_ref(py), self.now())
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        self.__copy__(py)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Metric cannot be pickled; save it once, and in each process take \
             Prepared.load(path, map=True).customize()",
        ))
    }

    fn __repr__(&self) -> String {
        let (csr, is_labelled) = (self.now().csr(), self.has_labels());
        let (n, dtype) = (csr.n_vertices(), dtype_of(csr.kind()));
        let with_labels = if is_labelled { ", with labels" } else { "" };
        format!("<starpaths.Metric of {n} vertices, weights {dtype}{with_labels}>")
    }
}

impl Metric {
    /// Vertices that Python gives, or all, or points by their distances.
    fn points(
        &self,
        role: &'static str,
        vertices: Option<&Bound<'_, PyAny>>,
        distances: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Points> {
        let (Some(array), Some(distances)) = (vertices, distances) else {
            if distances.is_some() {
                let message = format!("{role}_distances: expected {role}s with them");
                return Err(Error::argument(message).into());
            }
            let vertices = self.network().vertices_or_all(role, vertices)?;
            return Ok(Points { role, n: vertices.len(), vertices, distances: None });
        };
        let (array, distances) = (array_of(array)?, array_of(distances)?);
        if array.ndim() != 2 || array.shape() != distances.shape() {
            let [expected, found] = [&array, &distances].map(|array| array.getattr("shape"));
            let (expected, found) = (expected?, found?);
            let message = format!(
                "{role}_distances: an array of shape {found} for {role}s of shape {expected}; \
                 expected both of shape (k, e)"
            );
            return Err(Error::argument(message).into());
        }
        let n = array.shape()[0];
        let [array, distances] = [array, distances].map(|all| all.call_method1("reshape", (-1,)));
        let (array, distances) = (array?, distances?);
        let vertices = self.network().vertices_of(role, &array)?;
        Ok(Points { role, n, vertices, distances: Some(values(&distances)?) })
    }

    /// Pairs that Python gives as such, or as sources and targets.
    fn pairs_of(
        &self,
        pairs: &Bound<'_, PyAny>,
        targets: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<(VertexId, VertexId)>> {
        let (sources, targets) = self.network().ends(pairs, targets)?;
        Ok(sources.into_iter().zip(targets).collect())
    }

    pub(crate) fn new(prepared: Py<Prepared>, metric: Arc<dyn AnyMetric>) -> Self {
        Self { prepared, held: Mutex::new(metric), changing: Mutex::new(()) }
    }

    /// The graph whose vertices it has.
    fn network(&self) -> &Graph {
        self.prepared.get().graph.get()
    }

    fn ends(
        &self,
        source: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
    ) -> PyResult<[VertexId; 2]> {
        let network = self.network();
        Ok([network.vertex_of("source", source)?, network.vertex_of("target", target)?])
    }

    /// What it has now, which later changes do not reach.
    pub(crate) fn now(&self) -> Arc<dyn AnyMetric> {
        unpoisoned(&self.held).clone()
    }

    /// Has what is made of it in its place; others use it meanwhile.
    fn replace(
        &self,
        make: impl FnOnce(&dyn AnyMetric) -> Result<Arc<dyn AnyMetric>, Error>,
    ) -> Result<(), Error> {
        let _turn = unpoisoned(&self.changing);
        let made = make(&*self.now())?;
        *unpoisoned(&self.held) = made;
        Ok(())
    }

    /// Changes it in place, or a copy of it where others use it.
    fn change_in_place(
        &self,
        change: impl FnOnce(&mut dyn AnyMetric) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let _turn = unpoisoned(&self.changing);
        let mut held = unpoisoned(&self.held);
        if Arc::get_mut(&mut held).is_none() {
            *held = held.another();
        }
        change(Arc::get_mut(&mut held).expect("no other has it"))
    }
}
