//! A solver of a graph that is on a GPU already; its results stay there.

use std::marker::PhantomData;
use std::ops::{ControlFlow, Deref};
use std::sync::OnceLock;

use breadth_first::gpu::BreadthFirstOnGpu;
use gpu_runtime::{Buffer, Gpu, GpuError};
use graph_formats::{Distance, VertexId, Weight, WeightKind};
use search_parts::device::{DeviceArcs, KeyKind, limit_key};
use search_parts::{MAX_VERTICES, Query, check_vertices, unless_out_of_memory};

use super::arrays::{Arrays, Indices, Summary, have_reverses};
use super::cells::{CellsKernel, converted};
use super::delta_stepping::DeltaSteppingOnGpu;
use crate::key::distance_bound;
use crate::plan::cannot_overflow;
use crate::{DeviceTimes, Goal, Progress, SsspError, Work};

/// Searches a graph whose arrays are on a GPU: by Δ-stepping, or level by level if each arc weighs 1.
/// Distances and predecessors stay there; they are complete when a call returns, so that any stream
/// may read them.
///
/// The results are those of [`Solver::on_gpu`](crate::Solver::on_gpu) for the same graph, bit for
/// bit. The graph is directed as stored. If each arc has a reverse of the same weight, the solver
/// detects that and uses it.
///
/// ```no_run
/// use gpu_runtime::Gpu;
/// use sssp::Goal;
/// use sssp::gpu::{Arrays, DeviceSolver, Indices};
///
/// let gpu = Gpu::open()?;
/// let (offsets, ends) = (gpu.upload(&[0u32, 2, 3, 3])?, gpu.upload(&[1u32, 2, 2])?);
/// let weights = gpu.upload(&[5u32, 9, 2])?;
/// let (offsets, ends) = (Indices::U32(&offsets), Indices::U32(&ends));
/// let mut solver = DeviceSolver::new(&gpu, &Arrays { offsets, ends, weights: &weights })?;
/// let distances = solver.distances::<f32>(0, Goal::All, None)?;
/// assert_eq!(distances.download()?, [0.0, 5.0, 7.0]);
/// assert_eq!(solver.predecessors()?.download()?, [u32::MAX, 0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DeviceSolver<W: Weight> {
    gpu: Gpu,
    search: DeltaSteppingOnGpu,
    /// Where all arcs weigh 1, for one source at a time.
    levels: Option<BreadthFirstOnGpu>,
    kernel: CellsKernel,
    n_arcs: usize,
    /// The source of the last search, and its limit as a key, or as a level.
    last: Option<(VertexId, u64)>,
    weights: PhantomData<W>,
}

/// The result of a call of a [`DeviceSolver`] on its GPU, with work and times. It dereferences to
/// the numbers.
#[derive(Debug)]
#[non_exhaustive]
pub struct OnDevice<T: Weight> {
    /// The distances.
    pub numbers: Buffer<T>,
    /// Counts of all searches of the call.
    pub work: Work,
    /// Times of making the solver and of these searches.
    pub times: DeviceTimes,
}

impl<T: Weight> Deref for OnDevice<T> {
    type Target = Buffer<T>;

    fn deref(&self) -> &Buffer<T> {
        &self.numbers
    }
}

impl<W: Weight> DeviceSolver<W> {
    pub(crate) fn of_arrays(gpu: &Gpu, arrays: &Arrays<'_, W>) -> Result<Self, SsspError> {
        // without the feature there are no GPUs, and no code for them need be generated
        if !cfg!(feature = "cuda") {
            return Err(GpuError::NotCompiled.into());
        }
        let mut times = DeviceTimes::default();
        let ((mut search, levels, kernel), prepare_ms) = times.apart_from_jit(gpu, || {
            let summary = arrays.inspect(gpu)?;
            let bound = distance_bound(arrays.n_vertices(), &summary.weights);
            if !cannot_overflow::<W>(arrays.n_vertices(), bound) {
                let greatest = summary.weights.greatest;
                let reason = format!(
                    "with weights up to {greatest} a sum may be too large for a distance; scale \
                     the weights down, or solve on the CPU"
                );
                return Err(SsspError::NotOnGpu { reason });
            }
            let offsets = are_counted(&summary).then(|| offsets(arrays, &summary)).transpose()?;
            let search = DeltaSteppingOnGpu::of_arrays(gpu, arrays, summary)?;
            let levels = offsets.map(|offsets| by_levels(gpu, arrays, &offsets, &search));
            // without memory for its arcs, they are stepped along
            let levels = levels.map(unless_out_of_memory).transpose()?.flatten();
            let kernel = CellsKernel::load(gpu, search.graph.kind)?;
            Ok((search, levels, kernel))
        })?;
        search.times = DeviceTimes { prepare_ms, ..times };
        let (gpu, n_arcs) = (gpu.clone(), arrays.n_arcs());
        Ok(Self { gpu, search, levels, kernel, n_arcs, last: None, weights: PhantomData })
    }

