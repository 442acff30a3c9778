//! Breadth-first search on a GPU, where all arcs have the same weight.
//!
//! The method stands in `kernels/sssp/breadth_first.cu`: one launch, in which the device pushes
//! a level along the arcs of the one before, or pulls it where that looks at fewer. What comes back
//! is the level of each vertex; its distance is the weight added so many times, as every other
//! solver adds it. O(n + m).
//!
//! Of the graph only rows and ends of arcs go to the device: 4 bytes an arc, and 17 a vertex with
//! the lists of the search. Levels are pulled where every arc has its reverse; no transposed copy
//! of a directed graph is made.
//!
//! The tree is a second pass over the levels (`kernels/sssp/breadth_first_tree.cu`), 4 bytes
//! a vertex. Where a sum of floats stops growing, vertices of one distance are of several levels, and
//! the tree is found from distances, on the CPU.
//!
//! A table of many sources is found [by all at once](super::hop_sums), the nearest of them by
//! Δ-stepping.
//!
//! Reference: merrill-2012, beamer-2012

mod tree;

use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, Ptx};
use graph_formats::{Csr, Direction, Distance, VertexId, Weight};
use paths::Predecessors;
use rayon::prelude::*;
use search_parts::{Launch, NO_VERTEX, Query, check_size, milliseconds, two_blocks_each};

use self::tree::TreePass;
use super::delta_stepping::DeltaSteppingOnGpu;
use super::hop_sums::batches::{HopSearches, rows_at_once};
use super::rows::Rows;
use super::search::{Answer, DeviceSearch, Owners};
use crate::cost::{self, Outline};
use crate::delta::{self, Delta};
use crate::level_distances::LevelDistances;
use crate::{DeviceTimes, Progress, SsspError, Work};

static SEARCH: Ptx = Ptx::new(kernels::sssp::BREADTH_FIRST.name, kernels::sssp::BREADTH_FIRST.ptx);

/// `part_length` of `search.cuh`.
const PART_LENGTH: usize = 64;
/// Arcs a vertex from which a level may have more than a pull looks at.
const ARCS_TO_PULL: usize = 5;
/// Longer rows are not for the few lanes that have one in a narrow level.
const SHORT_ROW: u64 = 256;
/// Vertices that a thread of the CPU turns from levels to distances at a time.
const PER_TASK: usize = 1 << 14;

/// `Search` of `breadth_first/search.cuh`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct LevelSearch {
    offsets: u64,
    ends: u64,
    without_arcs: u64,
    levels: u64,
    seen: [u64; 2],
    list: u64,
    control: u64,
    host: u64,
    n_arcs: u64,
    n_vertices: u32,
    source: u32,
    target: u32,
    limit: u32,
    may_pull: u32,
    has_short_rows: u32,
}

/// `Control` of `breadth_first/search.cuh`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct LevelControl {
    tally: [u64; 3],
    arcs: [u64; 3],
    found: [u32; 3],
    listed: u32,
    arrived: u32,
    team_arrived: u32,
    stopped: u32,
    level: u32,
    begin: u32,
    count: u32,
    frontier_arcs: u64,
    looked: u64,
    levels: u32,
    pulls: u32,
}

/// The solver with its graph and work space on a device.
pub(super) struct BreadthFirstOnGpu<'g, W: Weight> {
    graph: &'g Csr<W>,
    launch: Launch,
    /// All that is the same for every source.
    parameters: LevelSearch,
    rows: Rows,
    levels: Buffer<u32>,
    control: Buffer<LevelControl>,
    distances: LevelDistances<W>,
    tree: Option<TreePass>,
    /// Made when the first table is asked for.
    many: Option<HopSearches>,
    /// Made when the first nearest sources are asked for.
    stepping: Option<DeltaSteppingOnGpu>,
    times: DeviceTimes,
    /// What else `parameters` points to.
    _lists: (Buffer<u32>, [Buffer<u32>; 2], Buffer<[u32; 2]>),
}

