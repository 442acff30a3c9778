//! Breadth-first search on a GPU.
//!
//! The method is in `kernels/sssp/breadth_first.cu`: one launch, in which the device pushes a level
//! along the arcs of the one before, or pulls it where that reads fewer arcs. O(n + m).
//!
//! Only the rows and heads of arcs go to the device: 4 bytes an arc, and 17 a vertex with the lists
//! of the search. Levels are pulled only if every arc has its reverse; a directed graph is not
//! transposed.
//!
//! The tree is a second pass over the levels (`kernels/sssp/breadth_first_tree.cu`), 4 bytes a
//! vertex.
//!
//! Reference: merrill-2012, beamer-2012

use std::mem;
use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, Ptx};
use graph_formats::{Csr, Direction, VertexId};
use paths::Predecessors;
use rayon::prelude::*;
use search_parts::device::DeviceArcs;
use search_parts::{
    DeviceTimes, Launch, NO_VERTEX, Query, SearchError, Work, all_threads, check_size, length,
    milliseconds, two_blocks_each,
};

static SEARCH: Ptx = Ptx::new(kernels::sssp::BREADTH_FIRST.name, kernels::sssp::BREADTH_FIRST.ptx);
static TREE: Ptx =
    Ptx::new(kernels::sssp::BREADTH_FIRST_TREE.name, kernels::sssp::BREADTH_FIRST_TREE.ptx);

/// `part_length` of `search.cuh`.
const PART_LENGTH: usize = 64;
/// The least mean degree at which levels may be pulled: on sparser graphs, no push reads more arcs
/// than a pull.
const MIN_DEGREE_TO_PULL: usize = 5;
/// Arcs of the longest row up to which a few lanes may take a whole row in a narrow level.
const MAX_SHORT_ROW: u64 = 256;

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

/// Breadth-first searches from one source after another; the graph and work space are on a device.
pub struct BreadthFirstOnGpu {
    both_ways: bool,
    rows_ascend: bool,
    launch: Launch,
    /// The parameters that are the same for every source.
    parameters: LevelSearch,
    rows: DeviceArcs,
    levels: Buffer<u32>,
    control: Buffer<LevelControl>,
    /// The kernel of `breadth_first_tree.cu` for the direction of the graph, and the predecessors
    /// that it chooses; loaded on first use.
    tree: Option<(Kernel, Buffer<VertexId>)>,
    times: DeviceTimes,
    /// The other buffers whose addresses `parameters` has.
    _lists: (Buffer<u32>, [Buffer<u32>; 2], Buffer<[u32; 2]>),
}

impl BreadthFirstOnGpu {
    /// Uploads the arcs of `graph`. O(n + m).
    ///
    /// # Errors
    /// [`SearchError::NotOnGpu`] for too many vertices or arcs, and [`SearchError::Gpu`] where the
    /// device fails or has too little memory.
    pub fn new(gpu: &Gpu, graph: &Csr<u32>) -> Result<Self, SearchError> {
        let both_ways = graph.direction() == Direction::Undirected;
        let rows = || DeviceArcs::upload(gpu, graph);
        let searches = Self::of(gpu, graph.row_offsets(), both_ways, rows)?;
        Ok(Self { rows_ascend: graph.rows_ascend(), ..searches })
    }

