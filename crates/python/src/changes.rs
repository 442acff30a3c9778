//! Changes of a graph as Python says them: tuples.

use graph_formats::{Change, VertexId};
use paths::Number;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::Error;
use crate::graph::Graph;

/// The changes of a prepared network that tuples say.
pub(crate) fn changes_of(
    graph: &Graph,
    changes: &Bound<'_, PyAny>,
) -> PyResult<Vec<Change<Number>>> {
    let tuples = tuples_of(changes)?;
    let change = |tuple: &Py<PyTuple>| {
        let tuple = tuple.bind(changes.py());
        if new_vertex(tuple).is_some() {
            let message = format!(
                "{}: a prepared network takes no new vertices; prepare the graph with it",
                tuple.repr()?
            );
            return Err(Error::argument(message).into());
        }
        change_of(tuple, &|vertex| graph.vertex_of("vertex", vertex))
    };
    tuples.iter().map(change).collect()
}

/// A tuple for each change.
pub(crate) fn tuples_of(changes: &Bound<'_, PyAny>) -> PyResult<Vec<Py<PyTuple>>> {
    let tuple = |change: PyResult<Bound<'_, PyAny>>| {
        let words = change?.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        Ok(PyTuple::new(changes.py(), words)?.unbind())
    };
    changes.try_iter()?.map(tuple).collect()
}

/// What a tuple names first.
fn kind(tuple: &Bound<'_, PyTuple>) -> String {
    tuple.get_item(0).and_then(|what| what.extract()).unwrap_or_default()
}

/// If a tuple says that there is a new vertex, its name, if it says that.
pub(crate) fn new_vertex<'py>(tuple: &Bound<'py, PyTuple>) -> Option<Option<Bound<'py, PyAny>>> {
    let is_new = kind(tuple) == "insert-vertex" && tuple.len() <= 2;
    is_new.then(|| tuple.get_item(1).ok())
}

/// The change that a tuple says, of arcs and vertices that there are.
pub(crate) fn change_of(
    tuple: &Bound<'_, PyTuple>,
    vertex: &dyn Fn(&Bound<'_, PyAny>) -> PyResult<VertexId>,
) -> PyResult<Change<Number>> {
    let words: Vec<_> = tuple.iter().collect();
    Ok(match (&*kind(tuple), words.get(1..).unwrap_or_default()) {
        ("insert", [u, v, w]) => {
            Change::Insert { from: vertex(u)?, to: vertex(v)?, weight: number(w)? }
        }
        ("delete", [u, v]) => Change::Delete { from: vertex(u)?, to: vertex(v)?, weight: None },
        ("delete", [u, v, w]) => {
            Change::Delete { from: vertex(u)?, to: vertex(v)?, weight: Some(number(w)?) }
        }
        ("reweight", [u, v, w]) => {
            Change::Reweight { from: vertex(u)?, to: vertex(v)?, weight: number(w)? }
        }
        ("delete-vertex", [u]) => Change::DeleteVertex(vertex(u)?),
        _ => {
            let message = format!(
                "{} is no change; expected (\"insert\", u, v, weight), (\"delete\", u, v), \
                 (\"delete\", u, v, weight), (\"reweight\", u, v, weight), (\"insert-vertex\",), \
                 (\"insert-vertex\", name) or (\"delete-vertex\", u)",
                tuple.repr()?
            );
            return Err(Error::argument(message).into());
        }
    })
}

fn number(weight: &Bound<'_, PyAny>) -> PyResult<Number> {
    if let Ok(whole) = weight.extract() {
        return Ok(Number::I64(whole));
    }
    if let Ok(whole) = weight.extract() {
        return Ok(Number::U64(whole));
    }
    Ok(Number::F64(weight.extract()?))
}
