//! Δ-stepping on a GPU: one launch a search.
//!
//! The method, and what differs from the papers, stands in `kernels/sssp/delta_stepping/team.cuh`;
//! this is the side that uploads the graph, chooses the widths, launches and reads back.
//! Weights are 32-bit keys, integers or floats; where a sum leaves 32 bits the search is
//! done again on the CPU, with sums as wide as the distance type.
//!
//! Memory, for n vertices and m arcs: 56 bytes a vertex, 8.5 bytes an arc, and on a dense
//! undirected graph 8 bytes more for each vertex and each short arc, a sixth of all where
//! weights are spread evenly. Beside that, 128 MiB while the graph is uploaded.
//!
//! Reference: meyer-sanders-2003, davidson-2014, wang-2021, chakaravarthy-2014

use std::ops::ControlFlow;
use std::time::Instant;

use bytemuck::Zeroable;
use gpu_runtime::{Buffer, Gpu};
use graph_formats::{Csr, VertexId, Weight};
use kernels::sssp::{DELTA_STEPPING_F32, DELTA_STEPPING_U32};

use super::fallback::{DeviceSearch, unless_out_of_memory};
use super::graph::{DeviceRows, KeyGraph, RowsAt};
use super::keys;
use super::launch::{Kernels, Launch, MAX_VERTICES, milliseconds};
use super::many_sources::ManySources;
use super::predecessors::TreeKernel;
use super::work_space::{Lists, SteppingControl, SteppingSearch, WorkSpace};
use crate::cpu::delta_stepping::long_arcs;
use crate::query::Query;
use crate::search::Answer;
use crate::{DeviceTimes, Progress, SsspError, Work};

/// Threads of a block of the search: `warps_a_block` of its source, times 32.
const BLOCK: u32 = 512;
/// Arcs that a warp relaxes at a step before it gives work away.
const BUDGET: u32 = 256;
/// How many times a bucket whose width the solver chose may double it.
const MAX_DOUBLINGS: u32 = 5;
/// Buckets of at least this part of the window, which is relaxed in one phase.
const BUCKETS_PER_WINDOW: f64 = 6.0;
/// How much wider the buckets of the wide form are.
const WIDER: f64 = 16.0;

/// The solver with its graph and work space on a device.
pub(super) struct DeltaSteppingOnGpu {
    launch: Launch,
    graph: KeyGraph,
    tree_kernel: TreeKernel,
    work_space: WorkSpace,
    /// The vertex that a search may end at, if there is one.
    target: Buffer<VertexId>,
    /// All that is the same for every source.
    search: SteppingSearch,
    /// The width of buckets, as a distance, before it is widened by the form.
    delta: f64,
    is_wide: bool,
    /// The window of a form with a horizon, and its arcs; none without one.
    window: (u32, RowsAt),
    /// Holds what `search` points to.
    _short: Option<DeviceRows>,
    /// Made when the first table is asked for, and anew for more sources.
    teams: Option<ManySources>,
    pub(super) times: DeviceTimes,
}

/// Bytes of device memory for a graph of `n` vertices and `m` arcs, short arcs and what an
/// upload takes for a while not counted.
fn required_bytes(n: usize, m: usize, lists: Lists) -> u64 {
    DeviceRows::bytes(n, m) + WorkSpace::bytes(n, lists) + TreeKernel::bytes(n)
}

/// A form of search: which of what was prepared it uses. The answer is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// Buckets [`WIDER`] times as wide.
    pub(super) is_wide: bool,
    /// Arcs beyond a horizon are put off.
    pub(super) has_horizon: bool,
}

