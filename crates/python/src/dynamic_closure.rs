//! The class `DynamicClosure`: which vertices reach which, while the graph changes.

use closure::Config;
use graph_formats::VertexId;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::changing::Changing;
use crate::graph::Graph;
use crate::numbers::shaped;
use crate::run::run;
use crate::tables::{ensure_fits, zeros};

/// Which vertices reach which by a path of at least one arc, while a copy of the graph changes.
///
/// It takes a bit a pair. A vertex reaches itself only along a cycle, and weights do not matter.
///
/// Parameters
/// ----------
/// graph : Graph
///     The graph before all changes; it does not change itself.
/// progress : bool, default False
///     Whether to show a bar.
///
/// Examples
/// --------
/// >>> import starpaths
/// >>> links = starpaths.Graph.from_arcs([0, 1], [1, 2])
/// >>> closure = starpaths.DynamicClosure(links)
/// >>> closure.has_path(0, 2)
/// True
/// >>> closure.update([("delete", 1, 2), ("insert", 2, 0, 1)])
/// (2, 2)
/// >>> closure.closure()
/// array([[False,  True, False],
///        [False, False, False],
///        [ True,  True, False]])
#[pyclass(frozen, module = "starpaths")]
pub(crate) struct DynamicClosure {
    held: Changing<closure::DynamicClosure>,
}

#[pymethods]
impl DynamicClosure {
    #[new]
    #[pyo3(signature = (graph, *, progress=false))]
    fn new(py: Python<'_>, graph: Py<Graph>, progress: bool) -> PyResult<Self> {
        let network = graph.get();
        let n = network.csr.n_vertices();
        let held = run(py, network.size().saturating_mul(n), progress, |progress| {
            // a bit each
            ensure_fits(n, n.div_ceil(u64::BITS as usize), size_of::<u64>())?;
            let arcs = network.csr.unweighted();
            Ok(closure::DynamicClosure::new(&arcs, &Config::default(), progress)?)
        })?;
        Ok(Self { held: Changing::new(py, graph, held) })
    }

    /// Makes changes of the graph, all or none, and the pairs those of the graph that is then.
    ///
    /// Parameters
    /// ----------
    /// changes : iterable of tuple
    ///     As for :meth:`DynamicTrees.update`. Weights are read over, and of parallel arcs any may be
    ///     deleted.
    /// progress : bool, default False
    ///     Whether to show a bar.
    ///
    /// Returns
    /// -------
    /// n_new, n_gone : int
    ///     Pairs that have a path now and had none, and the other way round.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When there is no such arc, or an arc occurs twice; nothing is changed then.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> closure = starpaths.DynamicClosure(starpaths.Graph.from_arcs([0, 1], [1, 2]))
    /// >>> closure.update([("insert", 2, 0, 1)])
    /// (6, 0)
    #[pyo3(signature = (changes, *, progress=false))]
    fn update(
        &self,
        py: Python<'_>,
        changes: &Bound<'_, PyAny>,
        progress: bool,
    ) -> PyResult<(usize, usize)> {
        let size = (self.held.n_pairs(), progress);
        self.held.update(py, size, changes, |closure, changes, progress| {
            let updated = closure.update(changes, progress)?;
            Ok((updated.n_new, updated.n_gone))
        })
    }

    /// Whether a path of at least one arc leads from a vertex to another.
    ///
    /// Parameters
    /// ----------
    /// source, target : int, or names of the graph
    ///     Where the path starts and ends.
    ///
    /// Returns
    /// -------
    /// bool
    fn has_path(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let source = self.held.vertex_of("source", source)?;
        let target = self.held.vertex_of("target", target)?;
        self.held.with(py, 0, |closure| Ok(closure.closure().reaches(source, target)))
    }

    /// The vertices that a vertex reaches, in ascending order.
    ///
    /// Parameters
    /// ----------
    /// source : int, or a name of the graph
    ///     Where the paths start.
    ///
    /// Returns
    /// -------
    /// ndarray of int32
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> links = starpaths.Graph.from_arcs([0, 1], [1, 2])
    /// >>> starpaths.DynamicClosure(links).reached_from(0)
    /// array([1, 2], dtype=int32)
    fn reached_from<'py>(
        &self,
        py: Python<'py>,
        source: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let source = self.held.vertex_of("source", source)?;
        let reached = self.held.with(py, 0, |closure| {
            Ok(closure.closure().reached_from(source).map(|v| v as i32).collect::<Vec<_>>())
        })?;
        Ok(reached.into_pyarray(py))
    }

    /// A copy of all pairs, a byte each.
    ///
    /// Returns
    /// -------
    /// ndarray of bool, shape (n_vertices, n_vertices)
    fn closure<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (cells, n) = self.held.with(py, self.held.n_pairs(), |closure| {
            let n = closure.graph().n_vertices();
            let mut cells = zeros::<bool>(n, n)?;
            for (u, row) in (0 as VertexId..).zip(cells.chunks_exact_mut(n.max(1))) {
                closure.closure().reached_from(u).for_each(|v| row[v as usize] = true);
            }
            Ok((cells, n))
        })?;
        shaped(py, cells, &[n, n])
    }

    fn __repr__(&self) -> String {
        format!("<starpaths.DynamicClosure of {} vertices>", self.held.n_vertices())
    }
}
