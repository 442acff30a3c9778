//! Δ-stepping on a GPU: one launch a search.
//!
//! The method, and what differs from the papers, stands in `kernels/sssp/delta_stepping/team.cuh`;
//! this is the side that uploads the graph, chooses the widths, launches and reads back.
//! Weights are 32-bit words, integers or floats; where a sum leaves 32 bits the search is
//! done again on the CPU, with sums as wide as the distance type.
//!
//! Memory, for n vertices and m arcs: 56 bytes a vertex, 8.5 bytes an arc, and on a dense
//! undirected graph 8 bytes more for each vertex and each short arc, a sixth of all where
//! weights are spread evenly. Beside that, 128 MiB while the graph is uploaded.
//!
//! Reference: meyer-sanders-2003, davidson-2014, wang-2021, chakaravarthy-2014

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use bytemuck::Zeroable;
use gpu_runtime::{Buffer, Gpu, GpuError};
use graph_formats::{Csr, VertexId, Weight};
use rayon::prelude::*;

use super::check_size;
use super::graph::DeviceRows;
use super::kernels::{PrepareKernels, SearchKernel};
use super::many_sources::ManySources;
use super::memory::{Lists, RowsAt, Search, WorkSpace};
use super::predecessors::TreeKernel;
use super::watch::Watch;
use super::words::{self, Arithmetic};
use crate::host::delta_stepping::horizon;
use crate::range::WeightRange;
use crate::{DeviceTimes, Progress, SsspError, Work};

/// Arcs that a warp relaxes at a step before it gives work away.
const BUDGET: u32 = 256;
/// How many times a bucket whose width the solver chose may double it.
const MOST_DOUBLINGS: u32 = 5;
/// Buckets of at least this part of the window, which is relaxed in one phase.
const BUCKETS_A_WINDOW: f64 = 6.0;
/// How much wider the buckets of the wide form are.
const WIDER: f64 = 16.0;

/// The solver with its graph and work space on a device.
pub(crate) struct DeltaSteppingOnGpu {
    pub(super) gpu: Gpu,
    pub(super) arithmetic: Arithmetic,
    kernel: SearchKernel,
    tree_kernel: TreeKernel,
    pub(super) watch: Watch,
    work_space: WorkSpace,
    /// The vertex that a search may end at, if there is one.
    target: Buffer<VertexId>,
    /// All that is the same for every source.
    pub(super) search: Search,
    /// The width of buckets, as a length, before it is widened by the form.
    delta: f64,
    is_wide: bool,
    /// The window of a form with a horizon, and its arcs; none without one.
    window: (u32, RowsAt),
    /// Hold what `search` points to.
    _graph: DeviceRows,
    _short: Option<DeviceRows>,
    pub(super) batch: Option<ManySources>,
    pub(super) times: DeviceTimes,
}

/// Bytes of device memory for a graph of `n` vertices and `m` arcs, short arcs and what an
/// upload takes for a while not counted.
fn required_bytes(n: usize, m: usize, lists: Lists) -> u64 {
    (n * 8 + m * 8) as u64 + WorkSpace::bytes(n, lists) + TreeKernel::bytes(n)
}

/// A form of search: which of what was prepared it uses. The answer is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// Buckets [`WIDER`] times as wide.
    pub(super) is_wide: bool,
    /// Arcs beyond a horizon are put off.
    pub(super) has_horizon: bool,
}

/// What came of a search.
pub(crate) enum Outcome {
    /// A word for every vertex.
    Found(Vec<u32>, Work),
    /// A sum left 32 bits.
    Overflow,
}

