//! Dijkstra's algorithm that settles many vertices at once, on a GPU: one launch a search.
//!
//! Of what is reached and not settled, the fringe, every vertex is settled that passes the
//! out-criterion or the in-criterion: that no path over another vertex of the fringe can be
//! shorter than its label, by the least weight of the arcs out of those, or by that of the arcs
//! into it. The method, and why no label is settled too early, in floats either, stands in
//! `kernels/sssp/crauser.cu`; this is the side that uploads the graph, has the least weights
//! found, launches and reads back.
//!
//! Every arc of a settled vertex is relaxed once. A round costs a barrier of the grid, or two
//! where rows of more than 256 arcs are settled, and a look at the fringe; on random graphs with
//! random weights there are about n^(1/3) rounds by both criteria, on grids and roads more.
//! Memory, for n vertices and m arcs: 24 bytes a vertex, 28 where the graph is directed, and 8⅛
//! an arc; beside that, 128 MiB while the graph is uploaded.
//!
//! How it differs from the paper: its processors keep queues ordered by the criteria's keys and
//! take the least from them; here all of the fringe is looked at in each round, which is what a
//! GPU is fast at. The bounds of a round come with the pass before it, so that one barrier does.
//!
//! Reference: crauser-1998, origin-four-families

use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Ptx};
use graph_formats::{Csr, Direction, VertexId, Weight};

use super::check_size;
use super::delta_stepping::{Outcome, at, milliseconds};
use super::dijkstra::NO_VERTEX;
use super::graph::DeviceRows;
use super::kernels::{PrepareKernels, ptx};
use super::memory::RowsAt;
use super::watch::Watch;
use super::word_engine::WordSearch;
use super::words::Arithmetic;
use crate::range::WeightRange;
use crate::{DeviceTimes, Progress, SsspError, Work};

static CRAUSER_U32: Ptx = ptx(kernels::sssp::CRAUSER_U32);
static CRAUSER_F32: Ptx = ptx(kernels::sssp::CRAUSER_F32);

/// Threads of a block: `block_size` of the source.
const BLOCK: u32 = 1024;
/// Vertices and arcs for a block of a small graph: a barrier of few blocks is faster.
const SHARE: usize = 4096;
/// Threads of a block that looks for least weights, and blocks of a multiprocessor.
const PREPARE_BLOCK: u32 = 256;
const PREPARE_BLOCKS: u32 = 8;

/// `Crauser` of `crauser.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Search {
    graph: RowsAt,
    least_out: u64,
    least_in: u64,
    keys: u64,
    fringe: [u64; 2],
    pieces: u64,
    control: u64,
    host: u64,
    n_vertices: u32,
    source: u32,
    target: u32,
    limit: u32,
}

/// `CrauserControl` of `crauser.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Control {
    rounds: [[u32; 4]; 3],
    arrived: u32,
    trouble: u32,
    stopped: u32,
    n_rounds: u32,
    relaxations: u64,
    improvements: u64,
    settled: u64,
    padding: u64,
}

/// The solver with its graph and work space on a device.
pub(super) struct CrauserOnGpu {
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
    _least: LeastWeights,
    _fringe: [Buffer<VertexId>; 2],
    _pieces: Buffer<[u32; 4]>,
    times: DeviceTimes,
}

/// For every vertex the least weight of its arcs, a word.
struct LeastWeights {
    of_out_arcs: Buffer<u32>,
    /// Of the arcs into it, where they are others.
    of_in_arcs: Option<Buffer<u32>>,
}

impl LeastWeights {
    /// Finds them on the device. O(n + m).
    fn of(
        gpu: &Gpu,
        kernel: &Kernel,
        rows: &DeviceRows,
        direction: Direction,
    ) -> Result<Self, GpuError> {
        let n = rows.bounds.len();
        let unreached = || -> Result<Buffer<u32>, GpuError> {
            let mut words = gpu.buffer(n)?;
            words.fill_bytes(0xff)?;
            Ok(words)
        };
        let of_out_arcs = unreached()?;
        let of_in_arcs = match direction {
            Direction::Directed => Some(unreached()?),
            Direction::Undirected => None,
        };
        let args = [
            (&rows.bounds).into(),
            (&rows.arcs).into(),
            (n as u32).into(),
            u32::from(of_in_arcs.is_some()).into(),
            (&of_out_arcs).into(),
            of_in_arcs.as_ref().unwrap_or(&of_out_arcs).into(),
        ];
        let shape =
            LaunchConfig::new(gpu.properties().multiprocessors * PREPARE_BLOCKS, PREPARE_BLOCK);
        // SAFETY: rows lie inside their arcs, and arcs end at vertices, as in every
        // `DeviceRows`; both buffers have a word for each vertex, and only the first is written
        // where the second is the same.
        unsafe { gpu.launch(kernel, shape, &args)? };
        Ok(Self { of_out_arcs, of_in_arcs })
    }
}

