//! Δ-stepping on a GPU: one launch a search.
//!
//! The method and its differences from the papers are in `kernels/sssp/delta_stepping/team.cuh`.
//! This side uploads the graph, chooses the widths, launches the kernel and reads the results.
//! Weights have 32 or 64 bits, and so have keys. Keys for integers of 32 bits have 32 bits until a
//! sum does not fit; that search is repeated with keys of 64 bits, which all later ones have too.
//!
//! Memory, for n vertices and m arcs: 56 bytes a vertex and 8.5 bytes an arc. A dense undirected
//! graph takes 8 bytes more for each vertex and each short arc; a sixth of all arcs are short if
//! weights are uniform. With keys of 64 bits a vertex takes 100 bytes, and with weights of 64 bits
//! an arc twice as many. The upload takes 128 MiB more, with weights of 64 bits 192 MiB.
//!
//! Reference: meyer-sanders-2003, davidson-2014, wang-2021, chakaravarthy-2014

use std::mem;
use std::ops::Range;
use std::time::Instant;

use bytemuck::Zeroable;
use gpu_runtime::{Buffer, Gpu, GpuError, Kernel};
use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::Predecessors;
use search_parts::device::{
    Answer, DeviceRows, DeviceSearch, KeyGraph, KeyKind, RowsAt, TreeKernel, limit_key,
};
use search_parts::{
    Kernels, Launch, MAX_VERTICES, Query, buckets, milliseconds, unless_out_of_memory,
};

use super::arrays::{self, Arrays, Summary};
use super::many_sources::ManySources;
use super::multi_source::{MultiSource, Owners};
use super::nearest::owners;
use super::work_space::{Lists, SteppingSearch, WorkSpace};
use crate::table::Table;
use crate::{DeviceTimes, Progress, SsspError, Work, arc_split};

/// Threads of a block of the search: 32 times the kernel's `warps_a_block`.
const BLOCK: u32 = 512;
/// Arcs that a warp relaxes in a step before it shares its work.
const BUDGET: u32 = 256;
/// The most times that a width chosen by the solver may be doubled for a bucket.
const MAX_DOUBLINGS: u32 = 5;
/// The most buckets between two settled bounds.
const MAX_BUCKETS_PER_BOUND: f64 = 6.0;
/// Ratio of the bucket widths of the wide and the narrow variant.
const WIDE_FACTOR: f64 = 16.0;

/// A function that takes the keys of some sources, with the kind of keys and the range of rows.
type TakeRows<'a> = dyn FnMut(KeyKind, Range<usize>, &Buffer<u32>) -> Result<(), SsspError> + 'a;

/// The solver with its graph and work space on a device.
pub(super) struct DeltaSteppingOnGpu {
    launch: Launch,
    pub(super) graph: KeyGraph,
    tree_kernel: TreeKernel,
    pub(super) work_space: WorkSpace,
    /// The target of a search with one target.
    target: Buffer<VertexId>,
    /// The kernel's argument, as far as it is the same for every source.
    search: SteppingSearch,
    /// The width of buckets in the narrow variant, as a distance.
    delta: f64,
    variant: Variant,
    /// The limit of short arcs and the short arcs; 0 and all arcs if no variant defers arcs.
    short_arcs: (u64, RowsAt),
    /// Owns the rows that `search` points to.
    _short: Option<DeviceRows>,
    /// Made for the first table, and again for more sources.
    teams: Option<ManySources>,
    pub(super) times: DeviceTimes,
}

/// Bytes of device memory besides the graph of `n` vertices and `m` arcs and its short arcs.
fn work_bytes(n: usize, m: usize, kind: KeyKind) -> u64 {
    WorkSpace::bytes(n, Lists::of(n, m), kind) + TreeKernel::bytes(n)
}

/// The kernels of a search and of its tree.
fn load(gpu: &Gpu, kind: KeyKind, n: usize) -> Result<(Kernel, TreeKernel), SsspError> {
    let kernel = Kernels::of(gpu, &kernels::sssp::DELTA_STEPPING, kind)?.get("delta_stepping")?;
    Ok((kernel, TreeKernel::load(gpu, kind, n)?))
}

/// A variant of search. All variants have the same result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variant {
    /// Whether buckets are [`WIDE_FACTOR`] times as wide.
    pub(super) is_wide: bool,
    /// Whether long arcs are deferred, if the graph has a copy of the short ones.
    pub(super) defers_long_arcs: bool,
}

