//! Δ-stepping on a GPU by buckets and prefix sums, in the form of origin-four-families: one
//! launch a search.
//!
//! A word of each vertex tells its bucket. The rows of a bucket's vertices are placed one
//! after the other by a prefix sum, by which threads share their arcs; light arcs and heavy
//! ones are told apart while they are relaxed. The method, its barriers, and what differs
//! from the paper and why, stand in `kernels/sssp/buckets.cu`; this is the side that uploads
//! the graph, launches and reads back. Weights are 32-bit words, integers or floats; where a
//! sum leaves 32 bits the search is done again on the CPU, with sums as wide as the distance
//! type.
//!
//! Work O(n + m) and what is done again, which is counted: at most as often as a bucket has
//! light stages. Of b buckets that hold vertices and l light stages, 2 b + l barriers, and
//! one more for each list of more than 1024 rows.
//!
//! Memory, for n vertices and m arcs: 68 bytes a vertex and an eighth, 8 bytes an arc, and 8
//! for each multiprocessor. Beside that, 128 MiB while the graph is uploaded.
//!
//! Reference: origin-four-families, meyer-sanders-2003

use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Ptx};
use graph_formats::{Csr, VertexId, Weight};

use super::check_size;
use super::delta_stepping::{Outcome, milliseconds};
use super::graph::DeviceRows;
use super::kernels::{PrepareKernels, ptx};
use super::memory::RowsAt;
use super::watch::Watch;
use super::word_engine::WordSearch;
use super::words::Arithmetic;
use crate::range::WeightRange;
use crate::{Again, DeviceTimes, Progress, SsspError, Work};

static BUCKETS_U32: Ptx = ptx(kernels::sssp::BUCKETS_U32);
static BUCKETS_F32: Ptx = ptx(kernels::sssp::BUCKETS_F32);

/// Threads of a block: `block_threads` of `buckets/search.cuh`.
const BLOCK: u32 = 1024;
/// No vertex.
const NONE: u32 = u32::MAX;

/// `BucketSearch` of `buckets/search.cuh`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Search {
    graph: RowsAt,
    keys: u64,
    buckets: u64,
    lowest: u64,
    stamps: u64,
    lists: [u64; 3],
    sums: u64,
    control: u64,
    host: u64,
    n_vertices: u32,
    source: u32,
    target: u32,
    limit: u32,
    delta: u32,
    has_heavy: u32,
}

/// `BucketControl` of `buckets/search.cuh`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Control {
    arrived: u32,
    trouble: u32,
    stopped: u32,
    total: u32,
    listed: [u32; 3],
    least: [u32; 3],
    kept: [u32; 3],
    padding: u32,
    relaxations: u64,
    improvements: u64,
    taken: u64,
    taken_again: u64,
    taken_arcs: u64,
    phases: u64,
}

/// What a search writes.
struct WorkSpace {
    keys: Buffer<u32>,
    buckets: Buffer<u32>,
    lowest: Buffer<u32>,
    stamps: Buffer<u32>,
    lists: [Buffer<[u32; 4]>; 3],
    sums: Buffer<u64>,
    control: Buffer<Control>,
}

impl WorkSpace {
    /// Bytes for `n` vertices and `blocks` blocks.
    fn bytes(n: usize, blocks: u32) -> u64 {
        let words = 3 * n + n.div_ceil(32);
        let lists = 3 * n * size_of::<[u32; 4]>();
        (words * 4 + lists + blocks as usize * 8 + size_of::<Control>()) as u64
    }

    fn new(gpu: &Gpu, n: usize, blocks: u32) -> Result<Self, GpuError> {
        Ok(Self {
            keys: gpu.buffer(n)?,
            buckets: gpu.buffer(n)?,
            lowest: gpu.buffer(n.div_ceil(32))?,
            stamps: gpu.buffer(n)?,
            lists: [gpu.buffer(n)?, gpu.buffer(n)?, gpu.buffer(n)?],
            sums: gpu.buffer(blocks as usize)?,
            control: gpu.buffer(1)?,
        })
    }
}

/// The solver with its graph and work space on a device.
pub(super) struct BucketsOnGpu {
    gpu: Gpu,
    kernel: Kernel,
    shape: LaunchConfig,
    watch: Watch,
    work_space: WorkSpace,
    /// All that is the same for every source.
    search: Search,
    /// Holds what `search` points to.
    _graph: DeviceRows,
    times: DeviceTimes,
}

/// Bytes of device memory for a graph of `n` vertices and `m` arcs, what an upload takes for
/// a while not counted.
fn required_bytes(n: usize, m: usize, blocks: u32) -> u64 {
    (n * 8 + m * 8) as u64 + WorkSpace::bytes(n, blocks)
}