impl DeltaSteppingOnGpu {
    /// Uploads `graph`, whose weights are in `range`, none negative. `fixed` says that
    /// the width `delta` was asked for and is not to be adapted. O(n + m).
    pub(crate) fn new<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        range: &WeightRange<W>,
        delta: f64,
        fixed: bool,
    ) -> Result<Self, SsspError> {
        let lists = Lists::of(graph.n_vertices(), graph.n_arcs());
        Self::with_lists(gpu, graph, range, delta, fixed, lists)
    }

    /// The same with lists of other lengths: what does not fit is looked for among all
    /// vertices.
    fn with_lists<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        range: &WeightRange<W>,
        delta: f64,
        fixed: bool,
        lists: Lists,
    ) -> Result<Self, SsspError> {
        let arithmetic = Arithmetic::of(range)?;
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        gpu.check_fits("the graph and its search", required_bytes(n, m, lists))?;
        let jit_before = gpu.jit_ms();
        let prepare = PrepareKernels::load(gpu, arithmetic)?;
        let kernel = SearchKernel::load(gpu, arithmetic, m)?;
        let tree_kernel = TreeKernel::load(gpu, arithmetic, n)?;
        let mut times = DeviceTimes { jit_ms: gpu.jit_ms() - jit_before, ..Default::default() };

        let start = Instant::now();
        let rows = DeviceRows::upload(gpu, &prepare, graph)?;
        gpu.synchronize()?;
        times.upload_ms = milliseconds(start);

        let start = Instant::now();
        let ahead = horizon::distance_ahead(graph, range.greatest).map(Weight::to_f64);
        let window = ahead.map_or(0, |ahead| arithmetic.word(ahead));
        // without memory for the short arcs, a search does without a horizon
        let short = match window {
            0 => None,
            window => match rows.short(gpu, &prepare, window) {
                Err(GpuError::OutOfMemory { .. }) => None,
                short => Some(short?).filter(|short| horizon::puts_off_enough(short.arcs.len(), m)),
            },
        };
        let delta = match ahead {
            Some(ahead) if !fixed && short.is_some() => delta.max(ahead / BUCKETS_A_WINDOW),
            _ => delta,
        };
        let work_space = WorkSpace::new(gpu, n, lists, 1)?;
        let (target, watch) = (gpu.buffer(1)?, Watch::new(gpu)?);
        gpu.synchronize()?;
        times.prepare_ms = milliseconds(start);

        let graph_at = at(&rows);
        let mut search = Search {
            graph: graph_at,
            targets: target.address(),
            n_arcs: m as u64,
            budget: BUDGET,
            most_doublings: if fixed { 0 } else { MOST_DOUBLINGS },
            ..Search::zeroed()
        };
        work_space.describe(&mut search);
        let window = match &short {
            Some(short) => (window, at(short)),
            None => (0, graph_at),
        };
        let gpu = gpu.clone();
        let mut solver = Self {
            gpu,
            arithmetic,
            kernel,
            tree_kernel,
            watch,
            work_space,
            target,
            search,
            delta,
            is_wide: false,
            window,
            _graph: rows,
            _short: short,
            batch: None,
            times,
        };
        solver.set_form(Form { is_wide: false, has_horizon: true });
        Ok(solver)
    }

    /// The forms that differ on this graph, the one that it starts with first.
    pub(super) fn forms(&self) -> Vec<Form> {
        let horizons = if self.window.0 > 0 { &[true, false][..] } else { &[true] };
        let forms = horizons
            .iter()
            .flat_map(|&has_horizon| [false, true].map(|is_wide| Form { is_wide, has_horizon }));
        forms.collect()
    }

    /// Searches in this form from now on.
    pub(super) fn set_form(&mut self, form: Form) {
        self.is_wide = form.is_wide;
        self.search.delta = self.arithmetic.word(self.delta()).max(1);
        (self.search.window, self.search.near_arcs) =
            if form.has_horizon { self.window } else { (0, self.search.graph) };
    }

    pub(super) fn n_vertices(&self) -> u64 {
        self.search.n_vertices.into()
    }

    /// The width of buckets in this form, as a length.
    pub(super) fn delta(&self) -> f64 {
        if self.is_wide { WIDER * self.delta } else { self.delta }
    }

    /// The words of the distances from `source`: all up to `limit`, or until `target` is
    /// settled. Tells `progress` how many steps are done.
    pub(crate) fn solve(
        &mut self,
        source: VertexId,
        target: Option<VertexId>,
        limit: u32,
        progress: Option<Progress<'_>>,
    ) -> Result<Outcome, SsspError> {
        let Some(work) = self.launch(source, target, limit, progress)? else {
            return Ok(Outcome::Overflow);
        };
        let start = Instant::now();
        let keys = self.work_space.keys.download()?;
        self.times.download_ms = milliseconds(start);
        Ok(Outcome::Found(keys, work))
    }

    /// Milliseconds of a search of everything from `source`; `None` where a sum leaves 32
    /// bits, or it takes longer than `most`.
    pub(super) fn time(&mut self, source: VertexId, most: f64) -> Result<Option<f64>, SsspError> {
        Ok(self.visits(source, most)?.map(|_| self.times.solve_ms))
    }

    /// How many vertices such a search takes from a list.
    pub(super) fn visits(&mut self, source: VertexId, most: f64) -> Result<Option<u64>, SsspError> {
        let start = Instant::now();
        let tell = |_, _| match milliseconds(start) > most {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        match self.launch(source, None, u32::MAX - 1, Some(&tell)) {
            Err(SsspError::Interrupted) => Ok(None),
            work => Ok(work?.map(|work| work.settled)),
        }
    }

    /// Searches, and leaves the words where they are; `None` where a sum leaves 32 bits.
    fn launch(
        &mut self,
        source: VertexId,
        target: Option<VertexId>,
        limit: u32,
        progress: Option<Progress<'_>>,
    ) -> Result<Option<Work>, SsspError> {
        let n_targets = u32::from(target.is_some());
        if let Some(target) = target {
            self.target.upload(&[target])?;
        }
        self.times = self.times.without_search();
        let host = self.watch.start(progress.is_some())?;
        let search = Search { source, n_targets, limit, host, ..self.search };
        self.work_space.control.fill_bytes(0)?;
        // SAFETY: `self.search` was made for buffers that `self` owns, all of `self.gpu`,
        // and the solver has checked the source.
        unsafe { self.kernel.launch(&self.gpu, &search)? };
        let tell = progress.map(|progress| move |steps| progress(steps, 0));
        self.times.solve_ms = self.watch.wait(tell)?;
        let control = self.work_space.control.download()?[0];
        if control.trouble != 0 {
            return Ok(None);
        }
        // the first thread's clock cycles, in parts of all of them
        let per_cycle = self.times.solve_ms / control.cycles.iter().sum::<u64>().max(1) as f64;
        let [near_ms, far_ms, push_ms, pull_ms] = control.cycles.map(|n| n as f64 * per_cycle);
        self.times = DeviceTimes { near_ms, far_ms, push_ms, pull_ms, ..self.times };
        Ok(Some(Work {
            relaxations: control.relaxations,
            improvements: control.improvements,
            settled: control.settled,
            rounds: u64::from(control.steps),
            again: None,
        }))
    }

    /// The predecessors of the vertices within `limit` of `source`, which the last search
    /// was from, and whose words it has found.
    pub(crate) fn predecessors(
        &mut self,
        source: VertexId,
        limit: u32,
    ) -> Result<Vec<VertexId>, SsspError> {
        let Self { gpu, tree_kernel, search, work_space, .. } = self;
        Ok(tree_kernel.predecessors(gpu, search, work_space, source, limit)?)
    }

    pub(crate) fn times(&self) -> DeviceTimes {
        self.times
    }

    /// Counts what the CPU has done in the device's place as part of the search.
    pub(crate) fn add_solve_time(&mut self, time: Duration) {
        self.times.solve_ms += time.as_secs_f64() * 1e3;
    }
}