/// Places for the pieces of long rows of a graph of `m` arcs: enough, by `arcs.cuh`.
fn n_pieces(m: usize) -> usize {
    m / 128 + 1
}

/// Bytes of device memory for a graph of `n` vertices and `m` arcs, what an upload takes for a
/// while not counted.
fn required_bytes(n: usize, m: usize, direction: Direction) -> u64 {
    let least = if direction == Direction::Directed { 8 } else { 4 };
    (n * (8 + 4 + 8 + least) + m * 8 + n_pieces(m) * 16 + size_of::<Control>()) as u64
}

impl CrauserOnGpu {
    /// Uploads `graph`, whose weights are in `range`, none negative, and finds the least weights
    /// of its vertices. O(n + m).
    pub(super) fn new<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        range: &WeightRange<W>,
    ) -> Result<Self, SsspError> {
        let arithmetic = Arithmetic::of(range)?;
        let (n, m) = (graph.n_vertices(), graph.n_arcs());
        check_size(n, m)?;
        let required = required_bytes(n, m, graph.direction());
        gpu.check_fits("the graph and its search", required)?;
        let jit_before = gpu.jit_ms();
        let prepare = PrepareKernels::load(gpu, arithmetic)?;
        let (module, search, least_weights) = match arithmetic {
            Arithmetic::U32 => (&CRAUSER_U32, "crauser_u32", "least_weights_u32"),
            Arithmetic::F32 => (&CRAUSER_F32, "crauser_f32", "least_weights_f32"),
        };
        let kernel = gpu.kernel(module, search)?;
        let least_weights = gpu.kernel(module, least_weights)?;
        let mut times = DeviceTimes { jit_ms: gpu.jit_ms() - jit_before, ..Default::default() };

        let start = Instant::now();
        let rows = DeviceRows::upload(gpu, &prepare, graph)?;
        gpu.synchronize()?;
        times.upload_ms = milliseconds(start);

        let start = Instant::now();
        let least = LeastWeights::of(gpu, &least_weights, &rows, graph.direction())?;
        let (keys, control) = (gpu.buffer(n)?, gpu.buffer(1)?);
        let fringe = [gpu.buffer(n)?, gpu.buffer(n)?];
        let pieces = gpu.buffer(n_pieces(m))?;
        gpu.synchronize()?;
        times.prepare_ms = milliseconds(start);

        let search = Search {
            graph: at(&rows),
            least_out: least.of_out_arcs.address(),
            least_in: least.of_in_arcs.as_ref().unwrap_or(&least.of_out_arcs).address(),
            keys: keys.address(),
            fringe: [fringe[0].address(), fringe[1].address()],
            pieces: pieces.address(),
            control: control.address(),
            n_vertices: n as u32,
            ..Search::zeroed()
        };
        // more blocks than are resident at once would wait for one another for ever; one a
        // multiprocessor always fits
        let most = gpu.properties().multiprocessors as usize;
        let blocks = (n + m).div_ceil(SHARE).clamp(1, most) as u32;
        Ok(Self {
            gpu: gpu.clone(),
            kernel,
            shape: LaunchConfig { cooperative: true, ..LaunchConfig::new(blocks, BLOCK) },
            watch: Watch::new(gpu)?,
            keys,
            control,
            search,
            _graph: rows,
            _least: least,
            _fringe: fringe,
            _pieces: pieces,
            times,
        })
    }
}

impl WordSearch for CrauserOnGpu {
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
        let tell = progress.map(|progress| move |rounds| progress(rounds, 0));
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
            settled: control.settled,
            rounds: control.n_rounds.into(),
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
        assert_same_layout! { Search as "Crauser" of ["crauser.cu", "delta_stepping/search.cuh"]:
            graph, least_out, least_in, keys, fringe, pieces, control, host, n_vertices, source,
            target, limit
        }
        assert_same_layout! { Control as "CrauserControl" of ["crauser.cu"]:
            rounds, arrived, trouble, stopped, n_rounds, relaxations, improvements, settled,
            padding
        }
    }
}