impl BucketsOnGpu {
    /// Uploads `graph`, whose weights are in `range`, none negative, for buckets `delta`
    /// wide; whole weights have it rounded down, to 1 at least. O(n + m).
    pub(super) fn new<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        range: &WeightRange<W>,
        delta: f64,
    ) -> Result<Self, SsspError> {
        let arithmetic = Arithmetic::of(range)?;
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        // more blocks than are resident at once would wait for one another for ever; one a
        // multiprocessor always fits
        let blocks = gpu.properties().multiprocessors;
        gpu.check_fits("the graph and its search by buckets", required_bytes(n, m, blocks))?;
        let jit_before = gpu.jit_ms();
        let prepare = PrepareKernels::load(gpu, arithmetic)?;
        let kernel = match arithmetic {
            Arithmetic::U32 => gpu.kernel(&BUCKETS_U32, "buckets_u32")?,
            Arithmetic::F32 => gpu.kernel(&BUCKETS_F32, "buckets_f32")?,
        };
        let mut times = DeviceTimes { jit_ms: gpu.jit_ms() - jit_before, ..Default::default() };

        let start = Instant::now();
        let rows = DeviceRows::upload(gpu, &prepare, graph)?;
        let work_space = WorkSpace::new(gpu, n, blocks)?;
        let watch = Watch::new(gpu)?;
        gpu.synchronize()?;
        times.upload_ms = milliseconds(start);

        let delta = arithmetic.word(delta).max(1);
        let [first, second, third] = &work_space.lists;
        let search = Search {
            graph: RowsAt { bounds: rows.bounds.address(), arcs: rows.arcs.address() },
            keys: work_space.keys.address(),
            buckets: work_space.buckets.address(),
            lowest: work_space.lowest.address(),
            stamps: work_space.stamps.address(),
            lists: [first.address(), second.address(), third.address()],
            sums: work_space.sums.address(),
            control: work_space.control.address(),
            n_vertices: n as u32,
            delta,
            has_heavy: (arithmetic.word(range.greatest.to_f64()) > delta).into(),
            ..Search::zeroed()
        };
        let shape = LaunchConfig { cooperative: true, ..LaunchConfig::new(blocks, BLOCK) };
        let gpu = gpu.clone();
        Ok(Self { gpu, kernel, shape, watch, work_space, search, _graph: rows, times })
    }
}

impl WordSearch for BucketsOnGpu {
    fn solve(
        &mut self,
        source: VertexId,
        target: Option<VertexId>,
        limit: u32,
        progress: Option<Progress<'_>>,
    ) -> Result<Outcome, SsspError> {
        const { assert!(size_of::<Control>() == 104) };
        self.times = self.times.without_search();
        self.work_space.control.fill_bytes(0)?;
        let host = self.watch.start(progress.is_some())?;
        let target = target.unwrap_or(NONE);
        let search = Search { source, target, limit, host, ..self.search };
        // SAFETY: the kernel reads and writes inside the buffers that `self.search` was made
        // for: `self` owns them, they are of `self.gpu` and as long as it says. Source and
        // target are vertices, as the solver has checked, and all blocks are resident.
        unsafe { self.gpu.launch(&self.kernel, self.shape, &[Arg::structure(&search)])? };
        let tell = progress.map(|progress| move |stages| progress(stages, 0));
        self.times.solve_ms = self.watch.wait(tell)?;
        let start = Instant::now();
        let control = self.work_space.control.download()?[0];
        if control.trouble != 0 {
            return Ok(Outcome::Overflow);
        }
        let keys = self.work_space.keys.download()?;
        self.times.download_ms = milliseconds(start);
        // every arc of a vertex that was taken is relaxed once at least
        let again = Again {
            insertions: control.taken_again,
            relaxations: control.relaxations.saturating_sub(control.taken_arcs),
        };
        let work = Work {
            relaxations: control.relaxations,
            improvements: control.improvements,
            settled: control.taken,
            rounds: control.phases,
            again: Some(again),
        };
        Ok(Outcome::Found(keys, work))
    }

    fn times(&self) -> DeviceTimes {
        self.times
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::layout::assert_same_layout;

    #[test]
    fn structures_are_as_the_kernel_has_them() {
        assert_same_layout! { Search as "BucketSearch" of ["buckets/search.cuh", "delta_stepping/search.cuh"]:
            graph, keys, buckets, lowest, stamps, lists, sums, control, host, n_vertices,
            source, target, limit, delta, has_heavy
        }
        assert_same_layout! { Control as "BucketControl" of ["buckets/search.cuh"]:
            arrived, trouble, stopped, total, listed, least, kept, padding, relaxations,
            improvements, taken, taken_again, taken_arcs, phases
        }
    }
}