impl<'g, W: Weight> BreadthFirstOnGpu<'g, W> {
    /// Uploads `graph`, all of whose arcs have the same positive weight. O(n + m).
    pub(super) fn new(gpu: &Gpu, graph: &'g Csr<W>) -> Result<Self, SsspError> {
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        let capacity = n + m / PART_LENGTH + 1;
        let words = n.div_ceil(32).max(1);
        let lists = capacity * size_of::<[u32; 2]>() + n * size_of::<u32>() + 3 * words * 4;
        gpu.check_fits("the graph and its search", Rows::bytes(n, m) + lists as u64)?;
        let jit_before = gpu.jit_ms();
        let kernel = gpu.kernel(&SEARCH, "breadth_first")?;
        let shape = two_blocks_each(gpu);
        let launch = Launch::new(gpu, kernel, shape.grid.0, shape.block)?;
        let jit_ms = gpu.jit_ms() - jit_before;
        let start = Instant::now();
        let may_pull = graph.direction() == Direction::Undirected && m >= ARCS_TO_PULL * n;
        let without = if may_pull { without_arcs(graph) } else { vec![0] };
        let rows = Rows::upload(gpu, graph)?;
        let without = gpu.upload(&without)?;
        let seen = [gpu.buffer(words)?, gpu.buffer(words)?];
        let (levels, list) = (gpu.buffer(n)?, gpu.buffer(capacity)?);
        let control = gpu.buffer(1)?;
        gpu.synchronize()?;
        let times = DeviceTimes { jit_ms, upload_ms: milliseconds(start), ..Default::default() };
        let longest = graph.row_offsets().par_windows(2).map(|row| row[1] - row[0]).max();
        let parameters = LevelSearch {
            offsets: rows.offsets.address(),
            ends: rows.ends.address(),
            without_arcs: without.address(),
            levels: levels.address(),
            seen: [seen[0].address(), seen[1].address()],
            list: list.address(),
            control: control.address(),
            host: 0,
            n_arcs: m as u64,
            n_vertices: n as u32,
            source: NO_VERTEX,
            target: NO_VERTEX,
            limit: u32::MAX,
            may_pull: may_pull.into(),
            has_short_rows: longest.is_none_or(|length| length <= SHORT_ROW).into(),
        };
        let _lists = (without, seen, list);
        Ok(Self {
            graph,
            launch,
            parameters,
            rows,
            levels,
            control,
            distances: LevelDistances::of(graph),
            tree: None,
            many: None,
            stepping: None,
            times,
            _lists,
        })
    }

    /// Fills `cells` with a row of `targets`, one at least, for each of `sources`; `None` where one
    /// search after the other is faster.
    pub(super) fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        let n_at_once = rows_at_once(sources.len(), targets.len());
        if !cost::bits_pay_on_gpu(&Outline::of(self.graph), n_at_once) {
            return Ok(None);
        }
        self.times = self.times.without_search();
        let many = match self.many.take_if(|many| many.is_for(n_at_once)) {
            Some(many) => self.many.insert(many),
            None => self.many.insert(HopSearches::new(&self.launch.gpu, self.graph, n_at_once)?),
        };
        let distances = &mut self.distances;
        let times = many.rows(sources, targets, progress, |rows, levels| {
            let reached = levels.par_iter().filter(|&&level| level != u32::MAX);
            distances.extend_to(reached.max().map_or(0, |&level| level as usize + 1));
            let of_levels = &*distances;
            let row = rows.start * targets.len()..rows.end * targets.len();
            let cells = cells[row].par_iter_mut().with_min_len(PER_TASK);
            cells.zip(levels).for_each(|(cell, &level)| *cell = of_levels.get(level));
        })?;
        self.times.solve_ms = times.solve_ms;
        self.times.download_ms = times.download_ms;
        Ok(Some(Work::default()))
    }

    /// The nearest of `sources`, by Δ-stepping.
    pub(super) fn nearest(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Option<(Answer<W>, Owners)>, SsspError> {
        let stepping = match &mut self.stepping {
            Some(stepping) => stepping,
            empty => {
                let width = delta::width(self.graph, Delta::Auto)?;
                let gpu = &self.launch.gpu;
                empty.insert(DeltaSteppingOnGpu::new(gpu, self.graph, width, false)?)
            }
        };
        let found = stepping.nearest::<W>(sources, progress)?;
        self.times = stepping.times;
        Ok(found)
    }
}

