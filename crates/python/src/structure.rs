//! Components, closure, and minimum spanning forests and arborescences.

use std::num::NonZeroUsize;

use bytemuck::allocation;
use closure::{ClosureError, closure, closure_on_gpus};
use graph_formats::{Components, Csr, DisjointSets, VertexId, Weight, tell, with_csr};
use numpy::Element;
use partitioned::gpu::LevelsOnGpus;
use paths::spanning::{minimum_arborescence, minimum_spanning_arcs, minimum_spanning_forest};
use pyo3::prelude::*;

use crate::arguments;
use crate::error::Error;
use crate::graph::Graph;
use crate::how::How;
use crate::numbers::shaped;
use crate::partitioned_graph::numbered;
use crate::run::run;
use crate::tables::{ensure_free, zeros};

#[pymethods]
impl Graph {
    /// The components of the graph.
    ///
    /// Parameters
    /// ----------
    /// connection : {"weak", "strong"}, default "weak"
    ///     "weak" ignores the direction of arcs; "strong" needs a path from each vertex to each
    ///     other.
    /// backend, gpus
    ///     As for `sssp`, for weak ones.
    ///
    /// Returns
    /// -------
    /// n_components : int
    ///     How many there are.
    /// labels : ndarray of int32, shape (n_vertices,)
    ///     The component of each vertex, from 0. Weak components are numbered by their first
    ///     vertices, strong ones so that no arc leads to a greater number.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1, 2], [1, 2, 1], n_vertices=4)
    /// >>> graph.components()
    /// (2, array([0, 0, 0, 1], dtype=int32))
    /// >>> graph.components("strong")
    /// (3, array([1, 0, 0, 2], dtype=int32))
    #[pyo3(signature = (connection="weak", *, backend=None, gpus=None))]
    fn components<'py>(
        &self,
        py: Python<'py>,
        connection: &str,
        backend: Option<&str>,
        #[pyo3(from_py_with = arguments::gpus)] gpus: Option<NonZeroUsize>,
    ) -> PyResult<(usize, Bound<'py, PyAny>)> {
        let is_weak = match connection {
            "weak" => true,
            "strong" => false,
            other => {
                let message = format!("connection is '{other}'; expected 'weak' or 'strong'");
                return Err(Error::argument(message).into());
            }
        };
        let how = How::new(None, None, backend)?;
        let gpus = gpus.map_or(Ok(how.gpus().to_vec()), |gpus| how.first_gpus(gpus))?;
        if !is_weak && !gpus.is_empty() {
            let message = "strong components are found on the CPU; leave backend out";
            return Err(Error::argument(message).into());
        }
        let (n_components, labels) = run(py, self.size(), false, |_| {
            let arcs = self.csr.unweighted();
            if !gpus.is_empty() {
                return Ok(numbered(&LevelsOnGpus::new(&gpus, &arcs)?.components()?));
            }
            if is_weak {
                let (n_components, labels) = DisjointSets::joined_by(&arcs).labels();
                // there are no more vertices than that
                return Ok((n_components, allocation::cast_vec::<_, i32>(labels)));
            }
            let components = Components::of(&arcs);
            let labels = arcs.vertices().map(|v| components.component_of(v) as i32);
            Ok((components.n_components(), labels.collect()))
        })?;
        Ok((n_components, shaped(py, labels, &[self.csr.n_vertices()])?))
    }

    /// The transitive closure: which vertices reach which by a path of at least one arc. A vertex
    /// reaches itself only along a cycle.
    ///
    /// Parameters
    /// ----------
    /// backend, progress
    ///     As for `table`.
    ///
    /// Returns
    /// -------
    /// ndarray of bool, shape (n_vertices, n_vertices)
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> starpaths.Graph.from_arcs([0, 1], [1, 2]).closure()
    /// array([[False,  True,  True],
    ///        [False, False,  True],
    ///        [False, False, False]])
    #[pyo3(signature = (*, backend=None, progress=false))]
    fn closure<'py>(
        &self,
        py: Python<'py>,
        backend: Option<&str>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let how = How::new(None, None, backend)?;
        let n = self.csr.n_vertices();
        let cells = run(py, self.size().saturating_mul(n), progress, |progress| {
            // a byte each, and a bit each in the closure
            let bytes = n as u128 * (n + n.div_ceil(8)) as u128;
            ensure_free(bytes, "", || format!("a result of {n} x {n}"))?;
            let mut cells = zeros::<bool>(n, n)?;
            let (arcs, config) = (self.csr.unweighted(), closure::Config::default());
            let closure = match how.gpus() {
                [] => closure(&arcs, &config, progress)?.closure,
                gpus => closure_on_gpus(gpus, &arcs, &config, progress)?.found.closure,
            };
            for (u, row) in (0..).zip(cells.chunks_exact_mut(n.max(1))) {
                tell(progress, u.into(), n as u64).map_err(ClosureError::from)?;
                closure.reached_from(u).for_each(|v| row[v as usize] = true);
            }
            Ok(cells)
        })?;
        shaped(py, cells, &[n, n])
    }

    /// A minimum spanning forest of the graph, whose arcs count as edges.
    ///
    /// Returns
    /// -------
    /// sources, targets : ndarray of int32, shape (k,)
    ///     The ends of each edge, the smaller first. Edges are sorted by weight, then by their
    ///     ends.
    /// weights : ndarray, shape (k,)
    ///     Their weights, in the type of the graph's weights.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1, 2], [1, 2, 0], [3, 1, 2])
    /// >>> graph.minimum_spanning_forest()
    /// (array([1, 0], dtype=int32), array([2, 2], dtype=int32), array([1, 2]))
    fn minimum_spanning_forest<'py>(&self, py: Python<'py>) -> PyResult<Forest<'py>> {
        self.forest(py, None)
    }

    /// A minimum spanning arborescence: the arcs of least weight along which the root reaches every
    /// other vertex.
    ///
    /// Parameters
    /// ----------
    /// root : int, or a name of the graph
    ///     The root.
    ///
    /// Returns
    /// -------
    /// sources, targets : ndarray of int32, shape (n_vertices - 1,)
    ///     Where each arc starts and ends, in the order of the graph's arcs.
    /// weights : ndarray, shape (n_vertices - 1,)
    ///     Their weights, in the type of the graph's weights.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When the root does not reach all vertices.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 0, 1, 2], [1, 2, 2, 1], [9, 4, 1, 1])
    /// >>> graph.minimum_arborescence(0)
    /// (array([0, 2], dtype=int32), array([2, 1], dtype=int32), array([4, 1]))
    fn minimum_arborescence<'py>(
        &self,
        py: Python<'py>,
        root: &Bound<'_, PyAny>,
    ) -> PyResult<Forest<'py>> {
        let root = self.vertex_of("root", root)?;
        self.forest(py, Some(root))
    }

    /// The graph of the arcs that are a minimum spanning forest.
    #[pyo3(name = "_spanning_forest")]
    fn spanning_forest(&self, py: Python<'_>) -> PyResult<Self> {
        let csr = run(py, self.size(), false, |_| {
            // of edges half as many arcs are sorted
            let edges = self.csr.clone().into_undirected().unwrap_or_else(|_| self.csr.clone());
            with_csr!(&edges, |graph| {
                Ok(Csr::from_arcs(graph.n_vertices(), &minimum_spanning_arcs(graph))?.into())
            })
        })?;
        Ok(Self::numbered_from_zero(csr)?)
    }
}

