//! Many searches of one graph, whose work space is kept in between.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::thread;

use graph_formats::AnyCsr;
use pyo3::prelude::*;
use self_cell::self_cell;
use sssp::any::AnySolver;

use crate::arguments;
use crate::error::Error;
use crate::graph::Graph;
use crate::how::How;
use crate::numbers::{Dtype, Numbers};
use crate::run::{Quiet, Watch, run_watched};
use crate::searches::{goal, tree};
use crate::tables::ensure_fits;
use crate::tree::Tree;
use crate::turns::{Turns, unpoisoned};

/// What a solver borrows.
struct Owner {
    csr: AnyCsr,
    progress: Box<dyn Fn(u64, u64) -> ControlFlow<()> + Send + Sync>,
}

type Borrower<'a> = Box<dyn AnySolver + 'a>;

self_cell! {
    struct Held {
        owner: Owner,
        #[not_covariant]
        dependent: Borrower,
    }
}

/// Searches of one graph, one after the other, in the same work space; on a GPU the graph stays
/// there.
///
/// Parameters
/// ----------
/// graph : Graph
///     The graph to search.
/// algorithm, threads, backend
///     As for :meth:`Graph.sssp`.
/// searches : int, default 1
///     The expected number of searches. For many, a GPU first tries which algorithm is fastest.
///
/// Examples
/// --------
/// >>> import starpaths
/// >>> solver = starpaths.Solver(starpaths.Graph.from_arcs([0, 1], [1, 2], [5, 2]))
/// >>> solver.sssp(0).distances
/// array([0., 5., 7.])
/// >>> solver.sssp(1).distances
/// array([inf,  0.,  2.])
#[pyclass(frozen, module = "starpaths")]
pub(crate) struct Solver {
    graph: Py<Graph>,
    /// That of the question which is being answered.
    watch: Arc<Mutex<Arc<Watch>>>,
    held: Quiet<Turns<Held>>,
    /// The algorithm that it uses, and why.
    #[pyo3(get)]
    plan: String,
}

#[pymethods]
impl Solver {
    #[new]
    #[pyo3(signature = (graph, *, algorithm=None, threads=None, backend=None, searches=1))]
    fn new(
        py: Python<'_>,
        graph: Py<Graph>,
        algorithm: Option<&str>,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<NonZeroUsize>,
        backend: Option<&str>,
        #[pyo3(from_py_with = arguments::searches)] searches: usize,
    ) -> PyResult<Self> {
        let how = How::new(algorithm, threads, backend)?;
        let (csr, size) = (graph.get().csr.clone(), graph.get().size());
        let first = Arc::new(Watch::default());
        let watch = Arc::new(Mutex::new(first.clone()));
        let current = watch.clone();
        let progress = Box::new(move |done, total| unpoisoned(&current).tell(done, total));
        let (held, plan) = run_watched(py, size, &first, false, || {
            let held = Held::try_new(Owner { csr, progress }, |owner| {
                how.solver(&owner.csr, searches, Some(&*owner.progress))
            })?;
            let plan = held.with_dependent(|_, solver| solver.plan().to_string());
            Ok((held, plan))
        })?;
        Ok(Self { graph, watch, held: Quiet::new(Turns::new(held)), plan })
    }

    /// Shortest paths from one vertex, as :meth:`Graph.sssp`.
    #[pyo3(signature = (source, *, target=None, cutoff=None, dtype=None))]
    fn sssp(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        target: Option<&Bound<'_, PyAny>>,
        cutoff: Option<f64>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Tree> {
        let graph = self.graph.get();
        let source = graph.vertex_of("source", source)?;
        let target = target.map(|target| graph.vertex_of("target", target)).transpose()?;
        let (goal, dtype) = (goal(target, cutoff)?, Dtype::of(py, dtype)?);
        let (distances, predecessors) =
            self.ask(py, graph.size(), |solver| tree(solver, source, goal, dtype))?;
        Tree::new(py, source, distances, predecessors)
    }

    /// The distances from each of several vertices to each of several others, as
    /// :meth:`Graph.table`.
    #[pyo3(signature = (sources, targets=None, *, dtype=None))]
    fn table<'py>(
        &self,
        py: Python<'py>,
        sources: &Bound<'_, PyAny>,
        targets: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let graph = self.graph.get();
        let sources = graph.vertices_of("source", sources)?;
        let targets = graph.vertices_or_all("target", targets)?;
        let dtype = Dtype::of(py, dtype)?;
        let size = graph.size().saturating_mul(sources.len());
        let numbers = self.ask(py, size, |solver| {
            ensure_fits(sources.len(), targets.len(), graph.size_of_distance_as(dtype))?;
            Numbers::of(solver.table(&sources, &targets)?.answer.distances, dtype)
        })?;
        numbers.into_array(py, &[sources.len(), targets.len()])
    }
}

impl Solver {
    /// Asks the solver, which other threads wait for.
    ///
    /// # Errors
    /// Those of the query, and when a signal's handler makes a query during one of its own thread.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        size: usize,
        question: impl FnOnce(&mut dyn AnySolver) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let (watch, asker) = (Arc::new(Watch::default()), thread::current().id());
        run_watched(py, size, &watch, false, || {
            self.held.take(asker, |held| {
                *unpoisoned(&self.watch) = watch.clone();
                held.with_dependent_mut(|_, solver| question(&mut **solver))
            })
        })
    }
}