impl<W: Weight> DeviceSearch<W> for BreadthFirstOnGpu<'_, W> {
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError> {
        self.times = self.times.without_search();
        let limit = match query.limit {
            limit if limit < W::Distance::UNREACHED => self.distances.last_within(limit),
            _ => u32::MAX,
        };
        self.control.fill_bytes(0)?;
        let parameters = LevelSearch {
            source: query.source,
            target: query.target().unwrap_or(NO_VERTEX),
            limit,
            host: self.launch.start(query.progress.is_some())?,
            ..self.parameters
        };
        // SAFETY: `self` owns the buffers that the parameters name, of the lengths that the
        // kernel asks for, on the launch's GPU, and the solver has checked source and target.
        unsafe { self.launch.queue(&parameters)? };
        let tell = query.progress.map(|progress| move |steps| progress(steps, 0));
        self.times.solve_ms = self.launch.wait(tell)?;
        let start = Instant::now();
        let control = self.control.download()?[0];
        let levels = self.levels.download()?;
        self.times.download_ms = milliseconds(start);
        self.distances.extend_to(control.levels as usize + 1);
        let of_levels = &self.distances;
        let found = levels.par_iter().with_min_len(PER_TASK).map(|&level| of_levels.get(level));
        let work =
            Work { relaxations: control.looked, rounds: control.levels.into(), ..Work::default() };
        Ok((found.collect(), work))
    }

    fn predecessors(
        &mut self,
        _source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SsspError> {
        let Some(last) = self.distances.last_distinct_within(limit) else { return Ok(None) };
        let gpu = &self.launch.gpu;
        let tree = match &mut self.tree {
            Some(tree) => tree,
            empty => empty.insert(TreePass::load(gpu, self.graph)?),
        };
        let chosen = tree.predecessors(gpu, &self.rows, &self.levels, last)?;
        Ok(Some(Predecessors::from_storage(chosen)))
    }

    fn times(&self) -> DeviceTimes {
        self.times
    }
}

/// Bits of the vertices that have no arcs, and of the places of the last word beyond the last.
fn without_arcs<W: Weight>(graph: &Csr<W>) -> Vec<u32> {
    let n = graph.n_vertices();
    let is_without = |v: usize| v >= n || graph.row(v as VertexId).is_empty();
    let word =
        |first: usize| (0..32).fold(0, |bits, k| bits | u32::from(is_without(first + k)) << k);
    (0..n.div_ceil(32)).into_par_iter().map(|word_at| word(32 * word_at)).collect()
}

#[cfg(test)]
mod tests {
    use test_support::assert_same_layout;

    use super::*;

    #[test]
    fn structures_are_as_the_kernel_has_them() {
        assert_same_layout! { LevelSearch as "Search" of ["sssp/breadth_first/search.cuh"]:
            offsets, ends, without_arcs, levels, seen, list, control, host, n_arcs, n_vertices,
            source, target, limit, may_pull, has_short_rows
        }
        assert_same_layout! { LevelControl as "Control" of ["sssp/breadth_first/search.cuh"]:
            tally, arcs, found, listed, arrived, team_arrived, stopped, level, begin, count,
            frontier_arcs, looked, levels, pulls
        }
    }

    #[test]
    fn vertices_without_arcs_are_told_and_what_is_none() {
        let graph = Csr::from_edges(34, &[(0, 33, 1u32), (2, 5, 1)]).unwrap();
        assert_eq!(without_arcs(&graph), [!0b100101, !0b10]);
    }
}
