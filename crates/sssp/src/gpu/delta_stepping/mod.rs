//! Δ-stepping on a GPU: one launch a search.
//!
//! The method, and what differs from the papers, stands in `kernels/sssp/delta_stepping/team.cuh`;
//! this is the side that uploads the graph, chooses the widths, launches and reads back.
//! Weights have 32 bits or 64, and so have keys; those of integers of 32 bits have 32 until a sum
//! does not fit, and then, for that search again and for all that follow, 64.
//!
//! Memory, for n vertices and m arcs: 56 bytes a vertex, 8.5 bytes an arc, and on a dense
//! undirected graph 8 bytes more for each vertex and each short arc, a sixth of all where
//! weights are spread evenly. With keys of 64 bits a vertex has 100 bytes, and with such weights
//! an arc twice as many. Beside that, 128 MiB while the graph is uploaded, 192 of such weights.
//!
//! Reference: meyer-sanders-2003, davidson-2014, wang-2021, chakaravarthy-2014

mod answers;

use std::ops::ControlFlow;
use std::time::Instant;

use bytemuck::Zeroable;
use gpu_runtime::{Buffer, Gpu, Kernel};
use graph_formats::{Csr, VertexId, Weight};
use kernels::Module;
use kernels::sssp::{
    DELTA_STEPPING_F32, DELTA_STEPPING_F64, DELTA_STEPPING_U32, DELTA_STEPPING_U32_WIDE,
    DELTA_STEPPING_U64,
};
use search_parts::device::{DeviceRows, KeyGraph, KeyKind, RowsAt, TreeKernel};
use search_parts::{Kernels, Launch, Query, milliseconds, unless_out_of_memory};

use super::arrays::{self, Arrays, Facts};
use super::many_sources::ManySources;
use super::nearest::OwnersKernel;
use super::work_space::{Lists, SteppingSearch, WorkSpace};
use crate::arc_split;
use crate::{DeviceTimes, SsspError, Work};

const MODULES: [Module; 5] = [
    DELTA_STEPPING_U32,
    DELTA_STEPPING_F32,
    DELTA_STEPPING_U32_WIDE,
    DELTA_STEPPING_U64,
    DELTA_STEPPING_F64,
];
/// Threads of a block of the search: `warps_a_block` of its source, times 32.
const BLOCK: u32 = 512;
/// Arcs that a warp relaxes at a step before it gives work away.
const BUDGET: u32 = 256;
/// How many times a bucket whose width the solver chose may double it.
const MAX_DOUBLINGS: u32 = 5;
/// How many buckets there are at most up to a settled bound.
const BUCKETS_PER_BOUND: f64 = 6.0;
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
    /// For a form that defers long arcs how long the short ones are, and these; 0 and all arcs
    /// where there is none.
    short_arcs: (u64, RowsAt),
    /// Holds what `search` points to.
    _short: Option<DeviceRows>,
    /// Made when the nearest of several sources is first asked for.
    owners_kernel: Option<OwnersKernel>,
    /// Made when the first table is asked for, and anew for more sources.
    teams: Option<ManySources>,
    pub(super) times: DeviceTimes,
}

/// Bytes of device memory for a graph of `n` vertices and `m` arcs, short arcs and what an
/// upload takes for a while not counted.
fn required_bytes(n: usize, m: usize, kind: KeyKind, lists: Lists) -> u64 {
    DeviceRows::bytes(n, m, kind) + WorkSpace::bytes(n, lists, kind) + TreeKernel::bytes(n)
}

/// The kernel of a search, and that of its tree.
fn load(gpu: &Gpu, kind: KeyKind, n: usize) -> Result<(Kernel, TreeKernel), SsspError> {
    let kernel = Kernels::of(gpu, &MODULES, kind)?.get("delta_stepping")?;
    Ok((kernel, TreeKernel::load(gpu, kind, n)?))
}

/// How wide buckets are.
struct Widths {
    delta: f64,
    /// Whether that was asked for, and is not to be adapted.
    fixed: bool,
    /// How long short arcs are at most, where long ones are to be deferred.
    ahead: Option<f64>,
}