impl DeltaSteppingOnGpu {
    /// Uploads `graph`, which has no negative weights. `fixed` says that
    /// the width `delta` was asked for and is not to be adapted. O(n + m).
    pub(super) fn new<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        delta: f64,
        fixed: bool,
    ) -> Result<Self, SsspError> {
        let lists = Lists::of(graph.n_vertices(), graph.n_arcs());
        Self::with_lists(gpu, graph, delta, fixed, lists)
    }

    /// The same with lists of other lengths: what does not fit is looked for among all
    /// vertices.
    fn with_lists<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        delta: f64,
        fixed: bool,
        lists: Lists,
    ) -> Result<Self, SsspError> {
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        let required = required_bytes(n, m, lists);
        let (on_device, (kernel, tree_kernel)) = KeyGraph::upload(gpu, graph, required, |kind| {
            let kernels = Kernels::of(gpu, &[DELTA_STEPPING_U32, DELTA_STEPPING_F32], kind)?;
            Ok((kernels.get("delta_stepping")?, TreeKernel::load(gpu, kind, n)?))
        })?;

        let start = Instant::now();
        let ahead =
            long_arcs::distance_ahead(graph, graph.weight_summary().greatest).map(Weight::to_f64);
        let window = ahead.map_or(0, |ahead| keys::key(on_device.kind, ahead));
        // without memory for the short arcs, a search does without a horizon
        let short = match window {
            0 => None,
            window => unless_out_of_memory(on_device.short(gpu, window))?,
        };
        let short = short.filter(|short| long_arcs::puts_off_enough(short.arcs.len(), m));
        let delta = match ahead {
            Some(ahead) if !fixed && short.is_some() => delta.max(ahead / BUCKETS_PER_WINDOW),
            _ => delta,
        };
        let work_space = WorkSpace::new(gpu, n, lists, 1)?;
        let target = gpu.buffer(1)?;
        // Small graphs have work for few blocks, and the fewer, the shorter each barrier: this
        // measured best, or nearly, from 600 arcs on.
        let blocks = ((m as f64).sqrt() as u32 / 8).clamp(1, gpu.properties().multiprocessors);
        let launch = Launch::new(gpu, kernel, blocks, BLOCK)?;
        gpu.synchronize()?;
        let times = DeviceTimes { prepare_ms: milliseconds(start), ..on_device.times };

        let mut search = SteppingSearch {
            graph: on_device.rows.at(),
            targets: target.address(),
            n_arcs: m as u64,
            budget: BUDGET,
            most_doublings: if fixed { 0 } else { MAX_DOUBLINGS },
            ..SteppingSearch::zeroed()
        };
        work_space.describe(&mut search);
        let window = match &short {
            Some(short) => (window, short.at()),
            None => (0, search.graph),
        };
        let mut solver = Self {
            launch,
            graph: on_device,
            tree_kernel,
            work_space,
            target,
            search,
            delta,
            is_wide: false,
            window,
            _short: short,
            teams: None,
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
        self.search.delta = keys::key(self.graph.kind, self.delta()).max(1);
        (self.search.window, self.search.near_arcs) =
            if form.has_horizon { self.window } else { (0, self.search.graph) };
    }

    pub(super) fn n_vertices(&self) -> u64 {
        self.search.n_vertices.into()
    }

    /// The width of buckets in this form, as a distance.
    pub(super) fn delta(&self) -> f64 {
        if self.is_wide { WIDER * self.delta } else { self.delta }
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
        let query = Query { source, targets: &[], limit: u32::MAX - 1, progress: Some(&tell) };
        match self.launch(&query) {
            Err(SsspError::Interrupted) => Ok(None),
            work => Ok(work?.map(|work| work.settled)),
        }
    }

    /// Searches, and leaves the keys where they are; `None` where a sum leaves 32 bits.
    fn launch(&mut self, query: &Query<'_, u32>) -> Result<Option<Work>, SsspError> {
        const { assert!(size_of::<SteppingControl>() == 168) };
        let &Query { source, limit, progress, .. } = query;
        let n_targets = u32::from(query.target().is_some());
        if let Some(target) = query.target() {
            self.target.upload(&[target])?;
        }
        self.times = self.times.without_search();
        let host = self.launch.start(progress.is_some())?;
        self.work_space.control.fill_bytes(0)?;
        let search = SteppingSearch { source, n_targets, limit, host, ..self.search };
        // SAFETY: the kernel reads and writes inside the buffers that `self.search` was made
        // for, which `self` owns; the solver has checked source and target.
        unsafe { self.launch.queue(&search)? };
        let tell = progress.map(|progress| move |steps| progress(steps, 0));
        self.times.solve_ms = self.launch.wait(tell)?;
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

    /// Makes teams for so many sources, unless there are enough.
    fn prepare_teams(&mut self, n_sources: usize) -> Result<(), SsspError> {
        if self.teams.as_ref().is_some_and(|teams| teams.is_enough_for(n_sources)) {
            return Ok(());
        }
        // what the present ones take is free for more
        self.teams = None;
        let start = Instant::now();
        let gpu = &self.launch.gpu;
        let jit_before = gpu.jit_ms();
        self.teams = Some(ManySources::new(gpu, self.graph.kind, &self.search, n_sources)?);
        let jit_ms = gpu.jit_ms() - jit_before;
        self.times.jit_ms += jit_ms;
        self.times.prepare_ms += milliseconds(start) - jit_ms;
        Ok(())
    }
}

impl<W: Weight> DeviceSearch<W> for DeltaSteppingOnGpu {
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Answer<W>>, SsspError> {
        let query = query.with_limit(keys::limit_key::<W>(query.limit));
        let Some(work) = self.launch(&query)? else { return Ok(None) };
        let start = Instant::now();
        let keys = self.work_space.keys.download()?;
        self.times.download_ms = milliseconds(start);
        Ok(Some((keys::distances::<W>(&keys), work)))
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Vec<VertexId>>, SsspError> {
        let Self { launch, graph, tree_kernel, work_space, .. } = self;
        let WorkSpace { keys, near, far, .. } = work_space;
        let (lists, limit) = ([&near[0], &far[0], &far[1]], keys::limit_key::<W>(limit));
        let found = tree_kernel.predecessors(&launch.gpu, graph, keys, lists, source, limit)?;
        Ok(Some(found))
    }

    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        cells: &mut [W::Distance],
    ) -> Result<Option<(Work, Vec<usize>)>, SsspError> {
        if targets.len() > MAX_VERTICES {
            return Ok(None);
        }
        self.prepare_teams(sources.len())?;
        let Self { launch, search, teams: Some(teams), .. } = self else { return Ok(None) };
        let mut work = Work::default();
        let mut missing = Vec::new();
        let times = teams.search(launch, search, sources, targets, progress, |rows, found| {
            let cells = &mut cells[rows.start * targets.len()..rows.end * targets.len()];
            keys::write_distances::<W>(&found.table, cells);
            work.add(&found.work);
            missing.extend(rows.zip(&found.overflowed).filter(|row| *row.1).map(|row| row.0));
        });
        if times.is_err() {
            // what the teams take may be what single searches lack
            self.teams = None;
        }
        self.times = times?.and(self.times.without_search());
        Ok(Some((work, missing)))
    }

    fn times(&self) -> DeviceTimes {
        self.times
    }
}

#[cfg(test)]
mod tests {
    use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
    use paths::{Distances, oracle};

    use super::*;
    use crate::gpu::tests::gpu;

    /// The distances, by lists of this length.
    fn by_lists(gpu: &Gpu, graph: &Csr<u32>, delta: f64, capacity: usize) -> Distances<u64> {
        let lists = Lists { capacity, n_pieces: capacity };
        let solver = DeltaSteppingOnGpu::with_lists(gpu, graph, delta, true, lists);
        let mut solver: Box<dyn DeviceSearch<u32>> = Box::new(solver.unwrap());
        let query = Query { source: 0, targets: &[], limit: u64::MAX, progress: None };
        let (distances, _) = solver.search(&query).unwrap().expect("no sum leaves 32 bits");
        Distances::from_storage(distances)
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
                let found = by_lists(&gpu, &graph, delta, capacity);
                assert!(found == expected.distances, "delta {delta}, lists of {capacity}");
            }
        }
    }
}
