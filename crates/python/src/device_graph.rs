//! Graphs whose arrays are on a GPU, and searches whose results stay there.

use std::sync::Arc;
use std::thread;

use gpu_runtime::{Buffer, Gpu, KeptContext};
use graph_formats::{VertexId, WeightKind};
use paths::Number;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sssp::gpu::{Arrays, DeviceSolver};
use sssp::{DeviceTimes, Goal, Progress, SearchWeight};

use crate::device_array::{Cells, DeviceArray, Foreign};
use crate::error::Error;
use crate::graph::vertex_of;
use crate::numbers::{Dtype, with_dtype};
use crate::run::{Quiet, ensure_not_forked, run, run_here};
use crate::searches::{goal, vertices_of, vertices_or_all};
use crate::tree::DeviceTree;
use crate::turns::Turns;

type Shared = Arc<dyn Cells>;

/// A solver of one of the six types.
trait Searches: Send {
    fn size(&self) -> (usize, usize);

    fn preparation(&self) -> DeviceTimes;

    fn distances(
        &mut self,
        source: VertexId,
        goal: Goal<Number>,
        dtype: Dtype,
        progress: Option<Progress<'_>>,
    ) -> Result<(Shared, DeviceTimes), Error>;

    fn predecessors(&mut self) -> Result<Shared, Error>;

    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        dtype: Dtype,
        progress: Option<Progress<'_>>,
    ) -> Result<Shared, Error>;
}

impl<W: SearchWeight> Searches for DeviceSolver<W> {
    fn size(&self) -> (usize, usize) {
        (self.n_vertices(), self.n_arcs())
    }

    fn preparation(&self) -> DeviceTimes {
        self.preparation()
    }

    fn distances(
        &mut self,
        source: VertexId,
        goal: Goal<Number>,
        dtype: Dtype,
        progress: Option<Progress<'_>>,
    ) -> Result<(Shared, DeviceTimes), Error> {
        let goal: Goal<W::Distance> = goal.typed()?;
        Ok(with_dtype!(dtype, T, {
            let found = self.distances::<T>(source, goal, progress)?;
            (Arc::new(found.numbers), found.times)
        }))
    }

    fn predecessors(&mut self) -> Result<Shared, Error> {
        // the code for none becomes -1
        Ok(Arc::new(self.predecessors()?.cast::<i32>()))
    }

    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        dtype: Dtype,
        progress: Option<Progress<'_>>,
    ) -> Result<Shared, Error> {
        Ok(with_dtype!(dtype, T, Arc::new(self.table::<T>(sources, targets, progress)?.numbers)))
    }
}

/// A graph whose arrays are on a GPU, of CuPy, PyTorch or Numba, and whose distances stay there.
///
/// Arcs are as they are stored, one way each; where every one has its reverse of the same weight that
/// is found out, and helps. Weights are integers or floats of 32 or 64 bits, finite and none below
/// zero, indices integers of 32 or 64 bits. The arrays are read once, on their streams' terms, and not
/// needed any more then.
///
/// Parameters
/// ----------
/// matrix : sparse matrix of CuPy in CSR format, or sparse CSR tensor of PyTorch, of shape (n, n)
///     Entry (i, j) is the weight of the arc from i to j. Every stored entry is an arc, zeros too.
///
/// Examples
/// --------
/// With a GPU, and CuPy:
///
/// >>> import cupy, cupyx, starpaths  # doctest: +SKIP
/// >>> matrix = cupyx.scipy.sparse.random(99, 99, 0.1, format="csr")  # doctest: +SKIP
/// >>> tree = starpaths.DeviceGraph(matrix).sssp(0)  # doctest: +SKIP
/// >>> distances = cupy.asarray(tree.distances)  # doctest: +SKIP
#[pyclass(frozen, module = "starpaths")]
pub(crate) struct DeviceGraph {
    solver: Quiet<Turns<Box<dyn Searches>>>,
    n_vertices: usize,
    n_arcs: usize,
    gpu: u32,
    preparation: DeviceTimes,
}