/// A form of search: which of what was prepared it uses. The answer is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// Buckets [`WIDER`] times as wide.
    pub(super) is_wide: bool,
    /// Long arcs are deferred.
    pub(super) defers_long_arcs: bool,
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
        let greatest = graph.weight_summary().greatest;
        let ahead = arc_split::short_limit(graph, greatest).map(Weight::to_f64);
        let required = required_bytes(n, m, KeyKind::of(greatest), lists);
        let (on_device, kernels) =
            KeyGraph::upload(gpu, graph, required, |kind| load(gpu, kind, n))?;
        Self::of(gpu, on_device, kernels, lists, Widths { delta, fixed, ahead })
    }

    /// The solver of a graph whose arrays are on the device, searched with such widths.
    pub(super) fn of_arrays<W: Weight>(
        gpu: &Gpu,
        arrays: &Arrays<'_, W>,
        facts: Facts<W>,
    ) -> Result<Self, SsspError> {
        let (n, m) = (arrays.n_vertices(), arrays.n_arcs());
        let (kind, lists) = (KeyKind::of(facts.weights.greatest), Lists::of(n, m));
        let required = required_bytes(n, m, kind, lists);
        let load = |kind| load(gpu, kind, n);
        let (delta, bounds) = (facts.width(), facts.bounds);
        let rows = |_: &_| arrays.rows(gpu, bounds, kind);
        let (on_device, kernels) = KeyGraph::with_rows(gpu, kind, required, load, rows)?;
        let is_dense = facts.has_many_arcs
            && arrays::have_reverses(gpu, &on_device.rows, kind.words_of_weight() == 2)?;
        let ahead = if is_dense { arc_split::limit_below(facts.weights.greatest) } else { None };
        let ahead = ahead.map(Weight::to_f64);
        Self::of(gpu, on_device, kernels, lists, Widths { delta, fixed: false, ahead })
    }

    fn of(
        gpu: &Gpu,
        on_device: KeyGraph,
        (kernel, tree_kernel): (Kernel, TreeKernel),
        lists: Lists,
        Widths { delta, fixed, ahead }: Widths,
    ) -> Result<Self, SsspError> {
        let (n, m) = (on_device.rows.bounds.len(), on_device.rows.n_arcs);
        let kind = on_device.kind;
        let start = Instant::now();
        let short_limit = ahead.map_or(0, |ahead| kind.key(ahead));
        // without memory for the short arcs, none are deferred
        let short = match short_limit {
            0 => None,
            limit => unless_out_of_memory(on_device.short(gpu, limit))?,
        };
        let short = short.filter(|short| arc_split::defers_enough(short.n_arcs, m));
        let delta = match ahead {
            Some(ahead) if !fixed && short.is_some() => delta.max(ahead / BUCKETS_PER_BOUND),
            _ => delta,
        };
        let work_space = WorkSpace::new(gpu, n, lists, kind, 1)?;
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
        let short_arcs = match &short {
            Some(short) => (short_limit, short.at()),
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
            short_arcs,
            _short: short,
            owners_kernel: None,
            teams: None,
            times,
        };
        solver.set_form(Form { is_wide: false, defers_long_arcs: true });
        Ok(solver)
    }

    /// The forms that differ on this graph, the one that it starts with first.
    pub(super) fn forms(&self) -> Vec<Form> {
        let deferring = if self.short_arcs.0 > 0 { &[true, false][..] } else { &[true] };
        let forms = deferring.iter().flat_map(|&defers_long_arcs| {
            [false, true].map(|is_wide| Form { is_wide, defers_long_arcs })
        });
        forms.collect()
    }

    /// Searches in this form from now on.
    pub(super) fn set_form(&mut self, form: Form) {
        self.is_wide = form.is_wide;
        self.search.delta = self.graph.kind.key(self.delta()).max(1);
        (self.search.short_limit, self.search.near_arcs) =
            if form.defers_long_arcs { self.short_arcs } else { (0, self.search.graph) };
    }

    pub(super) fn n_vertices(&self) -> u64 {
        self.search.n_vertices.into()
    }

    /// The width of buckets in this form, as a distance.
    pub(super) fn delta(&self) -> f64 {
        if self.is_wide { WIDER * self.delta } else { self.delta }
    }

    /// How many vertices a search of everything from `source` takes from a list; `None` where it
    /// takes longer than `most` milliseconds, or there is no memory for its sums.
    pub(super) fn visits(&mut self, source: VertexId, most: f64) -> Result<Option<u64>, SsspError> {
        let start = Instant::now();
        let tell = |_, _| match milliseconds(start) > most {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let query = Query { source, targets: &[], limit: u64::MAX, progress: Some(&tell) };
        match self.run(&query, None) {
            Err(SsspError::Interrupted) => Ok(None),
            work => Ok(work?.map(|work| work.settled)),
        }
    }

    /// Searches, also from `others` if there are any, by keys of 64 bits from now on if those of
    /// 32 do not do; leaves them where they are. `None` where there is no memory for that.
    fn run(
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

    /// Searches by keys of 64 bits from now on.
    fn widen(&mut self) -> Result<(), SsspError> {
        let start = Instant::now();
        let (gpu, kind) = (self.launch.gpu.clone(), KeyKind::U32Wide);
        let (n, lists) = (self.search.n_vertices as usize, self.work_space.lists);
        let jit_before = gpu.jit_ms();
        let (kernel, tree_kernel) = load(&gpu, kind, n)?;
        let jit_ms = gpu.jit_ms() - jit_before;
        self.work_space = WorkSpace::new(&gpu, n, lists, kind, 1)?;
        self.work_space.describe(&mut self.search);
        (self.launch.kernel, self.tree_kernel, self.graph.kind) = (kernel, tree_kernel, kind);
        (self.owners_kernel, self.teams) = (None, None);
        self.set_form(Form {
            is_wide: self.is_wide,
            defers_long_arcs: self.search.short_limit != 0,
        });
        self.times.jit_ms += jit_ms;
        self.times.prepare_ms += milliseconds(start) - jit_ms;
        Ok(())
    }

    /// Searches by the keys that there are; `None` where a sum leaves 32 bits and a distance does
    /// not. What leaves a distance is not reached.
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
        self.times = self.times.without_search();
        let host = self.launch.start(progress.is_some())?;
        self.work_space.control.fill_bytes(0)?;
        let search =
            SteppingSearch { source, others, n_others, n_targets, limit, host, ..self.search };
        // SAFETY: the kernel reads and writes inside the buffers that `self.search` was made
        // for, which `self` owns; the solver has checked source and target.
        unsafe { self.launch.queue(&search)? };
        let tell = progress.map(|progress| move |steps| progress(steps, 0));
        self.times.solve_ms = self.launch.wait(tell)?;
        let control = self.work_space.control.download()?[0];
        if control.trouble != 0 && self.graph.kind == KeyKind::U32 {
            return Ok(None);
        }
        // the first thread's clock cycles, in parts of all of them
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
}

#[cfg(test)]
mod tests {
    use graph_formats::Distance;
    use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
    use paths::{Distances, oracle};

    use super::*;
    use crate::gpu::tests::gpu;
    use search_parts::device::DeviceSearch;

    /// The distances, by lists of this length.
    fn by_lists<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        delta: f64,
        capacity: usize,
    ) -> Distances<W::Distance> {
        let lists = Lists { capacity, n_pieces: capacity };
        let solver = DeltaSteppingOnGpu::with_lists(gpu, graph, delta, true, lists);
        let mut solver: Box<dyn DeviceSearch<W>> = Box::new(solver.unwrap());
        let limit = W::Distance::UNREACHED;
        let query = Query { source: 0, targets: &[], limit, progress: None };
        let (distances, _) = solver.search(&query).unwrap();
        Distances::from_storage(distances)
    }

    /// The same graph with weights that many times as large.
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
        let Some(gpu) = gpu() else { return };
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
