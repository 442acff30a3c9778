//! Dijkstra's algorithm by parallel reductions on a GPU: one launch a search.
//!
//! The method stands in `kernels/sssp/dijkstra.cu`: a turn finds the least label of all
//! vertices that are not settled, by a reduction inside each block and one of the blocks'
//! results, settles its vertex, and relaxes the row. This is the side that uploads the graph,
//! shares the vertices among blocks, launches and reads back.
//!
//! For s settled vertices, s turns: a barrier of the grid and a reading of n labels each, O(s n)
//! work in all besides the arcs. Graphs that one block can see to cost no barrier of the grid.
//! Memory, for n vertices and m arcs: 16 bytes a vertex and 8 an arc; beside that, 128 MiB
//! while the graph is uploaded.
//!
//! How it differs from the paper: the whole loop is one launch, where the paper has the host
//! start each step; vertices belong to blocks, each of which relaxes what of the row ends in
//! its own part, so that a turn waits for the whole grid once and not twice; warps reduce by
//! shuffles (`kernels/sssp/reduction.cuh`).
//!
//! Reference: origin-four-families, dijkstra-1959

use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Ptx};
use graph_formats::{Csr, VertexId, Weight};

use super::check_size;
use super::delta_stepping::{Outcome, at, milliseconds};
use super::graph::DeviceRows;
use super::kernels::{PrepareKernels, ptx};
use super::memory::RowsAt;
use super::watch::Watch;
use super::word_engine::WordSearch;
use super::words::Arithmetic;
use crate::range::WeightRange;
use crate::{DeviceTimes, Progress, ReductionBlock, SsspError, Work};

static DIJKSTRA_U32: Ptx = ptx(kernels::sssp::DIJKSTRA_U32);
static DIJKSTRA_F32: Ptx = ptx(kernels::sssp::DIJKSTRA_F32);

/// Labels a thread that one block still takes by itself: up to there a barrier of the grid
/// would cost more than it saves.
const LABELS_ALONE: usize = 64;
/// Labels a thread where there are more blocks than one, and not all multiprocessors.
const LABELS: usize = 16;

/// No vertex, for a search that has no target.
pub(super) const NO_VERTEX: VertexId = VertexId::MAX;

/// `Dijkstra` of `dijkstra.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Search {
    graph: RowsAt,
    labels: u64,
    keys: u64,
    of_blocks: u64,
    control: u64,
    host: u64,
    n_vertices: u32,
    source: u32,
    target: u32,
    share: u32,
    limit: u32,
    padding: u32,
}

/// `DijkstraControl` of `dijkstra.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Control {
    arrived: u32,
    trouble: u32,
    stopped: u32,
    settled: u32,
    relaxations: u64,
    improvements: u64,
}

/// The solver with its graph and work space on a device.
pub(super) struct DijkstraOnGpu {
    gpu: Gpu,
    kernel: Kernel,
    shape: LaunchConfig,
    watch: Watch,
    keys: Buffer<u32>,
    control: Buffer<Control>,
    /// All that is the same for every source.
    search: Search,
    /// Hold what `search` points to.
    _graph: DeviceRows,
    _labels: Buffer<u32>,
    _of_blocks: Buffer<u64>,
    times: DeviceTimes,
}

/// How many blocks share `n` labels, of so many threads and at most `most`, and how many
/// labels each has: a multiple of four.
pub(super) fn shares(n: usize, threads: u32, most: u32) -> (u32, u32) {
    let threads = threads as usize;
    let blocks = match n {
        n if n <= LABELS_ALONE * threads => 1,
        n => n.div_ceil(LABELS * threads).min(most as usize).max(1),
    };
    let share = n.div_ceil(blocks).next_multiple_of(4);
    (blocks as u32, share as u32)
}

/// Bytes of device memory for a graph of `n` vertices and `m` arcs, in so many blocks; what an
/// upload takes for a while not counted.
fn required_bytes(n: usize, m: usize, blocks: u32) -> u64 {
    let labels = n.next_multiple_of(4);
    ((n + m) * 8 + (n + labels) * 4 + blocks as usize * 16 + size_of::<Control>()) as u64
}