#[pymethods]
impl DeviceGraph {
    #[new]
    fn of_matrix(matrix: &Bound<'_, PyAny>) -> PyResult<Self> {
        let arrays = if matrix.hasattr("crow_indices")? {
            let array = |name| matrix.call_method0(name);
            [array("crow_indices")?, array("col_indices")?, array("values")?]
        } else if matrix.hasattr("indptr")? && matrix.getattr("format")?.eq("csr")? {
            let array = |name| matrix.getattr(name);
            [array("indptr")?, array("indices")?, array("data")?]
        } else {
            let message = format!(
                "expected a sparse matrix of CuPy in CSR format or a sparse CSR tensor of PyTorch, \
                 found {}; DeviceGraph.from_csr takes the arrays themselves",
                matrix.get_type()
            );
            return Err(Error::argument(message).into());
        };
        let shape: Vec<usize> = matrix.getattr("shape")?.extract()?;
        if shape.len() != 2 || shape[0] != shape[1] {
            let message = format!("the matrix has shape {shape:?}; expected a square one");
            return Err(Error::argument(message).into());
        }
        let [indptr, indices, weights] = &arrays;
        Self::from_csr(indptr, indices, Some(weights))
    }

    /// The graph of compressed sparse rows on a GPU.
    ///
    /// Parameters
    /// ----------
    /// indptr : device array of int, shape (n_vertices + 1,)
    ///     Where the arcs of each vertex start in the other arrays, and last their number.
    /// indices : device array of int, shape (n_arcs,)
    ///     Where each arc ends.
    /// weights : device array, shape (n_arcs,), optional
    ///     What each arc weighs; 1 by default.
    ///
    /// Returns
    /// -------
    /// DeviceGraph
    #[staticmethod]
    #[pyo3(signature = (indptr, indices, weights=None))]
    fn from_csr(
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        ensure_not_forked()?;
        let (py, _kept) = (indptr.py(), KeptContext::keep());
        let indptr = Foreign::of("indptr", indptr)?;
        let indices = Foreign::of("indices", indices)?;
        let weights = weights.map(|weights| Foreign::of("weights", weights)).transpose()?;
        let gpu = indptr.gpu.clone();
        let arrays = [&indptr, &indices].into_iter().chain(&weights);
        let ordinals: Vec<_> = arrays.map(|array| array.gpu.properties().ordinal).collect();
        if ordinals.iter().any(|&ordinal| ordinal != ordinals[0]) {
            let message =
                format!("the arrays are on the GPUs {ordinals:?}; expected all on one GPU");
            return Err(Error::argument(message).into());
        }
        let arcs = [&indptr, &indices];
        let solver: Box<dyn Searches> = match &weights {
            None => {
                let ones = run(py, 0, false, |_| Ok(gpu.upload(&vec![1u32; indices.len])?))?;
                solver(py, &gpu, arcs, &ones)?
            }
            Some(weights) => match weights.kind {
                WeightKind::U32 => solver::<u32>(py, &gpu, arcs, &weights.buffer()?)?,
                WeightKind::I32 => solver::<i32>(py, &gpu, arcs, &weights.buffer()?)?,
                WeightKind::U64 => solver::<u64>(py, &gpu, arcs, &weights.buffer()?)?,
                WeightKind::I64 => solver::<i64>(py, &gpu, arcs, &weights.buffer()?)?,
                WeightKind::F32 => solver::<f32>(py, &gpu, arcs, &weights.buffer()?)?,
                _ => solver::<f64>(py, &gpu, arcs, &weights.buffer()?)?,
            },
        };
        let (n_vertices, n_arcs) = solver.size();
        let preparation = solver.preparation();
        let solver = Quiet::new(Turns::new(solver));
        Ok(Self { solver, n_vertices, n_arcs, gpu: ordinals[0], preparation })
    }

    /// How many vertices there are.
    #[getter]
    fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    /// How many arcs there are.
    #[getter]
    fn n_arcs(&self) -> usize {
        self.n_arcs
    }

