//! The class `DeviceMetric`: the distances of a prepared network by some weights, found on a GPU.
//!
//! Pairs are found by labels, which the first question about pairs makes, and which new weights
//! renew; tables and aggregates by sweeps.

use std::sync::Arc;
use std::thread;

use gpu_runtime::{Buffer, Gpu, KeptContext};
use graph_formats::{AnyCsr, VertexId, Weight, WeightKind, with_csr};
use hierarchy::MetricWeight;
use hierarchy::gpu::{DeviceDistances, DeviceHierarchy, DeviceLabels};
use paths::{AnyDistances, AnyTable};
use pyo3::prelude::*;
use sssp::gpu::converted;
use sssp::{Progress, SsspError};

use crate::aggregate::{Arguments, Question};
use crate::any_metric::of_weights;
use crate::arrays;
use crate::device_array::{Cells, DeviceArray, Foreign, OwnedIndices};
use crate::error::Error;
use crate::graph::Graph;
use crate::how::opened;
use crate::metric::Metric;
use crate::numbers::{Dtype, Numbers, with_dtype};
use crate::prepared::Prepared;
use crate::run::{Quiet, ensure_not_forked, run, run_here};
use crate::tables::ensure_fits;
use crate::turns::Turns;

/// The GPU that it is on: the first.
const GPU: u32 = 0;

/// Distances of a prepared network by some weights, found on a GPU: pairs by the million, tables, and
/// aggregates of points.
///
/// They are those of :meth:`Metric.distances` and :meth:`Metric.table`. One distance or path takes
/// less time on the processor.
///
/// Parameters
/// ----------
/// metric : Metric
///     The network with the weights that it has now; later changes do not reach this.
///
/// Raises
/// ------
/// StarpathsError
///     When there is no GPU, or sums of the weights may need more than 64 bits.
/// MemoryError
///     When the GPU has too little memory.
///
/// Examples
/// --------
/// With a GPU, and CuPy:
///
/// >>> import cupy, starpaths  # doctest: +SKIP
/// >>> metric = starpaths.Prepared.load("city.prepared").customize()  # doctest: +SKIP
/// >>> on_gpu = starpaths.DeviceMetric(metric)  # doctest: +SKIP
/// >>> sources, targets = cupy.random.randint(1000, size=(2, 10**8))  # doctest: +SKIP
/// >>> distances = cupy.asarray(on_gpu.distances(sources, targets))  # doctest: +SKIP
#[pyclass(frozen, module = "starpaths")]
pub(crate) struct DeviceMetric {
    prepared: Py<Prepared>,
    held: Quiet<Turns<Held>>,
}

/// What is on the GPU.
struct Held {
    gpu: Gpu,
    hierarchy: DeviceHierarchy,
    metric: Box<dyn Queries>,
}

/// A metric of one of the six types of weights.
trait Queries: Send {
    fn kind(&self) -> WeightKind;

    /// Puts in the weights of this graph, whose arcs and type of weights are the same.
    fn customize(&mut self, graph: AnyCsr) -> Result<(), Error>;

    fn distances(
        &mut self,
        gpu: &Gpu,
        sources: &Buffer<VertexId>,
        targets: &Buffer<VertexId>,
        dtype: Dtype,
    ) -> Result<Arc<dyn Cells>, Error>;

    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Progress<'_>,
    ) -> Result<AnyDistances, Error>;

    fn aggregate(&mut self, question: &Question, progress: Progress<'_>)
    -> Result<Vec<f64>, Error>;
}

struct Customized<W: Weight> {
    metric: hierarchy::gpu::DeviceMetric<W>,
    /// Of its weights, if pairs were asked about.
    labels: Option<DeviceLabels<W>>,
}

/// The hierarchy with the weights of a graph of the same arcs.
fn customized(hierarchy: &DeviceHierarchy, graph: &AnyCsr) -> Result<Box<dyn Queries>, Error> {
    with_csr!(graph, |graph| {
        let metric = hierarchy.customize(graph).map_err(of_weights)?;
        Ok(Box::new(Customized { metric, labels: None }))
    })
}

impl<W: MetricWeight> Queries for Customized<W> {
    fn kind(&self) -> WeightKind {
        W::KIND
    }

    fn customize(&mut self, graph: AnyCsr) -> Result<(), Error> {
        self.metric.customize(graph.into_csr::<W>()?.weights()).map_err(of_weights)?;
        if let Some(mut labels) = self.labels.take() {
            labels.renew(&self.metric)?;
            self.labels = Some(labels);
        }
        Ok(())
    }