impl DeltaSteppingOnGpu {
    /// Uploads `graph`, which has no negative weights. With `fixed` the width `delta` is not
    /// adapted. O(n + m).
    pub(super) fn new<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        delta: f64,
        fixed: bool,
    ) -> Result<Self, SsspError> {
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        let greatest = graph.weight_summary().greatest;
        let ahead = arc_split::short_limit(graph, greatest).map(Weight::to_f64);
        let others = work_bytes(n, m, KeyKind::of(greatest));
        let (on_device, kernels) = KeyGraph::upload(gpu, graph, others, |kind| load(gpu, kind, n))?;
        Self::of(gpu, on_device, kernels, delta, fixed, ahead)
    }

    /// The solver of a graph whose arrays are on the device.
    pub(super) fn of_arrays<W: Weight>(
        gpu: &Gpu,
        arrays: &Arrays<'_, W>,
        summary: Summary<W>,
    ) -> Result<Self, SsspError> {
        let (n, m) = (arrays.n_vertices(), arrays.n_arcs());
        let kind = KeyKind::of(summary.weights.greatest);
        let required = DeviceRows::bytes(n, m, kind) + work_bytes(n, m, kind);
        let load = |kind| load(gpu, kind, n);
        let bounds = summary.bounds;
        let rows = || Ok(arrays.rows(gpu, bounds, kind)?);
        let (on_device, kernels) = KeyGraph::with_rows(gpu, kind, required, load, rows)?;
        let is_dense = summary.has_many_arcs
            && arrays::have_reverses(gpu, &on_device.rows, kind.words_of_weight() == 2)?;
        let ahead = if is_dense { buckets::limit_below(summary.weights.greatest) } else { None };
        let ahead = ahead.map(Weight::to_f64);
        Self::of(gpu, on_device, kernels, summary.width, false, ahead)
    }

    /// The solver of rows with room for more arcs, by buckets of width `delta`; no arcs are deferred.
    pub(super) fn of_rows(gpu: &Gpu, graph: KeyGraph, delta: f64) -> Result<Self, SsspError> {
        let kernels = load(gpu, graph.kind, graph.rows.bounds().len())?;
        Self::of(gpu, graph, kernels, delta, false, None)
    }

    /// Searches these rows from now on, with as many vertices and weights of as many bits.
    pub(super) fn set_rows(&mut self, rows: DeviceRows) {
        (self.search.graph, self.search.n_arcs) = (rows.at(), rows.n_arcs() as u64);
        (self.graph.rows, self.short_arcs) = (rows, (0, self.search.graph));
        self.set_variant(self.variant);
    }

    /// The solver of a graph on the device, by buckets of width `delta`, which is not adapted if it
    /// is `fixed`. `ahead` is the limit of short arcs, if long ones should be deferred.
    fn of(
        gpu: &Gpu,
        on_device: KeyGraph,
        (kernel, tree_kernel): (Kernel, TreeKernel),
        delta: f64,
        fixed: bool,
        ahead: Option<f64>,
    ) -> Result<Self, SsspError> {
        let (n, m) = (on_device.rows.bounds().len(), on_device.rows.n_arcs());
        let kind = on_device.kind;
        let start = Instant::now();
        let short_limit = ahead.map_or(0, |ahead| kind.key(ahead));
        // without memory for the short arcs, none are deferred
        let short = match short_limit {
            0 => None,
            limit => unless_out_of_memory(on_device.short(gpu, limit))?,
        };
        let short = short.filter(|short| buckets::defers_enough(short.n_arcs(), m));
        let delta = match ahead {
            Some(ahead) if !fixed && short.is_some() => delta.max(ahead / MAX_BUCKETS_PER_BOUND),
            _ => delta,
        };
        let work_space = WorkSpace::new(gpu, n, Lists::of(n, m), kind, 1)?;
        let target = gpu.buffer(1)?;
        // Small graphs have work for few blocks, and with fewer blocks a barrier is faster. This
        // number was the fastest, or nearly, from 600 arcs on.
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
        let short_arcs = match &short {
            Some(short) => (short_limit, short.at()),
            None => (0, search.graph),
        };
        let variant = Variant { is_wide: false, defers_long_arcs: true };
        let mut solver = Self {
            launch,
            graph: on_device,
            tree_kernel,
            work_space,
            target,
            search,
            delta,
            variant,
            short_arcs,
            _short: short,
            teams: None,
            times,
        };
        solver.set_variant(variant);
        Ok(solver)
    }

    /// The variants that differ on this graph; the initial variant is the first.
    pub(super) fn variants(&self) -> Vec<Variant> {
        let deferring = if self.short_arcs.0 > 0 { &[true, false][..] } else { &[true] };
        let both =
            |&defers_long_arcs| [false, true].map(|is_wide| Variant { is_wide, defers_long_arcs });
        deferring.iter().flat_map(both).collect()
    }

    /// Sets the variant of later searches.
    pub(super) fn set_variant(&mut self, variant: Variant) {
        self.variant = variant;
        self.search.delta = self.graph.kind.key(self.delta()).max(1);
        (self.search.short_limit, self.search.near_arcs) =
            if variant.defers_long_arcs { self.short_arcs } else { (0, self.search.graph) };
    }

    pub(super) fn n_vertices(&self) -> usize {
        self.search.n_vertices as usize
    }

    /// The width of buckets in this variant, as a distance.
    pub(super) fn delta(&self) -> f64 {
        if self.variant.is_wide { WIDE_FACTOR * self.delta } else { self.delta }
    }

    /// Searches from the source and from `others`; the keys stay on the device. If a sum does not
    /// fit 32 bits, this search and all later ones have keys of 64 bits; `None` if there is no
    /// memory for them.
    fn search_from(
        &mut self,
        query: &Query<'_, u64>,
        others: Option<&Buffer<VertexId>>,
    ) -> Result<Option<Work>, SsspError> {
        if let Some(work) = self.launch(query, others)? {
            return Ok(Some(work));
        }
        let in_vain = self.times.solve_ms;
        if unless_out_of_memory(self.widen())?.is_none() {
            return Ok(None);
        }
        let work = self.launch(query, others)?;
        self.times.solve_ms += in_vain;
        Ok(work)
    }

    /// Gives this solver keys of 64 bits.
    fn widen(&mut self) -> Result<(), SsspError> {
        let (gpu, kind) = (self.launch.gpu.clone(), KeyKind::U32Wide);
        let (n, lists) = (self.n_vertices(), self.work_space.lists);
        let ((kernels, work_space), prepare_ms) = self.times.apart_from_jit(&gpu, || {
            let kernels = load(&gpu, kind, n)?;
            Ok::<_, SsspError>((kernels, WorkSpace::new(&gpu, n, lists, kind, 1)?))
        })?;
        self.times.prepare_ms += prepare_ms;
        work_space.describe(&mut self.search);
        (self.work_space, self.graph.kind, self.teams) = (work_space, kind, None);
        (self.launch.kernel, self.tree_kernel) = kernels;
        self.set_variant(self.variant);
        Ok(())
    }

    /// Searches with keys of the present width; `None` if a sum does not fit 32 bits but a distance
    /// may hold it. A vertex whose sums no distance can hold is not reached.
    fn launch(
        &mut self,
        query: &Query<'_, u64>,
        others: Option<&Buffer<VertexId>>,
    ) -> Result<Option<Work>, SsspError> {
        let &Query { source, progress, .. } = query;
        let limit = self.graph.kind.at_most(query.limit);
        let (others, n_others) = others.map_or((0, 0), |some| (some.address(), some.len() as u32));
        let n_targets = u32::from(query.target().is_some());
        if let Some(target) = query.target() {
            self.target.upload(&[target])?;
        }
        query.check(self.search.n_vertices as usize)?;
        self.times = self.times.without_search();
        let host = self.launch.start(progress.is_some())?;
        self.work_space.control.fill_bytes(0)?;
        let search =
            SteppingSearch { source, others, n_others, n_targets, limit, host, ..self.search };
        // SAFETY: the kernel reads and writes inside the buffers that `self.search` points to,
        // which `self` owns; the solver has checked source and target.
        unsafe { self.launch.queue(&search)? };
        let tell = progress.map(|progress| move |steps| progress(steps, 0));
        self.times.solve_ms = self.launch.wait(tell)?;
        let control = self.work_space.control.download()?[0];
        if control.trouble != 0 && self.graph.kind == KeyKind::U32 {
            return Ok(None);
        }
        // the solve time, divided as the first thread's clock cycles
        let per_cycle = self.times.solve_ms / control.cycles.iter().sum::<u64>().max(1) as f64;
        self.times.phases_ms = control.cycles.map(|n| n as f64 * per_cycle);
        Ok(Some(Work {
            relaxations: control.relaxations,
            improvements: control.improvements,
            settled: control.settled,
            rounds: u64::from(control.steps),
            again: None,
        }))
    }

    /// The key of one vertex.
    pub(super) fn key(&self, vertex: VertexId) -> Result<u64, GpuError> {
        let words = self.graph.kind.words_of_key();
        let first = vertex as usize * words;
        let key = self.work_space.keys.download_range(first..first + words)?;
        Ok(key.iter().rev().fold(0, |key, &word| key << 32 | u64::from(word)))
    }

    /// Searches; the keys stay on the device.
    pub(super) fn leave_keys(&mut self, query: &Query<'_, u64>) -> Result<Work, SsspError> {
        self.search_from(query, None)?.ok_or_else(|| SsspError::NotOnGpu {
            reason: "a sum has more than 32 bits, and there is no memory for wider keys".to_owned(),
        })
    }

    /// The keys of the last search.
    pub(super) fn take_keys(&mut self) -> Result<Buffer<u32>, GpuError> {
        let next = self.launch.gpu.buffer(self.work_space.keys.len())?;
        let keys = mem::replace(&mut self.work_space.keys, next);
        self.work_space.describe(&mut self.search);
        Ok(keys)
    }

    /// The predecessors of the vertices within `limit` of `source`, the source of the last search.
    pub(super) fn leave_predecessors(
        &mut self,
        source: VertexId,
        limit: u64,
    ) -> Result<Buffer<VertexId>, GpuError> {
        let next = self.launch.gpu.buffer(self.search.n_vertices as usize)?;
        Ok(mem::replace(self.choose(source, limit)?, next))
    }

    fn choose(&mut self, source: VertexId, limit: u64) -> Result<&mut Buffer<VertexId>, GpuError> {
        let Self { launch, graph, tree_kernel, work_space, .. } = self;
        let WorkSpace { keys, near, far, .. } = work_space;
        let lists = [&near[0], &far[0], &far[1]];
        // SAFETY: the work space has a key for each vertex, and lists of at least as many entries.
        unsafe { tree_kernel.choose(&launch.gpu, graph, keys.address(), lists, source, limit) }
    }

    /// Passes the keys of `targets`, of which there is at least one, to `take`, for some of
    /// `sources` at a time. `None` if there are too many targets.
    pub(super) fn rows(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        take: &mut TakeRows<'_>,
    ) -> Result<Option<Work>, SsspError> {
        if targets.len() > MAX_VERTICES {
            return Ok(None);
        }
        let Self { launch, graph, search, teams, times, .. } = self;
        let (gpu, kind) = (&launch.gpu, graph.kind);
        // teams that are not put back are freed
        let mut many = match teams.take_if(|teams| teams.made_for >= sources.len()) {
            Some(many) => many,
            None => {
                *teams = None;
                let made = || ManySources::new(gpu, kind, search, sources.len());
                let (many, prepare_ms) = times.apart_from_jit(gpu, made)?;
                times.prepare_ms += prepare_ms;
                many
            }
        };
        let take_keys = |rows, keys: &_| take(kind, rows, keys);
        let found = many.search(launch, search, sources, targets, progress, take_keys)?;
        let Some((work, own_times)) = found else {
            drop(many);
            self.widen()?;
            return self.rows(sources, targets, progress, take);
        };
        *times = own_times.and(times.without_search());
        *teams = Some(many);
        Ok(Some(work))
    }
}