    /// The times of making it, in milliseconds: of loading kernels, once in a process, and of
    /// preparing the graph.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let by_name = PyDict::new(py);
        by_name.set_item("jit_ms", self.preparation.jit_ms)?;
        by_name.set_item("prepare_ms", self.preparation.prepare_ms)?;
        Ok(by_name)
    }

    /// Shortest paths from one vertex.
    ///
    /// Parameters
    /// ----------
    /// source : int
    ///     Where paths start.
    /// target : int, optional
    ///     Stop here: vertices that are farther are left unreached.
    /// cutoff : float, optional
    ///     Leave vertices unreached that are farther than this. Not together with `target`.
    /// dtype : dtype, default float64
    ///     The type of the distances. An integer has its greatest value where a vertex is not
    ///     reached. What it cannot hold exactly is refused, but by float32, which rounds.
    /// predecessors : bool, default True
    ///     Whether to find predecessors, too.
    ///
    /// Returns
    /// -------
    /// DeviceTree
    #[pyo3(signature = (source, *, target=None, cutoff=None, dtype=None, predecessors=true))]
    fn sssp(
        &self,
        py: Python<'_>,
        source: i64,
        target: Option<i64>,
        cutoff: Option<f64>,
        dtype: Option<&Bound<'_, PyAny>>,
        predecessors: bool,
    ) -> PyResult<DeviceTree> {
        let n = self.n_vertices;
        let source = vertex_of(n, "source", source)?;
        let target = target.map(|target| vertex_of(n, "target", target)).transpose()?;
        let (goal, dtype) = (goal(target, cutoff)?, Dtype::of(py, dtype)?);
        let ((distances, times), predecessors) = self.ask(py, false, |solver, progress| {
            let distances = solver.distances(source, goal, dtype, Some(progress))?;
            let predecessors = predecessors.then(|| solver.predecessors()).transpose()?;
            Ok((distances, predecessors))
        })?;
        let array = |cells| Py::new(py, DeviceArray::new(cells, vec![n], self.gpu));
        let predecessors = predecessors.map(array).transpose()?;
        let solve_ms = times.solve_ms;
        Ok(DeviceTree { source, distances: array(distances)?, predecessors, solve_ms })
    }

    /// The distances from each of several vertices to each of several others.
    ///
    /// Parameters
    /// ----------
    /// sources : array_like of int, shape (k,)
    ///     The rows.
    /// targets : array_like of int, shape (t,), optional
    ///     The columns; all vertices by default.
    /// dtype : dtype, default float64
    ///     As for `sssp`.
    /// progress : bool, default False
    ///     Whether a bar of tqdm shows how far it is.
    ///
    /// Returns
    /// -------
    /// DeviceArray, shape (k, t)
    #[pyo3(signature = (sources, targets=None, *, dtype=None, progress=false))]
    fn table(
        &self,
        py: Python<'_>,
        sources: &Bound<'_, PyAny>,
        targets: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
        progress: bool,
    ) -> PyResult<DeviceArray> {
        let sources = vertices_of(self.n_vertices, "source", sources)?;
        let targets = vertices_or_all(self.n_vertices, "target", targets)?;
        let dtype = Dtype::of(py, dtype)?;
        let cells = self.ask(py, progress, |solver, progress| {
            solver.table(&sources, &targets, dtype, Some(progress))
        })?;
        Ok(DeviceArray::new(cells, vec![sources.len(), targets.len()], self.gpu))
    }

    fn __repr__(&self) -> String {
        let Self { n_vertices, n_arcs, gpu, .. } = self;
        format!("<starpaths.DeviceGraph of {n_vertices} vertices and {n_arcs} arcs on GPU {gpu}>")
    }
}

impl DeviceGraph {
    /// Asks the solver, which other threads wait for.
    ///
    /// # Errors
    /// Those of the query, and when a signal's handler makes a query during one of its own thread.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        shows: bool,
        question: impl FnOnce(&mut dyn Searches, Progress<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let asker = thread::current().id();
        run_here(py, shows, |progress| {
            self.solver.take(asker, |solver| question(&mut **solver, progress))
        })
    }
}

fn solver<W: SearchWeight>(
    py: Python<'_>,
    gpu: &Gpu,
    [indptr, indices]: [&Foreign; 2],
    weights: &Buffer<W>,
) -> PyResult<Box<dyn Searches>> {
    let (indptr, indices) = (indptr.indices()?, indices.indices()?);
    let solver = run(py, 0, false, |_| {
        let (offsets, ends) = (indptr.view(), indices.view());
        Ok(DeviceSolver::new(gpu, &Arrays { offsets, ends, weights })?)
    })?;
    Ok(Box::new(solver))
}
