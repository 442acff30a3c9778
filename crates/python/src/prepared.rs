//! The class `Prepared`: a road network with its hierarchy.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use graph_formats::{LoadedGraph, ReadOptions, map_spg, read_coordinates, read_with};
use hierarchy::{EliminationError, Hierarchy, HierarchyError, Order};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::any_metric::{AnyMetric, as_stored, customized};
use crate::arrays::{self, array_of};
use crate::error::Error;
use crate::graph::Graph;
use crate::metric::Metric;
use crate::run::{ensure_not_forked, run};

/// A road network that was prepared once, for many distances and paths in microseconds.
///
/// It is for graphs with small separators, such as roads, grids and meshes. Others, such as social
/// networks, are refused.
///
/// Processes share one where each of them loads the same file with ``map=True``.
///
/// Parameters
/// ----------
/// graph : Graph
///     The network. Its arcs count here; weights are put in by :meth:`customize`.
/// coordinates : array_like, shape (n_vertices, 2), or path_like, optional
///     Where each vertex is, in any unit, or a file that says so; by default it is done without.
///
/// Raises
/// ------
/// StarpathsError
///     When the graph has no small separators, or coordinates are not one position for each vertex.
///
/// Examples
/// --------
/// >>> import starpaths
/// >>> roads = starpaths.Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 2, 4], directed=False)
/// >>> prepared = starpaths.Prepared(roads)
/// >>> metric = prepared.customize()
/// >>> metric.distance(0, 3)
/// 11
/// >>> metric.route(3, 1)
/// (6, [3, 2, 1], [5, 3])
#[pyclass(frozen, weakref, module = "starpaths")]
pub(crate) struct Prepared {
    /// The network.
    #[pyo3(get)]
    pub(crate) graph: Py<Graph>,
    pub(crate) hierarchy: Hierarchy,
    /// What a file has of it, with weights.
    stored: Option<hierarchy::Prepared>,
}

#[pymethods]
impl Prepared {
    #[new]
    #[pyo3(signature = (graph, coordinates=None))]
    fn new(
        py: Python<'_>,
        graph: Py<Graph>,
        coordinates: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let positions = coordinates.map(|given| positions(graph.get(), given)).transpose()?;
        let network = graph.get();
        let hierarchy = run(py, network.size(), false, |progress| {
            let arcs = network.csr.unweighted();
            let order = Order::by_dissection(&arcs, positions.as_deref(), progress);
            let order = order.map_err(HierarchyError::from);
            order.and_then(|order| Hierarchy::new(&arcs, &order)).map_err(of_graph)
        })?;
        Ok(Self { graph, hierarchy, stored: None })
    }

    /// The network of a file that :meth:`save` or ``starpath prepare`` wrote.
    ///
    /// Parameters
    /// ----------
    /// path : path_like
    ///     The file.
    /// map : bool, default False
    ///     Whether to use the file where it lies in the system's cache, so that it takes no memory
    ///     of its own, and processes share it. No one may write into it meanwhile: that would end
    ///     the process, or give wrong distances.
    ///
    /// Returns
    /// -------
    /// Prepared
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When the file holds no prepared graph.
    /// OSError
    ///     When it cannot be read.
    #[staticmethod]
    #[pyo3(signature = (path, *, map=false))]
    fn load(py: Python<'_>, path: PathBuf, map: bool) -> PyResult<Self> {
        let (graph, hierarchy, stored) = run(py, usize::MAX, false, |progress| {
            let progress = progress.unwrap_or(&|_, _| ControlFlow::Continue(()));
            let loaded = if map {
                // SAFETY: the text of `map` says that no one may write into the file meanwhile
                unsafe { map_spg(&path) }?
            } else {
                read_with(&path, &ReadOptions::default(), progress)?
            };
            let shown = path.display();
            let stored = hierarchy::Prepared::of(&loaded)
                .map_err(|error| Error::argument(format!("{shown}: {error}")))?
                .ok_or_else(|| {
                    Error::argument(format!(
                        "{shown}: this graph is not prepared; Prepared(Graph.read(path)) prepares it"
                    ))
                })?;
            let LoadedGraph { csr, ids, .. } = loaded;
            let hierarchy = stored.hierarchy().clone();
            Ok((Graph::of_file(csr, ids)?, hierarchy, Some(stored)))
        })?;
        Ok(Self { graph: Py::new(py, graph)?, hierarchy, stored })
    }