    fn distances(
        &mut self,
        gpu: &Gpu,
        sources: &Buffer<VertexId>,
        targets: &Buffer<VertexId>,
        dtype: Dtype,
    ) -> Result<Arc<dyn Cells>, Error> {
        let labels = match &mut self.labels {
            Some(labels) => labels,
            empty => empty.insert(self.metric.labels()?),
        };
        let found = labels.pairs_on_device(sources, targets)?;
        Ok(with_dtype!(dtype, T, Arc::new(cells::<W, T>(gpu, found)?)))
    }

    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Progress<'_>,
    ) -> Result<AnyDistances, Error> {
        Ok(AnyTable::from(self.metric.table(sources, targets, Some(progress))?).distances)
    }

    fn aggregate(
        &mut self,
        question: &Question,
        progress: Progress<'_>,
    ) -> Result<Vec<f64>, Error> {
        let Question { cutoff, aggregate, .. } = question;
        Ok(self.metric.aggregate(&question.points(), *cutoff, aggregate, Some(progress))?)
    }
}

/// Lengths of paths by weights of one type, in another.
fn cells<W: Weight, T: Weight>(gpu: &Gpu, found: DeviceDistances) -> Result<Buffer<T>, Error> {
    Ok(match found {
        DeviceDistances::U32(lengths) => converted(gpu, &lengths, u32::MAX / 2 - 1)?,
        DeviceDistances::U64(lengths) => converted(gpu, &lengths, u64::MAX / 2 - 1)?,
        // distances have the type of the weights
        DeviceDistances::F64(lengths) if W::KIND == WeightKind::F32 => {
            let distances = converted::<_, f32>(gpu, &lengths, f64::MAX)?;
            converted(gpu, &distances, f32::MAX)?
        }
        DeviceDistances::F64(lengths) => converted(gpu, &lengths, f64::MAX)?,
    })
}

#[pymethods]
impl DeviceMetric {
    #[new]
    fn of_metric(py: Python<'_>, metric: &Metric) -> PyResult<Self> {
        ensure_not_forked()?;
        let (prepared, _kept) = (metric.prepared.clone_ref(py), KeptContext::keep());
        let (gpu, csr) = (opened(GPU)?, metric.now().csr());
        let held = run(py, 0, false, |_| {
            let hierarchy = &prepared.get().hierarchy;
            let hierarchy = with_csr!(&csr, |graph| DeviceHierarchy::new(hierarchy, graph, &gpu))?;
            let metric = customized(&hierarchy, &csr)?;
            Ok(Held { gpu, hierarchy, metric })
        })?;
        Ok(Self { prepared, held: Quiet::new(Turns::new(held)) })
    }

    /// Replaces all weights.
    ///
    /// Parameters
    /// ----------
    /// weights : array_like, shape (n_arcs,)
    ///     As for :meth:`Prepared.customize`.
    ///
    /// Raises
    /// ------
    /// StarpathsError
    ///     As there; the weights then stay as they were.
    fn customize(&self, py: Python<'_>, weights: &Bound<'_, PyAny>) -> PyResult<()> {
        let csr = arrays::with_weights(&self.network().csr, weights)?;
        self.ask(py, false, |held, _| {
            if held.metric.kind() == csr.kind() {
                return held.metric.customize(csr);
            }
            held.metric = customized(&held.hierarchy, &csr)?;
            Ok(())
        })
    }

    /// The distances of pairs of vertices, which stay on the GPU.
    ///
    /// Parameters
    /// ----------
    /// pairs, targets
    ///     As for :meth:`Metric.distances`; or sources and targets as arrays of integers on the GPU.
    /// dtype : dtype, default float64
    ///     The type of the distances. An integer has its greatest value where there is no path. What
    ///     it cannot hold exactly is refused, but by float32, which rounds.
    ///
    /// Returns
    /// -------
    /// DeviceArray, shape (k,)
    #[pyo3(signature = (pairs, targets=None, *, dtype=None))]
    fn distances(
        &self,
        py: Python<'_>,
        pairs: &Bound<'_, PyAny>,
        targets: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<DeviceArray> {
        let dtype = Dtype::of(py, dtype)?;
        if let Some(targets) = targets
            && (Foreign::is_one(pairs)? || Foreign::is_one(targets)?)
        {
            return self.distances_there(py, pairs, targets, dtype);
        }
        let (sources, targets) = self.network().ends(pairs, targets)?;
        let cells = self.ask(py, false, |Held { gpu, metric, .. }, _| {
            metric.distances(gpu, &gpu.upload(&sources)?, &gpu.upload(&targets)?, dtype)
        })?;
        Ok(DeviceArray::new(cells, vec![sources.len()], GPU))
    }

    /// The distances from each of several vertices to each of several others, as a numpy array.
    ///
    /// Parameters
    /// ----------
    /// sources, targets, dtype, progress
    ///     As for :meth:`Metric.table`.
    ///
    /// Returns
    /// -------
    /// ndarray, shape (k, t)
    ///     Infinity where there is no path.
    #[pyo3(signature = (sources, targets=None, *, dtype=None, progress=false))]
    fn table<'py>(
        &self,
        py: Python<'py>,
        sources: &Bound<'_, PyAny>,
        targets: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let network = self.network();
        let sources = network.vertices_of("source", sources)?;
        let targets = network.vertices_or_all("target", targets)?;
        let dtype = Dtype::of(py, dtype)?;
        let numbers = self.ask(py, progress, |held, progress| {
            ensure_fits(sources.len(), targets.len(), network.size_of_distance_as(dtype))?;
            Numbers::of(held.metric.table(&sources, &targets, progress)?, dtype)
        })?;
        numbers.into_array(py, &[sources.len(), targets.len()])
    }

