//! The class `DynamicTrees`: shortest paths that follow changes of a graph.

use std::num::NonZeroUsize;

use bytemuck::allocation;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use sssp::Config;
use sssp::any::{self, AnyDynamicTrees};

use crate::arguments;
use crate::changing::Changing;
use crate::error::Error;
use crate::graph::Graph;
use crate::how::How;
use crate::numbers::{Dtype, Numbers};
use crate::run::run;
use crate::tree::Tree;

/// Trees of shortest paths from some vertices, which follow changes of a copy of the graph.
///
/// Parameters
/// ----------
/// graph : Graph
///     The graph before all changes; it does not change itself.
/// sources : array_like of int, or of names of the graph
///     Where the paths start.
/// threads : int, optional
///     The most threads to use; by default one for each core.
///
/// Examples
/// --------
/// >>> import starpaths
/// >>> roads = starpaths.Graph.from_arcs([0, 1, 2, 0], [1, 2, 3, 3], [5, 2, 4, 20])
/// >>> trees = starpaths.DynamicTrees(roads, [0])
/// >>> trees.tree().path_to(3)
/// [0, 1, 2, 3]
/// >>> trees.update([("delete", 1, 2), ("reweight", 0, 1, 6)])
/// [array([1, 2, 3], dtype=int32)]
/// >>> trees.tree().distances
/// array([ 0.,  6., inf, 20.])
#[pyclass(frozen, module = "starpaths")]
pub(crate) struct DynamicTrees {
    n_sources: usize,
    held: Changing<Box<dyn AnyDynamicTrees>>,
}

#[pymethods]
impl DynamicTrees {
    #[new]
    #[pyo3(signature = (graph, sources, *, threads=None))]
    fn new(
        py: Python<'_>,
        graph: Py<Graph>,
        sources: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
    ) -> PyResult<Self> {
        let network = graph.get();
        let sources = network.vertices_of("source", sources)?;
        let threads = How::new(None, threads, None)?.threads;
        let config = Config { threads, ..Config::default() };
        let size = network.size().saturating_mul(sources.len());
        let held =
            run(py, size, false, |_| Ok(any::dynamic_trees(&network.csr, &sources, &config)?))?;
        Ok(Self { n_sources: sources.len(), held: Changing::new(py, graph, held) })
    }

    /// Makes changes of the graph, all or none, and the trees those of the graph that is then.
    ///
    /// Parameters
    /// ----------
    /// changes : iterable of tuple
    ///     ``("insert", u, v, weight)``, ``("delete", u, v)``, ``("delete", u, v, weight)``,
    ///     ``("reweight", u, v, weight)``, ``("insert-vertex",)`` or ``("delete-vertex", u)``. All
    ///     are made together, and no arc may occur twice. In an undirected graph an arc is an edge.
    ///     Of parallel arcs the lightest is meant, or that of the weight.
    ///
    ///     A new vertex has the next number, which tuples after it may have. Where vertices have
    ///     names it needs one that none has yet: ``("insert-vertex", name)``. A vertex that is
    ///     deleted keeps its number and its name, without arcs.
    /// progress : bool, default False
    ///     Whether to show a bar.
    ///
    /// Returns
    /// -------
    /// list of ndarray of int32
    ///     For each source the vertices that have another distance than before, in no order.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When there is no such arc, an arc occurs twice, or the graph would have a negative
    ///     cycle; nothing is changed then.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2], directed=False)
    /// >>> trees = starpaths.DynamicTrees(roads, [0, 2])
    /// >>> trees.update([("insert", 0, 2, 1)])
    /// [array([2, 1], dtype=int32), array([0], dtype=int32)]
    /// >>> trees.update([("insert-vertex",), ("insert", 3, 0, 4)])[0]
    /// array([3], dtype=int32)
    #[pyo3(signature = (changes, *, progress=false))]
    fn update<'py>(
        &self,
        py: Python<'py>,
        changes: &Bound<'py, PyAny>,
        progress: bool,
    ) -> PyResult<Vec<Bound<'py, PyArray1<i32>>>> {
        let size = (self.held.before().size(), progress);
        let updated = self.held.update(py, size, changes, |trees, changes, progress| {
            Ok(trees.update(changes, progress)?)
        })?;
        let changed = updated.into_iter().map(|tree| allocation::cast_vec(tree.changed));
        Ok(changed.map(|vertices: Vec<i32>| vertices.into_pyarray(py)).collect())
    }

    /// A copy of the tree of one source.
    ///
    /// Parameters
    /// ----------
    /// position : int, default 0
    ///     The place of the source among `sources`.
    /// dtype : dtype, optional
    ///     As for :meth:`Graph.sssp`.
    ///
    /// Returns
    /// -------
    /// Tree
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2])
    /// >>> starpaths.DynamicTrees(roads, [0, 1]).tree(1).distances
    /// array([inf,  0.,  2.])
    #[pyo3(signature = (position=0, *, dtype=None))]
    fn tree(
        &self,
        py: Python<'_>,
        position: i64,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Tree> {
        let place = usize::try_from(position).ok().filter(|&place| place < self.n_sources);
        let position = place.ok_or_else(|| {
            let n = self.n_sources;
            Error::argument(format!("position {position}: there are {n} sources, counted from 0"))
        })?;
        let dtype = Dtype::of(py, dtype)?;
        let (source, distances, predecessors) = self.held.with(py, 0, |trees| {
            let tree = trees.tree(position)?;
            // the code for none becomes -1
            let predecessors = allocation::cast_vec(tree.predecessors.into_storage());
            Ok((tree.source, Numbers::of(tree.distances, dtype)?, predecessors))
        })?;
        Tree::new(py, source, distances, predecessors)
    }

    /// A copy of the graph as it is now, with the names of the vertices.
    ///
    /// Returns
    /// -------
    /// Graph
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> roads = starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2])
    /// >>> trees = starpaths.DynamicTrees(roads, [0])
    /// >>> _ = trees.update([("delete", 0, 1)])
    /// >>> trees.graph()
    /// <starpaths.Graph of 3 vertices and 1 arcs, weights int64>
    fn graph(&self, py: Python<'_>) -> PyResult<Graph> {
        self.held.graph(py, |trees| Ok(trees.graph()?))
    }
}