    /// Writes the network, its names and its hierarchy with its own weights to a file.
    ///
    /// :meth:`load` reads it, :meth:`Graph.read` reads the graph, and so does the program
    /// ``starpath``. Labels are names there if they are whole numbers or words that ascend.
    ///
    /// Parameters
    /// ----------
    /// path : path_like
    ///     The file, whose name ends in .prepared.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When labels are others, or a weight is negative.
    /// OSError
    ///     When it cannot be written; then no file is left.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.write(py, &path, || self.own_metric())
    }

    /// Puts weights in.
    ///
    /// Parameters
    /// ----------
    /// weights : array_like, shape (n_arcs,), optional
    ///     What each arc weighs, in the order of the entries of ``graph.to_scipy()``: at least zero,
    ///     of any type, which they keep. By default the weights of the graph.
    ///
    /// Returns
    /// -------
    /// Metric
    ///     Distances and paths by these weights.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When there is not one for each arc, or one is negative, infinite or NaN.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9])
    /// >>> prepared = starpaths.Prepared(roads)
    /// >>> minutes = roads.to_scipy().data * 1.5
    /// >>> prepared.customize().distance(0, 2), prepared.customize(minutes).distance(0, 2)
    /// (7, 10.5)
    #[pyo3(signature = (weights=None))]
    fn customize(slf: Bound<'_, Self>, weights: Option<&Bound<'_, PyAny>>) -> PyResult<Metric> {
        let (py, prepared) = (slf.py(), slf.get());
        let network = prepared.graph.get();
        let given =
            weights.map(|weights| arrays::with_weights(&network.csr, weights)).transpose()?;
        let metric = run(py, network.size(), false, |_| match &given {
            Some(csr) => customized(&prepared.hierarchy, csr),
            None => prepared.own_metric(),
        })?;
        Ok(Metric::new(slf.unbind(), metric))
    }

    /// How many pairs of vertices an arc or a shortcut of the hierarchy joins.
    #[getter]
    fn hierarchy_arcs(&self) -> usize {
        self.hierarchy.n_arcs()
    }

    /// How many vertices the longest upward path has.
    #[getter]
    fn height(&self) -> usize {
        self.hierarchy.height()
    }

    /// It does not change, and is its own copy.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Prepared cannot be pickled; save it once, and load the file with map=True in each \
             process, which then share it",
        ))
    }

    fn __repr__(&self) -> String {
        let (n, m) = (self.hierarchy.n_vertices(), self.graph.get().csr.n_arcs());
        let (arcs, height) = (self.hierarchy.n_arcs(), self.hierarchy.height());
        format!(
            "<starpaths.Prepared of {n} vertices and {m} arcs, a hierarchy of {arcs} arcs, {height} \
             high>"
        )
    }
}

impl Prepared {
    /// The hierarchy with the weights of the graph.
    fn own_metric(&self) -> Result<Arc<dyn AnyMetric>, Error> {
        let csr = &self.graph.get().csr;
        match &self.stored {
            Some(stored) => as_stored(stored, csr),
            None => customized(&self.hierarchy, csr),
        }
    }

    /// Writes the file of a metric.
    pub(crate) fn write(
        &self,
        py: Python<'_>,
        path: &Path,
        metric: impl FnOnce() -> Result<Arc<dyn AnyMetric>, Error> + Send,
    ) -> PyResult<()> {
        ensure_not_forked()?;
        if path.extension().is_none_or(|suffix| suffix != "prepared") {
            let shown = path.display();
            let message = format!("path is {shown}; expected a name that ends in .prepared");
            return Err(Error::argument(message).into());
        }
        let network = self.graph.get();
        let ids = network.ids(py)?;
        run(py, network.size(), false, |_| metric()?.write(path, &ids))
    }
}

/// What is wrong with a graph.
fn of_graph(error: HierarchyError) -> Error {
    match error {
        HierarchyError::Elimination(EliminationError::NoSmallSeparators { max_arcs }) => {
            Error::argument(format!(
                "graph: it has no small separators, as roads have, so that its hierarchy would have \
                 more than {max_arcs} arcs; Graph.distances, Graph.table and Graph.within search \
                 without preparing"
            ))
        }
        error => error.into(),
    }
}

/// The position of each vertex, of an array or a file.
fn positions(graph: &Graph, given: &Bound<'_, PyAny>) -> PyResult<Vec<[f64; 2]>> {
    let n = graph.csr.n_vertices();
    if let Ok(path) = given.extract::<PathBuf>() {
        let ids = graph.ids(given.py())?;
        return Ok(read_coordinates(path, &ids, n).map_err(Error::from)?);
    }
    let array = array_of(given)?;
    if array.shape() != [n, 2] {
        let shape = array.getattr("shape")?;
        let message = format!(
            "coordinates: an array of shape {shape}; expected ({n}, 2), a position for each vertex \
             in their order"
        );
        return Err(Error::argument(message).into());
    }
    let array = array.call_method1("astype", ("float64",))?;
    let array = array.extract::<PyReadonlyArray2<'_, f64>>()?;
    let rows = array.as_array();
    let positions: Vec<_> = rows.rows().into_iter().map(|row| [row[0], row[1]]).collect();
    match positions.iter().position(|position| !position.iter().all(|x| x.is_finite())) {
        None => Ok(positions),
        Some(at) => {
            let [x, y] = positions[at];
            let message = format!(
                "coordinates: row {at} is ({x}, {y}); expected finite numbers, or no coordinates, \
                 without which it works, too"
            );
            Err(Error::argument(message).into())
        }
    }
}