    /// Searches of arcs that are on the device already. `offsets` are those of `rows`, and
    /// `both_ways` says that every arc has its reverse. O(n).
    ///
    /// # Safety
    /// The rows lie inside the arcs, which end at vertices.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub unsafe fn of_arcs(
        gpu: &Gpu,
        rows: DeviceArcs,
        offsets: &[u32],
        both_ways: bool,
    ) -> Result<Self, SearchError> {
        Self::of(gpu, offsets, both_ways, || Ok(rows))
    }

    fn of<T: Copy + Sync + Into<u64>>(
        gpu: &Gpu,
        offsets: &[T],
        both_ways: bool,
        rows: impl FnOnce() -> Result<DeviceArcs, GpuError>,
    ) -> Result<Self, SearchError> {
        let n = offsets.len() - 1;
        let m = offsets[n].into() as usize;
        check_size(n, m)?;
        let capacity = n + m / PART_LENGTH + 1;
        let words = n.div_ceil(32).max(1);
        let lists = capacity * size_of::<[u32; 2]>() + n * size_of::<u32>() + 3 * words * 4;
        gpu.check_fits("the graph and its search", DeviceArcs::bytes(n, m) + lists as u64)?;
        let jit_before = gpu.jit_ms();
        let kernel = gpu.kernel(&SEARCH, "breadth_first")?;
        let shape = two_blocks_each(gpu);
        let launch = Launch::new(gpu, kernel, shape.grid.0, shape.block)?;
        let jit_ms = gpu.jit_ms() - jit_before;
        let start = Instant::now();
        let length = |row: &[T]| row[1].into() - row[0].into();
        let may_pull = both_ways && m >= MIN_DEGREE_TO_PULL * n;
        let is_without = |v: usize| v >= n || length(&offsets[v..v + 2]) == 0;
        let without = if may_pull { bits(n, &is_without) } else { vec![0] };
        let rows = rows()?;
        let without = gpu.upload(&without)?;
        let seen = [gpu.buffer(words)?, gpu.buffer(words)?];
        let (levels, list) = (gpu.buffer(n)?, gpu.buffer(capacity)?);
        let control = gpu.buffer(1)?;
        gpu.synchronize()?;
        let times = DeviceTimes { jit_ms, upload_ms: milliseconds(start), ..Default::default() };
        let longest = offsets.par_windows(2).map(length).max();
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
            has_short_rows: longest.is_none_or(|length| length <= MAX_SHORT_ROW).into(),
        };
        let _lists = (without, seen, list);
        Ok(Self {
            both_ways,
            rows_ascend: false,
            launch,
            parameters,
            rows,
            levels,
            control,
            tree: None,
            times,
            _lists,
        })
    }

    /// The level of each vertex that `query` asks for, and perhaps of others; `u32::MAX` if a
    /// vertex was not found. The limit is a level. [`Work::rounds`] is the number of levels.
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it, and [`SearchError::Gpu`].
    pub fn search(&mut self, query: &Query<'_, u32>) -> Result<(Vec<u32>, Work), SearchError> {
        let work = self.leave_levels(query)?;
        let start = Instant::now();
        let levels = self.levels.download()?;
        self.times.download_ms = milliseconds(start);
        Ok((levels, work))
    }

    /// The same search, whose [levels](Self::levels) stay on the device.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn leave_levels(&mut self, query: &Query<'_, u32>) -> Result<Work, SearchError> {
        query.check(self.levels.len())?;
        self.times = self.times.without_search();
        self.control.fill_bytes(0)?;
        let parameters = LevelSearch {
            source: query.source,
            target: query.target().unwrap_or(NO_VERTEX),
            limit: query.limit,
            host: self.launch.start(query.progress.is_some())?,
            ..self.parameters
        };
        // SAFETY: `self` owns the buffers in the parameters, of the lengths that the kernel
        // requires, on the launch's GPU, and source and target are vertices.
        unsafe { self.launch.queue(&parameters)? };
        let report = query.progress.map(|progress| move |steps| progress(steps, 0));
        self.times.solve_ms = self.launch.wait(report)?;
        let control = self.control.download()?[0];
        Ok(Work { relaxations: control.looked, rounds: control.levels.into(), ..Work::default() })
    }

    /// The level of each vertex by the last search.
    pub fn levels(&self) -> &Buffer<u32> {
        &self.levels
    }

    /// The predecessors of the vertices up to level `last` of the last search.
    ///
    /// # Errors
    /// [`SearchError::Gpu`] where the device fails or has too little memory.
    pub fn predecessors(&mut self, last: u32) -> Result<Predecessors, SearchError> {
        Ok(Predecessors::from_storage(self.choose(last)?.download()?))
    }

    /// The same on the device; `u32::MAX` for none.
    ///
    /// # Errors
    /// As [`predecessors`](Self::predecessors).
    pub fn leave_predecessors(&mut self, last: u32) -> Result<Buffer<VertexId>, SearchError> {
        let next = self.launch.gpu.buffer(self.levels.len())?;
        Ok(mem::replace(self.choose(last)?, next))
    }

    fn choose(&mut self, last: u32) -> Result<&mut Buffer<VertexId>, SearchError> {
        let gpu = &self.launch.gpu;
        let (kernel, chosen) = match &mut self.tree {
            Some(tree) => tree,
            empty => {
                let of = if self.both_ways { "" } else { "_of_arcs" };
                let kernel = gpu.kernel(&TREE, &format!("breadth_first_tree{of}"))?;
                empty.insert((kernel, gpu.buffer(self.levels.len())?))
            }
        };
        chosen.fill_bytes(0xff)?;
        let n_vertices = length(&self.levels);
        let buffers = [&self.rows.offsets, &self.rows.ends, &self.levels, chosen].map(Arg::from);
        let numbers = match self.both_ways {
            true => [n_vertices, last, self.rows_ascend.into()],
            false => [n_vertices, length(&self.rows.ends), last],
        };
        let args = [&buffers[..], &numbers.map(Arg::from)].concat();
        // SAFETY: threads read the rows, whose ends are vertices, and the levels, and write
        // `chosen`; levels and `chosen` have an element for each vertex.
        unsafe { gpu.launch(kernel, all_threads(gpu), &args)? };
        Ok(chosen)
    }

    /// The times of the last search.
    pub fn times(&self) -> DeviceTimes {
        self.times
    }
}

/// A bit for each of `n` vertices, and for what fills the last word.
fn bits(n: usize, is_set: &(dyn Fn(usize) -> bool + Sync)) -> Vec<u32> {
    let word = |first: usize| (0..32).fold(0, |bits, k| bits | u32::from(is_set(first + k)) << k);
    (0..n.div_ceil(32)).into_par_iter().map(|word_at| word(32 * word_at)).collect()
}

#[cfg(test)]
test_support::layout_test! {
    LevelSearch as "Search" of ["sssp/breadth_first/search.cuh"]:
        offsets, ends, without_arcs, levels, seen, list, control, host, n_arcs, n_vertices, source,
        target, limit, may_pull, has_short_rows;
    LevelControl as "Control" of ["sssp/breadth_first/search.cuh"]:
        tally, arcs, found, listed, arrived, team_arrived, stopped, level, begin, count,
        frontier_arcs, looked, levels, pulls;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_vertices_and_beyond_the_last() {
        assert_eq!(bits(34, &|v| ![0, 2, 5, 33].contains(&v)), [!0b100101, !0b10]);
    }
}