impl Graph {
    /// The arcs of least weight that lead from the root to all vertices, or the edges that join
    /// what they can where there is no root.
    fn forest<'py>(&self, py: Python<'py>, root: Option<VertexId>) -> PyResult<Forest<'py>> {
        with_csr!(&self.csr, |graph| {
            let arcs = run(py, self.size(), false, |_| {
                let Some(root) = root else { return Ok(minimum_spanning_forest(graph).edges) };
                let arcs = graph.to_coo();
                let chosen = minimum_arborescence(&arcs, root).ok_or_else(|| {
                    Error::argument(format!("root {root} does not reach all vertices"))
                })?;
                let all: Vec<_> = arcs.arcs().collect();
                Ok(chosen.into_iter().map(|at| all[at]).collect())
            })?;
            arrays_of(py, arcs)
        })
    }
}

/// Ends and weights as arrays.
fn arrays_of<'py, W: Weight + Element>(
    py: Python<'py>,
    arcs: Vec<(VertexId, VertexId, W)>,
) -> PyResult<Forest<'py>> {
    let ends = |end: fn(&(VertexId, VertexId, W)) -> VertexId| -> Vec<i32> {
        arcs.iter().map(|arc| end(arc) as i32).collect()
    };
    let shape = [arcs.len()];
    Ok((
        shaped(py, ends(|arc| arc.0), &shape)?,
        shaped(py, ends(|arc| arc.1), &shape)?,
        shaped(py, arcs.iter().map(|arc| arc.2).collect(), &shape)?,
    ))
}

/// Ends and weights of edges or arcs.
type Forest<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);