    /// The number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.search.n_vertices()
    }

    /// The number of arcs.
    pub fn n_arcs(&self) -> usize {
        self.n_arcs
    }

    /// The distances from `source` within `goal`, as numbers of type `T`. An unreached vertex has
    /// infinity or the greatest integer.
    ///
    /// # Errors
    /// If a vertex does not exist, a limit is NaN, or `progress` ends the search;
    /// [`SsspError::NotExact`] if `T` cannot hold a distance exactly. Floats of 32 bits may be
    /// rounded.
    pub fn distances<T: Weight>(
        &mut self,
        source: VertexId,
        goal: Goal<W::Distance>,
        progress: Option<Progress<'_>>,
    ) -> Result<OnDevice<T>, SsspError> {
        self.check("source", &[source])?;
        self.last = None;
        let counts_arcs = self.levels.is_some();
        let key = |distance: W::Distance| match counts_arcs {
            true => (distance.to_f64() as u32).into(),
            false => limit_key::<W>(distance),
        };
        let (mut targets, mut limit) = (None, key(W::Distance::UNREACHED));
        match goal {
            Goal::All => {}
            Goal::Target(target) => targets = Some(target),
            Goal::Within(most) if most < W::Distance::ZERO => return self.nothing(),
            // a zero may have a sign
            Goal::Within(most) if most == W::Distance::ZERO => limit = 0,
            Goal::Within(most) if most > W::Distance::ZERO => limit = key(most),
            Goal::Within(most) => return Err(SsspError::BadCutoff(most.to_string())),
        }
        let targets = targets.as_slice();
        self.check("target", targets)?;
        // allocates while the device searches
        let (gpu, n, taken) = (self.gpu.clone(), self.n_vertices(), OnceLock::new());
        let cells = || gpu.buffer::<T>(n);
        let tell = |done, total| {
            taken.get_or_init(cells);
            progress.map_or(ControlFlow::Continue(()), |progress| progress(done, total))
        };
        let query = Query { source, targets, limit, progress: Some(&tell) };
        let work = match &mut self.levels {
            Some(levels) => {
                let work = levels.leave_levels(&query.with_limit(limit as u32))?;
                let times = self.search.times.without_search();
                self.search.times = DeviceTimes { solve_ms: levels.times().solve_ms, ..times };
                work
            }
            None => self.search.leave_keys(&query)?,
        };
        if let &[target] = targets {
            limit = limit.min(self.key(target)?);
        }
        self.last = Some((source, limit));
        let cells = taken.into_inner().unwrap_or_else(cells)?;
        self.write(limit, &cells)?;
        Ok(self.left(cells, work))
    }

    fn left<T: Weight>(&self, numbers: Buffer<T>, work: Work) -> OnDevice<T> {
        OnDevice { numbers, work, times: self.search.times }
    }

    /// The key of a vertex by the last search, or its level.
    fn key(&self, vertex: VertexId) -> Result<u64, GpuError> {
        let Some(levels) = &self.levels else { return self.search.key(vertex) };
        let at = vertex as usize;
        Ok(levels.levels().download_range(at..at + 1)?[0].into())
    }

    /// Writes the distances of the last search up to `limit`, a key or level.
    fn write<T: Weight>(&mut self, limit: u64, cells: &Buffer<T>) -> Result<(), SsspError> {
        let (kind, keys) = match &self.levels {
            Some(levels) => (KeyKind::U32, levels.levels()),
            None => (self.search.graph.kind, &self.search.work_space.keys),
        };
        self.kernel.write(&self.gpu, kind, keys, limit, cells, 0..cells.len())
    }

    /// The result in which no vertex is reached.
    fn nothing<T: Weight>(&mut self) -> Result<OnDevice<T>, SsspError> {
        let cells = self.gpu.buffer(self.n_vertices())?;
        let DeltaSteppingOnGpu { graph, work_space, .. } = &mut self.search;
        work_space.keys.fill_bytes(u8::MAX)?;
        let (keys, range) = (&work_space.keys, 0..cells.len());
        self.kernel.write(&self.gpu, graph.kind, keys, u64::MAX, &cells, range)?;
        Ok(self.left(cells, Work::default()))
    }

    /// The predecessor of each vertex that the last search reached, as [`predecessors`] chooses
    /// it; `u32::MAX` for the source and for unreached vertices.
    ///
    /// # Errors
    /// [`SsspError::Gpu`].
    ///
    /// [`predecessors`]: crate::predecessors()
    pub fn predecessors(&mut self) -> Result<Buffer<VertexId>, SsspError> {
        let predecessors = match self.last {
            Some((source, limit)) => match &mut self.levels {
                Some(levels) => levels.leave_predecessors(limit as u32)?,
                None => self.search.leave_predecessors(source, limit)?,
            },
            None => {
                let mut none = self.gpu.buffer(self.n_vertices())?;
                none.fill_bytes(u8::MAX)?;
                none
            }
        };
        // the caller may read them on another stream
        self.gpu.synchronize()?;
        Ok(predecessors)
    }

    /// The distances of `targets` from each of `sources`, a row for each source, in the form of
    /// [`distances`](Self::distances).
    ///
    /// # Errors
    /// As [`distances`](Self::distances).
    pub fn table<T: Weight>(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<OnDevice<T>, SsspError> {
        self.check("source", sources)?;
        self.check("target", targets)?;
        self.last = None;
        let n_targets = targets.len();
        let n_cells = sources.len().saturating_mul(n_targets);
        let cells = self.gpu.buffer::<T>(n_cells)?;
        if n_cells == 0 {
            return Ok(self.left(cells, Work::default()));
        }
        let Self { gpu, search, kernel, .. } = self;
        let limit = limit_key::<W>(W::Distance::UNREACHED);
        let work = search.rows(sources, targets, progress, &mut |kind, rows, keys| {
            let range = rows.start * n_targets..rows.end * n_targets;
            kernel.write(gpu, kind, keys, limit, &cells, range)
        })?;
        let work = work.ok_or_else(|| SsspError::NotOnGpu {
            reason: format!("a table has at most {MAX_VERTICES} targets, not {n_targets}"),
        })?;
        Ok(self.left(cells, work))
    }

    /// Times of making the solver.
    pub fn preparation(&self) -> DeviceTimes {
        self.search.times.without_search()
    }

    fn check(&self, role: &'static str, vertices: &[VertexId]) -> Result<(), SsspError> {
        check_vertices(self.n_vertices(), role, vertices)
    }
}