    /// An aggregate of the points within a cutoff of every vertex, as a numpy array.
    ///
    /// It takes the time of the distances between all vertices and those with points, whatever the
    /// cutoff is. :meth:`Graph.aggregate` takes less time where the cutoff is short.
    ///
    /// Parameters
    /// ----------
    /// points, cutoff, values, statistic, decay, beta, categories, side, progress
    ///     As for :meth:`Graph.aggregate`.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (n_vertices,) or (n_vertices, n_categories)
    ///     As there.
    #[pyo3(signature = (
        points, cutoff, values=None, *, statistic="count", decay="flat", beta=None,
        categories=None, side="out", progress=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "named ones, in Python")]
    fn aggregate<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'_, PyAny>,
        cutoff: f64,
        values: Option<&Bound<'_, PyAny>>,
        statistic: &str,
        decay: &str,
        beta: Option<f64>,
        categories: Option<&Bound<'_, PyAny>>,
        side: &str,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = Arguments { points, cutoff, values, statistic, decay, beta, categories, side };
        let question = Question::of(self.network(), &given)?;
        let found =
            self.ask(py, progress, |held, progress| held.metric.aggregate(&question, progress))?;
        question.array(py, found)
    }

    fn __repr__(&self) -> String {
        let n = self.network().csr.n_vertices();
        format!("<starpaths.DeviceMetric of {n} vertices on GPU {GPU}>")
    }
}

impl DeviceMetric {
    /// The graph whose vertices it has.
    fn network(&self) -> &Graph {
        self.prepared.get().graph.get()
    }

    /// The distances of pairs whose ends are on the GPU.
    fn distances_there(
        &self,
        py: Python<'_>,
        sources: &Bound<'_, PyAny>,
        targets: &Bound<'_, PyAny>,
        dtype: Dtype,
    ) -> PyResult<DeviceArray> {
        ensure_not_forked()?;
        let _kept = KeptContext::keep();
        let arrays = [Foreign::of("sources", sources)?, Foreign::of("targets", targets)?];
        let ordinals = [0, 1].map(|at| arrays[at].gpu.properties().ordinal);
        if ordinals != [GPU; 2] {
            let message =
                format!("the arrays are on the GPUs {ordinals:?}; expected both on GPU {GPU}");
            return Err(Error::argument(message).into());
        }
        let (sources, targets) = (arrays[0].indices()?, arrays[1].indices()?);
        let cells = self.ask(py, false, |Held { gpu, metric, .. }, _| {
            let sources = narrow(gpu, "sources", sources)?;
            metric.distances(gpu, &sources, &narrow(gpu, "targets", targets)?, dtype)
        })?;
        Ok(DeviceArray::new(cells, vec![arrays[0].len], GPU))
    }

    /// Asks what is on the GPU, which other threads wait for.
    ///
    /// # Errors
    /// Those of the query, and when a signal's handler makes a query during one of its own thread.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        shows: bool,
        question: impl FnOnce(&mut Held, Progress<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let asker = thread::current().id();
        run_here(py, shows, |progress| self.held.take(asker, |held| question(held, progress)))
    }
}

/// Vertices in 32 bits; which of them exist is looked at later.
fn narrow(gpu: &Gpu, what: &str, vertices: OwnedIndices) -> Result<Buffer<VertexId>, Error> {
    match vertices {
        OwnedIndices::U32(vertices) => Ok(vertices),
        OwnedIndices::U64(wide) => converted(gpu, &wide, u64::MAX).map_err(|error| match error {
            SsspError::NotExact { .. } => Error::argument(format!(
                "{what}: a number is below zero or beyond 32 bits; expected numbers of vertices"
            )),
            error => error.into(),
        }),
    }
}
