//! The result of a search from one vertex, on the CPU or a GPU.

use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::device_array::DeviceArray;
use crate::error::Error;
use crate::numbers::Numbers;

/// Shortest paths from one vertex, as :meth:`Graph.sssp` finds them.
///
/// Attributes
/// ----------
/// source : int
///     The vertex where the paths start.
/// distances : ndarray of float64, shape (n_vertices,)
///     How far each vertex is; infinity where it was not reached. With an integer `dtype` a masked
///     array, masked where it was not reached. Read-only.
/// predecessors : ndarray of int32, shape (n_vertices,)
///     The vertex before each vertex on its path; -1 for the source and what was not reached.
///     Read-only.
#[pyclass(frozen, weakref, module = "starpaths")]
pub(crate) struct Tree {
    /// The vertex where the paths start.
    #[pyo3(get)]
    source: u32,
    /// How far each vertex is.
    #[pyo3(get)]
    distances: Py<PyAny>,
    /// The vertex before each vertex on its path; -1 for none.
    #[pyo3(get)]
    predecessors: Py<PyArray1<i32>>,
}

impl Tree {
    /// Of distances and predecessors, -1 for none.
    pub(crate) fn new(
        py: Python<'_>,
        source: u32,
        distances: Numbers,
        predecessors: Vec<i32>,
    ) -> PyResult<Self> {
        let distances = distances.into_array(py, &[predecessors.len()])?;
        Self::of_arrays(source, distances, predecessors.into_pyarray(py))
    }

    fn of_arrays(
        source: u32,
        distances: Bound<'_, PyAny>,
        predecessors: Bound<'_, PyArray1<i32>>,
    ) -> PyResult<Self> {
        for array in [&distances, predecessors.as_any()] {
            array.call_method1("setflags", (false,))?;
        }
        Ok(Self { source, distances: distances.unbind(), predecessors: predecessors.unbind() })
    }
}

/// What a tree is pickled as: source, distances and predecessors.
type State = (u32, Py<PyAny>, Py<PyArray1<i32>>);

/// The tree that was pickled.
#[pyfunction(name = "_restored_tree")]
pub(crate) fn restored_tree(
    source: u32,
    distances: Bound<'_, PyAny>,
    predecessors: Bound<'_, PyArray1<i32>>,
) -> PyResult<Tree> {
    Tree::of_arrays(source, distances, predecessors)
}

#[pymethods]
impl Tree {
    /// The vertices of the shortest path to a vertex.
    ///
    /// Parameters
    /// ----------
    /// vertex : int
    ///     Where the path ends.
    ///
    /// Returns
    /// -------
    /// list of int, or None
    ///     The path, both ends included; None where the vertex was not reached.
    ///
    /// Examples
    /// --------
    /// >>> import starpaths
    /// >>> graph = starpaths.Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 2, 9])
    /// >>> graph.sssp(0).path_to(2)
    /// [0, 1, 2]
    fn path_to(&self, py: Python<'_>, vertex: i64) -> PyResult<Option<Vec<i64>>> {
        let predecessors: PyReadonlyArray1<'_, i32> = self.predecessors.bind(py).try_readonly()?;
        Ok(path(predecessors.as_slice()?, self.source, vertex)?)
    }

    /// It does not change, and is its own copy.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, State)> {
        let restore = py.import("starpaths._core")?.getattr("_restored_tree")?;
        let (distances, predecessors) = (&self.distances, &self.predecessors);
        Ok((restore, (self.source, distances.clone_ref(py), predecessors.clone_ref(py))))
    }

    fn __repr__(&self) -> String {
        format!("<starpaths.Tree from vertex {}>", self.source)
    }
}

/// Shortest paths from one vertex, on a GPU, as :meth:`DeviceGraph.sssp` finds them.
///
/// Attributes
/// ----------
/// source : int
///     The vertex where the paths start.
/// distances : DeviceArray, shape (n_vertices,)
///     How far each vertex is; infinity, or the greatest integer, where it was not reached.
/// predecessors : DeviceArray of int32, shape (n_vertices,), or None
///     The vertex before each vertex on its path; -1 for the source and what was not reached.
/// solve_ms : float
///     The time of the search for the distances on the device, in milliseconds.
#[pyclass(frozen, module = "starpaths")]
pub(crate) struct DeviceTree {
    /// The vertex where the paths start.
    #[pyo3(get)]
    pub(crate) source: u32,
    /// How far each vertex is.
    #[pyo3(get)]
    pub(crate) distances: Py<DeviceArray>,
    /// The vertex before each vertex on its path; -1 for none.
    #[pyo3(get)]
    pub(crate) predecessors: Option<Py<DeviceArray>>,
    /// How long the search for the distances took on the device, in milliseconds.
    #[pyo3(get)]
    pub(crate) solve_ms: f64,
}

#[pymethods]
impl DeviceTree {
    /// The vertices of the shortest path to a vertex; all predecessors are copied for it.
    ///
    /// Parameters
    /// ----------
    /// vertex : int
    ///     Where the path ends.
    ///
    /// Returns
    /// -------
    /// list of int, or None
    ///     The path, both ends included; None where the vertex was not reached.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     When the tree has no predecessors, or was written to so that they lead round a cycle.
    fn path_to(&self, py: Python<'_>, vertex: i64) -> PyResult<Option<Vec<i64>>> {
        let none = || {
            Error::argument(
                "the tree has no predecessors, so it has no paths; search with predecessors=True",
            )
        };
        let predecessors = self.predecessors.as_ref().ok_or_else(none)?.get().get(py)?;
        let predecessors = predecessors.cast::<PyArray1<i32>>()?.try_readonly()?;
        Ok(path(predecessors.as_slice()?, self.source, vertex)?)
    }

    fn __repr__(&self) -> String {
        format!("<starpaths.DeviceTree from vertex {}>", self.source)
    }
}

/// The path from `source` to `vertex`; `None` where none leads there. O(n), whatever the predecessors
/// are: others may have written to them.
///
/// # Errors
/// Where they lead round a cycle, and where there is no such vertex.
fn path(predecessors: &[i32], source: u32, vertex: i64) -> Result<Option<Vec<i64>>, Error> {
    if usize::try_from(vertex).map_or(true, |vertex| vertex >= predecessors.len()) {
        let n_vertices = predecessors.len();
        return Err(Error::argument(format!(
            "vertex {vertex} does not exist: the tree has {n_vertices} vertices, numbered from 0"
        )));
    }
    let (source, mut path, mut at) = (i64::from(source), vec![vertex], vertex);
    while at != source {
        let before = usize::try_from(at).ok().and_then(|at| predecessors.get(at));
        match before {
            Some(&before) if before >= 0 => at = before.into(),
            _ => return Ok(None),
        }
        path.push(at);
        if path.len() > predecessors.len() {
            return Err(Error::argument(format!(
                "predecessors of vertex {vertex} lead round a cycle: they have been written to; \
                 search again"
            )));
        }
    }
    path.reverse();
    Ok(Some(path))
}