/// Whether distances are numbers of arcs: all weigh 1, and all sums of these are exact.
fn are_counted<W: Weight>(summary: &Summary<W>) -> bool {
    let is_exact = W::KIND != WeightKind::F32 || summary.bounds.len() <= 1 << f32::MANTISSA_DIGITS;
    summary.weights.common().is_some_and(|weight| weight.to_f64() == 1.0) && is_exact
}

/// Where the arcs of each vertex begin, and the number of arcs.
fn offsets<W: Weight>(arrays: &Arrays<'_, W>, summary: &Summary<W>) -> Result<Vec<u32>, GpuError> {
    let begins = summary.bounds.download()?.into_iter().map(|[begin, _]| begin);
    Ok(begins.chain([arrays.n_arcs() as u32]).collect())
}

/// Searches level by level of a graph that was inspected, and whose arcs `search` has.
fn by_levels<W: Weight>(
    gpu: &Gpu,
    arrays: &Arrays<'_, W>,
    offsets: &[u32],
    search: &DeltaSteppingOnGpu,
) -> Result<BreadthFirstOnGpu, SsspError> {
    let ends = match arrays.ends {
        Indices::U32(ends) => converted(gpu, ends, u32::MAX)?,
        Indices::U64(ends) => converted(gpu, ends, u64::MAX)?,
    };
    let rows = DeviceArcs { offsets: gpu.upload(offsets)?, ends };
    let graph = &search.graph;
    let both_ways = have_reverses(gpu, &graph.rows, graph.kind.words_of_weight() == 2)?;
    // SAFETY: it was inspected: rows lie inside the arcs, which end at vertices.
    unsafe { BreadthFirstOnGpu::of_arcs(gpu, rows, offsets, both_ways) }
}