impl<W: Weight> DeviceSearch<W> for DeltaSteppingOnGpu {
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Work>, SsspError> {
        self.search_from(&query.with_limit(limit_key::<W>(query.limit)), None)
    }

    fn distances(&mut self) -> Result<Vec<W::Distance>, SsspError> {
        Ok(self.graph.kind.distances::<W>(&self.work_space.keys.download()?))
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SsspError> {
        let found = self.choose(source, limit_key::<W>(limit))?.download()?;
        Ok(Some(Predecessors::from_storage(found)))
    }

    fn times(&mut self) -> &mut DeviceTimes {
        &mut self.times
    }
}

impl<W: Weight> MultiSource<W> for DeltaSteppingOnGpu {
    fn nearest(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Option<(Answer<W>, Owners)>, SsspError> {
        let mut sources = sources.to_vec();
        sources.sort_unstable();
        sources.dedup();
        let [source, others @ ..] = sources.as_slice() else { return Ok(None) };
        let others = if others.is_empty() { None } else { Some(self.launch.gpu.upload(others)?) };
        let limit = limit_key::<W>(W::Distance::UNREACHED);
        let query = Query { source: *source, targets: &[], limit, progress };
        let Some(work) = self.search_from(&query, others.as_ref())? else { return Ok(None) };
        let start = Instant::now();
        let owners = owners(&self.launch.gpu, &self.graph, &self.work_space, &sources)?;
        self.times.solve_ms += milliseconds(start);
        let start = Instant::now();
        let distances = DeviceSearch::<W>::distances(self)?;
        self.times.download_ms = milliseconds(start);
        Ok(Some(((distances, work), owners)))
    }

    fn table(&mut self, table: &mut Table<'_, W::Distance>) -> Result<Option<Work>, SsspError> {
        let &mut Table { sources, targets, ref mut cells, progress } = table;
        let n_targets = targets.len();
        self.rows(sources, targets, progress, &mut |kind, rows, keys| {
            let cells = &mut cells[rows.start * n_targets..rows.end * n_targets];
            kind.write_distances::<W>(&keys.download()?, cells);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
    use paths::{Distances, oracle};

    use super::*;

    /// The distances by a search with lists of this length. Entries that do not fit are found again
    /// by a scan of all vertices.
    fn by_lists<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        delta: f64,
        capacity: usize,
    ) -> Distances<W::Distance> {
        let mut solver = DeltaSteppingOnGpu::new(gpu, graph, delta, true).unwrap();
        let (n, kind) = (solver.n_vertices(), solver.graph.kind);
        let lists = Lists { capacity, n_pieces: capacity };
        solver.work_space = WorkSpace::new(gpu, n, lists, kind, 1).unwrap();
        solver.work_space.describe(&mut solver.search);
        let limit = W::Distance::UNREACHED;
        let query = Query { source: 0, targets: &[], limit, progress: None };
        let (distances, _) = DeviceSearch::<W>::search(&mut solver, &query).unwrap();
        Distances::from_storage(distances)
    }

    /// The same graph with all weights multiplied by `unit`.
    fn scaled<W: Weight>(graph: &Csr<u32>, unit: f64) -> Csr<W> {
        let edges = graph.arcs().filter(|arc| arc.0 <= arc.1);
        let weight = |w: u32| W::from_f64(f64::from(w) * unit).expect("a weight");
        let edges: Vec<_> = edges.map(|(from, to, w)| (from, to, weight(w))).collect();
        Csr::from_edges(graph.n_vertices(), &edges).expect("a graph")
    }

    fn entries_are_found_again<W: Weight>(gpu: &Gpu, graph: &Csr<u32>, unit: f64) {
        let graph = scaled::<W>(graph, unit);
        let expected = oracle::tree(&graph, 0, None).unwrap();
        for (delta, capacity) in [(1.0, 1), (8.0, 5), (100.0, 33), (1e6, 200), (30.0, 100_000)] {
            let found = by_lists(gpu, &graph, delta * unit, capacity);
            assert!(found == expected.distances, "delta {delta}, lists of {capacity}");
        }
    }

    #[test]
    fn entries_that_find_no_room_are_found_again() {
        let Some(gpu) = test_support::gpu(Gpu::open()) else { return };
        let dense = rmat(&RmatConfig { scale: 11, ..RmatConfig::default() }).unwrap();
        let sparse = grid(&GridConfig { side: 50, ..GridConfig::default() }).unwrap();
        for graph in [dense, sparse] {
            entries_are_found_again::<u32>(&gpu, &graph, 1.0);
            // sums of 64 bits
            entries_are_found_again::<u32>(&gpu, &graph, f64::from(1 << 24));
            entries_are_found_again::<u64>(&gpu, &graph, 2f64.powi(40));
            entries_are_found_again::<f64>(&gpu, &graph, 0.1);
        }
    }
}