impl DijkstraOnGpu {
    /// Uploads `graph`, whose weights are in `range`, none negative. O(n + m).
    pub(super) fn new<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        range: &WeightRange<W>,
        block: ReductionBlock,
    ) -> Result<Self, SsspError> {
        let arithmetic = Arithmetic::of(range)?;
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        // more blocks than are resident at once would wait for one another for ever; one a
        // multiprocessor always fits
        let (blocks, share) = shares(n, block.threads(), gpu.properties().multiprocessors);
        gpu.check_fits("the graph and its search", required_bytes(n, m, blocks))?;
        let jit_before = gpu.jit_ms();
        let prepare = PrepareKernels::load(gpu, arithmetic)?;
        let kernel = load(gpu, arithmetic, block)?;
        let mut times = DeviceTimes { jit_ms: gpu.jit_ms() - jit_before, ..Default::default() };

        let start = Instant::now();
        let rows = DeviceRows::upload(gpu, &prepare, graph)?;
        gpu.synchronize()?;
        times.upload_ms = milliseconds(start);

        let labels = gpu.buffer(n.next_multiple_of(4))?;
        let (keys, control) = (gpu.buffer(n)?, gpu.buffer(1)?);
        let of_blocks = gpu.buffer(2 * blocks as usize)?;
        let search = Search {
            graph: at(&rows),
            labels: labels.address(),
            keys: keys.address(),
            of_blocks: of_blocks.address(),
            control: control.address(),
            n_vertices: n as u32,
            share,
            ..Search::zeroed()
        };
        Ok(Self {
            gpu: gpu.clone(),
            kernel,
            shape: LaunchConfig { cooperative: true, ..LaunchConfig::new(blocks, block.threads()) },
            watch: Watch::new(gpu)?,
            keys,
            control,
            search,
            _graph: rows,
            _labels: labels,
            _of_blocks: of_blocks,
            times,
        })
    }
}

/// The kernel for blocks of this size.
fn load(gpu: &Gpu, arithmetic: Arithmetic, block: ReductionBlock) -> Result<Kernel, GpuError> {
    use ReductionBlock::{Threads128, Threads256, Threads512, Threads1024};
    let (module, name) = match (arithmetic, block) {
        (Arithmetic::U32, Threads128) => (&DIJKSTRA_U32, "dijkstra_128_u32"),
        (Arithmetic::U32, Threads256) => (&DIJKSTRA_U32, "dijkstra_256_u32"),
        (Arithmetic::U32, Threads512) => (&DIJKSTRA_U32, "dijkstra_512_u32"),
        (Arithmetic::U32, Threads1024) => (&DIJKSTRA_U32, "dijkstra_1024_u32"),
        (Arithmetic::F32, Threads128) => (&DIJKSTRA_F32, "dijkstra_128_f32"),
        (Arithmetic::F32, Threads256) => (&DIJKSTRA_F32, "dijkstra_256_f32"),
        (Arithmetic::F32, Threads512) => (&DIJKSTRA_F32, "dijkstra_512_f32"),
        (Arithmetic::F32, Threads1024) => (&DIJKSTRA_F32, "dijkstra_1024_f32"),
    };
    gpu.kernel(module, name)
}

impl WordSearch for DijkstraOnGpu {
    fn solve(
        &mut self,
        source: VertexId,
        target: Option<VertexId>,
        limit: u32,
        progress: Option<Progress<'_>>,
    ) -> Result<Outcome, SsspError> {
        self.times = self.times.without_search();
        self.control.fill_bytes(0)?;
        let host = self.watch.start(progress.is_some())?;
        let target = target.unwrap_or(NO_VERTEX);
        let search = Search { source, target, limit, host, ..self.search };
        // SAFETY: the kernel reads and writes inside the buffers of `self.search`, which `self`
        // owns and which are as long as it says, all of `self.gpu`; the solver has checked the
        // source.
        unsafe { self.gpu.launch(&self.kernel, self.shape, &[Arg::structure(&search)])? };
        let tell = progress.map(|progress| move |turns| progress(turns, 0));
        self.times.solve_ms = self.watch.wait(tell)?;
        let start = Instant::now();
        let control = self.control.download()?[0];
        if control.trouble != 0 {
            return Ok(Outcome::Overflow);
        }
        let keys = self.keys.download()?;
        self.times.download_ms = milliseconds(start);
        let work = Work {
            relaxations: control.relaxations,
            improvements: control.improvements,
            settled: control.settled.into(),
            rounds: control.settled.into(),
            again: None,
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
        assert_same_layout! { Search as "Dijkstra" of ["dijkstra.cu", "delta_stepping/search.cuh"]:
            graph, labels, keys, of_blocks, control, host, n_vertices, source, target, share,
            limit, padding
        }
        assert_same_layout! { Control as "DijkstraControl" of ["dijkstra.cu"]:
            arrived, trouble, stopped, settled, relaxations, improvements
        }
    }

    #[test]
    fn blocks_share_all_labels() {
        for threads in ReductionBlock::ALL.map(|block| block.1.threads()) {
            for n in [0, 1, 3, 4, 5, 8191, 8192, 8193, 65_537, 1_000_003, 100_000_000] {
                let (blocks, share) = shares(n, threads, 132);
                assert!((1..=132).contains(&blocks) && share % 4 == 0, "{n}: {blocks}, {share}");
                assert!(u64::from(blocks) * u64::from(share) >= n as u64, "{n}, {threads}");
            }
        }
        assert_eq!(shares(32_768, 512, 132), (1, 32_768));
        assert_eq!(shares(32_769, 512, 132).0, 5);
        let most = super::super::MOST_VERTICES;
        let (blocks, share) = shares(most, 128, 132);
        // numbers of vertices stay below 2^32, with the steps that loops make beyond the end
        assert!(u64::from(blocks) * u64::from(share) + 4 * 1024 < 1 << 32);
    }
}
