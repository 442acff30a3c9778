//! What follows changes of a graph, and the vertices that the graph has then.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use graph_formats::{AnyCsr, Change, VertexId};
use paths::Number;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use sssp::Progress;

use crate::arrays::ensure_numbers;
use crate::changes::{change_of, new_vertex, tuples_of};
use crate::error::Error;
use crate::graph::{Graph, no_vertex, vertex_of};
use crate::run::{Quiet, run};
use crate::turns::Turns;

/// What follows changes of a graph. It is used by one thread of Python at a time.
pub(crate) struct Changing<T> {
    /// The graph before all changes.
    graph: Py<Graph>,
    /// The names of vertices that are new since, in their order, and the number of each; empty if
    /// vertices have no names. Written by the thread whose turn it is.
    new: Py<PyDict>,
    /// How many vertices there are now.
    n_vertices: AtomicUsize,
    held: Quiet<Turns<T>>,
}

/// The changes that tuples say.
struct Batch {
    changes: Vec<Change<Number>>,
    /// The names of new vertices, and the number of each.
    new: Py<PyDict>,
    /// How many vertices there are after them.
    n_vertices: usize,
}

impl<T: Send> Changing<T> {
    pub(crate) fn new(py: Python<'_>, graph: Py<Graph>, held: T) -> Self {
        let n_vertices = AtomicUsize::new(graph.get().csr.n_vertices());
        let held = Quiet::new(Turns::new(held));
        Self { graph, new: PyDict::new(py).unbind(), n_vertices, held }
    }

    /// The graph before all changes.
    pub(crate) fn before(&self) -> &Graph {
        self.graph.get()
    }

    /// How many vertices there are now.
    pub(crate) fn n_vertices(&self) -> usize {
        self.n_vertices.load(Relaxed)
    }

    /// How many pairs of vertices there are now.
    pub(crate) fn n_pairs(&self) -> usize {
        self.n_vertices().saturating_mul(self.n_vertices())
    }

    /// The vertex of this number, or of a name that is no number.
    pub(crate) fn vertex_of(&self, role: &str, vertex: &Bound<'_, PyAny>) -> PyResult<VertexId> {
        let new = self.new.bind(vertex.py());
        self.vertex_among(self.n_vertices(), &[new], role, vertex)
    }

    /// The same among `n` vertices, those of which that are new having these names.
    fn vertex_among(
        &self,
        n: usize,
        new: &[&Bound<'_, PyDict>],
        role: &str,
        vertex: &Bound<'_, PyAny>,
    ) -> PyResult<VertexId> {
        match vertex.extract::<i64>() {
            Ok(number) => Ok(vertex_of(n, role, number)?),
            Err(_) => {
                let found = self.named(new, vertex)?;
                Ok(found.map_or_else(|| Err(no_vertex(role, vertex, n)?), Ok)?)
            }
        }
    }

    /// The vertex of this name, in the graph before or among those that are new.
    fn named(
        &self,
        new: &[&Bound<'_, PyDict>],
        name: &Bound<'_, PyAny>,
    ) -> PyResult<Option<VertexId>> {
        if let Some(found) = self.before().named(name) {
            return Ok(Some(found));
        }
        for names in new {
            if let Some(vertex) = names.get_item(name)? {
                return vertex.extract().map(Some);
            }
        }
        Ok(None)
    }

    /// Uses it, in work of about `size` steps, when it is this thread's turn.
    pub(crate) fn with<R: Send>(
        &self,
        py: Python<'_>,
        size: usize,
        work: impl FnOnce(&mut T) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        let user = thread::current().id();
        run(py, size, false, |_| self.held.take(user, work))
    }

    /// Makes the changes that tuples say, in work of about `size` steps. New vertices are there
    /// when it has done them.
    pub(crate) fn update<R: Send>(
        &self,
        py: Python<'_>,
        (size, shows): (usize, bool),
        changes: &Bound<'_, PyAny>,
        work: impl FnOnce(&mut T, &[Change<Number>], Option<Progress<'_>>) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        let tuples = tuples_of(changes)?;
        let user = thread::current().id();
        run(py, size, shows, |progress| {
            self.held.take(user, |held| {
                // in its turn, for the vertices that are there then
                let batch = Python::attach(|py| self.batch(py, &tuples))?;
                let result = work(held, &batch.changes, progress)?;
                Python::attach(|py| self.new.bind(py).update(batch.new.bind(py).as_mapping()))?;
                self.n_vertices.store(batch.n_vertices, Relaxed);
                Ok(result)
            })
        })
    }

    /// The changes that tuples say.
    fn batch(&self, py: Python<'_>, tuples: &[Py<PyTuple>]) -> PyResult<Batch> {
        let new = PyDict::new(py);
        let names = [self.new.bind(py), &new];
        let mut n_vertices = self.n_vertices();
        let mut changes = Vec::with_capacity(tuples.len());
        for tuple in tuples.iter().map(|tuple| tuple.bind(py)) {
            let change = match new_vertex(tuple) {
                Some(name) => {
                    self.check_name(&names, tuple, name.as_ref())?;
                    name.map(|name| new.set_item(name, n_vertices)).transpose()?;
                    n_vertices += 1;
                    ensure_numbers(n_vertices)?;
                    Change::InsertVertex
                }
                None => change_of(tuple, &|vertex| {
                    self.vertex_among(n_vertices, &names, "vertex", vertex)
                })?,
            };
            changes.push(change);
        }
        Ok(Batch { changes, new: new.unbind(), n_vertices })
    }

    /// An error where the vertex that a tuple adds cannot have this name, or needs one.
    fn check_name(
        &self,
        names: &[&Bound<'_, PyDict>],
        tuple: &Bound<'_, PyTuple>,
        name: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let problem = match (name, self.before().has_names()) {
            (Some(name), true) if self.named(names, name)?.is_none() => return Ok(()),
            (None, false) => return Ok(()),
            (Some(_), true) => "a vertex has this name already",
            (Some(_), false) => {
                "vertices have no names, so a new one has the next number; expected \
                 (\"insert-vertex\",)"
            }
            (None, true) => {
                "vertices have names, so a new one needs one; expected (\"insert-vertex\", name)"
            }
        };
        Err(Error::argument(format!("{}: {problem}", tuple.repr()?)).into())
    }

    /// The graph as it is now, which `csr` gets.
    pub(crate) fn graph(
        &self,
        py: Python<'_>,
        csr: impl FnOnce(&mut T) -> Result<AnyCsr, Error> + Send,
    ) -> PyResult<Graph> {
        let csr = self.with(py, self.before().size(), csr)?;
        self.before().grown(csr, self.new.bind(py))
    }
}
