//! What a graph's arcs join, whatever they weigh, and what joins them at the least weight.

use closure::closure;
use graph_formats::{Components, Csr, VertexId, with_csr};
use paths::oracle::minimum_spanning_forest;
use pyo3::prelude::*;

use crate::error::Error;
use crate::graph::Graph;
use crate::numbers::shaped;
use crate::run::run;
use crate::tables::zeros;

#[pymethods]
impl Graph {
    /// The components of the graph.
    ///
    /// Parameters
    /// ----------
    /// connection : {"weak", "strong"}, default "weak"
    ///     Whether arcs join vertices both ways, or there have to be paths from each to each.
    ///
    /// Returns
    /// -------
    /// n_components : int
    ///     How many there are.
    /// labels : ndarray of int32, shape (n_vertices,)
    ///     Which each vertex is in: numbers from 0 on, in the order of their first vertices, or for
    ///     "strong" in one where no arc leads to a greater number.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1, 2], [1, 2, 1], n_vertices=4)
    /// >>> graph.components()
    /// (2, array([0, 0, 0, 1], dtype=int32))
    /// >>> graph.components("strong")
    /// (3, array([1, 0, 0, 2], dtype=int32))
    #[pyo3(signature = (connection="weak"))]
    fn components<'py>(
        &self,
        py: Python<'py>,
        connection: &str,
    ) -> PyResult<(usize, Bound<'py, PyAny>)> {
        let is_weak = match connection {
            "weak" => true,
            "strong" => false,
            other => {
                let message = format!("connection is '{other}'; expected 'weak' or 'strong'");
                return Err(Error::argument(message).into());
            }
        };
        let (n_components, labels) = with_csr!(&self.csr, |graph| {
            run(py, self.size(), |_| {
                let components = match is_weak {
                    true => Components::of(&Csr::from_undirected_edges(&graph.to_coo())),
                    false => Components::of(graph),
                };
                let labels = graph.vertices().map(|v| components.component_of(v) as i32);
                Ok((components.n_components(), labels.collect()))
            })?
        });
        Ok((n_components, shaped(py, labels, &[self.csr.n_vertices()])?))
    }

    /// Which vertices reach which by a path of at least one arc: a vertex reaches itself only along
    /// a cycle.
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
    fn closure<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let n = self.csr.n_vertices();
        let cells = with_csr!(&self.csr, |graph| {
            run(py, self.size().saturating_mul(n), |progress| {
                let mut cells = zeros::<bool>(n, n)?;
                let found = closure(graph, &closure::Config::default(), progress)?;
                for (u, row) in (0..).zip(cells.chunks_exact_mut(n.max(1))) {
                    found.closure.reached_from(u).for_each(|v| row[v as usize] = true);
                }
                Ok(cells)
            })?
        });
        shaped(py, cells, &[n, n])
    }

    /// The edges of least weight that join whatever arcs can join, either way.
    ///
    /// Returns
    /// -------
    /// sources, targets : ndarray of int32, shape (k,)
    ///     Both ends of each edge, the smaller first: by weight, and those as heavy by their ends.
    /// weights : ndarray, shape (k,)
    ///     What they weigh, in the type of the graph's weights.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1, 2], [1, 2, 0], [3, 1, 2])
    /// >>> graph.minimum_spanning_forest()
    /// (array([1, 0], dtype=int32), array([2, 2], dtype=int32), array([1, 2]))
    fn minimum_spanning_forest<'py>(&self, py: Python<'py>) -> PyResult<Forest<'py>> {
        with_csr!(&self.csr, |graph| {
            let edges = run(py, self.size(), |_| Ok(minimum_spanning_forest(graph).edges))?;
            let ends = |end: fn(&_) -> VertexId| -> Vec<i32> {
                edges.iter().map(|edge| end(edge) as i32).collect()
            };
            let weights = edges.iter().map(|edge| edge.2).collect();
            let shape = [edges.len()];
            Ok((
                shaped(py, ends(|edge| edge.0), &shape)?,
                shaped(py, ends(|edge| edge.1), &shape)?,
                shaped(py, weights, &shape)?,
            ))
        })
    }
}

/// Ends and weights of edges.
type Forest<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);