/// The distances with these words.
pub(crate) fn distances<W: Weight>(words: &[u32]) -> Vec<W::Distance> {
    words.par_iter().with_min_len(1 << 14).map(|&word| words::distance::<W>(word)).collect()
}

/// Writes the distances with these words into `cells`, as many.
pub(crate) fn write_distances<W: Weight>(words: &[u32], cells: &mut [W::Distance]) {
    let pairs = cells.par_iter_mut().with_min_len(1 << 14).zip(words);
    pairs.for_each(|(cell, &word)| *cell = words::distance::<W>(word));
}

/// The word of a limit that is not negative, or of none.
pub(crate) fn limit_word<W: Weight>(limit: Option<W::Distance>) -> u32 {
    limit.map_or(u32::MAX - 1, words::limit::<W>)
}

/// Where a kernel finds `rows`.
pub(super) fn at(rows: &DeviceRows) -> RowsAt {
    RowsAt { bounds: rows.bounds.address(), arcs: rows.arcs.address() }
}

pub(super) fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
    use paths::oracle;

    use super::*;
    use crate::cuda::tests::gpu;

    /// The words of the distances, in lists of this length.
    fn words(gpu: &Gpu, graph: &Csr<u32>, delta: f64, capacity: usize) -> Vec<u32> {
        let lists = Lists { capacity, n_pieces: capacity };
        let range = WeightRange::of(graph);
        let solver = DeltaSteppingOnGpu::with_lists(gpu, graph, &range, delta, true, lists);
        match solver.unwrap().solve(0, None, u32::MAX - 1, None).unwrap() {
            Outcome::Found(words, _) => words,
            Outcome::Overflow => panic!("no sum leaves 32 bits"),
        }
    }

    #[test]
    fn entries_that_find_no_room_are_found_again() {
        let Some(gpu) = gpu() else { return };
        let dense = rmat(&RmatConfig { scale: 11, ..RmatConfig::default() }).unwrap();
        let sparse = grid(&GridConfig { side: 50, ..GridConfig::default() }).unwrap();
        for graph in [dense, sparse] {
            let expected = oracle::tree(&graph, 0, None).unwrap();
            for (delta, capacity) in [(1.0, 1), (8.0, 5), (100.0, 33), (1e6, 200), (30.0, 100_000)]
            {
                let found = distances::<u32>(&words(&gpu, &graph, delta, capacity));
                let found = paths::Distances::from_storage(found);
                assert!(found == expected.distances, "delta {delta}, lists of {capacity}");
            }
        }
    }
}
