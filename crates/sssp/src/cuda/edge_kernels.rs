//! The launches of edge-parallel kernels: what those of `prepare.cu` and `bellman_ford.cu`
//! take, in Rust's types.

use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, Ptx, Shape};
use graph_formats::{VertexId, Weight};
use kernels::sssp::{
    BELLMAN_FORD_F32, BELLMAN_FORD_F64, BELLMAN_FORD_I32, BELLMAN_FORD_U32, PREPARE as MODULE,
};

use super::launch::Kernels;
use super::prepare::{DeviceEdges, Segments};
use crate::{Reads, SsspError};

static PREPARE: Ptx = Ptx::new(MODULE.name, MODULE.ptx);

/// Edges of a launch: no more threads than numbers without a sign may count.
pub(super) const EDGES_A_LAUNCH: usize = 1 << 31;
/// Threads of a block: `block_size` of `prepare.cu`, and a whole number of warps for the rest.
const BLOCK: u32 = 256;
/// Digits that a counting pass tells apart.
const DIGITS: usize = 256;
/// Blocks of a multiprocessor that share a counting pass.
const COUNTING_BLOCKS: u32 = 8;

/// The kernels of `prepare.cu`.
pub(super) struct EdgeKernels {
    expand_rows: Kernel,
    pairs: Counting,
    segments: Counting,
    scan_counts: Kernel,
    all_positions: Kernel,
    gather_32: Kernel,
    gather_64: Kernel,
}

/// The two halves of a counting pass; `scan_counts` comes between them.
struct Counting {
    count: Kernel,
    scatter: Kernel,
}

impl Counting {
    fn load(gpu: &Gpu, count: &str, scatter: &str) -> Result<Self, GpuError> {
        Ok(Self { count: gpu.kernel(&PREPARE, count)?, scatter: gpu.kernel(&PREPARE, scatter)? })
    }
}

impl EdgeKernels {
    pub(super) fn load(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self {
            expand_rows: gpu.kernel(&PREPARE, "expand_rows")?,
            pairs: Counting::load(gpu, "pairs_count", "pairs_scatter")?,
            segments: Counting::load(gpu, "segments_count", "segments_scatter")?,
            scan_counts: gpu.kernel(&PREPARE, "scan_counts")?,
            all_positions: gpu.kernel(&PREPARE, "all_positions")?,
            gather_32: gpu.kernel(&PREPARE, "gather_32")?,
            gather_64: gpu.kernel(&PREPARE, "gather_64")?,
        })
    }

    /// The row of each of `n_arcs` arcs, from the offsets of the rows, which end with
    /// `n_arcs`.
    pub(super) fn expand_rows(
        &self,
        gpu: &Gpu,
        row_offsets: &Buffer<u64>,
        n_arcs: usize,
    ) -> Result<Buffer<VertexId>, GpuError> {
        let tails = gpu.buffer(n_arcs)?;
        let n_vertices = row_offsets.len().saturating_sub(1) as u32;
        let args = [row_offsets.into(), n_vertices.into(), (&tails).into(), of(&tails).into()];
        if n_arcs > 0 {
            // SAFETY: threads read `row_offsets`, one more than the vertices, and write
            // `tails` below its length; rows of arcs there are, so there is a vertex.
            unsafe { gpu.launch(&self.expand_rows, a_thread_each(n_arcs), &args)? };
        }
        Ok(tails)
    }

    /// The positions of the arcs whose tail is not above their head, ascending.
    pub(super) fn pairs(
        &self,
        gpu: &Gpu,
        tails: &Buffer<VertexId>,
        heads: &Buffer<VertexId>,
    ) -> Result<Buffer<u32>, GpuError> {
        let shape = counting_shape(gpu);
        let blocks = shape.grid.0 as usize;
        let n = (tails.len().min(heads.len()) as u32).into();
        let counts = gpu.buffer(DIGITS * blocks)?;
        let args = [tails.into(), heads.into(), n, (&counts).into()];
        // SAFETY: threads read `tails` and `heads` below `n`, which both have, and write
        // `counts`, which has room for 256 of each block.
        unsafe { gpu.launch(&self.pairs.count, shape, &args)? };
        self.scan(gpu, &counts)?;
        let n_pairs = counts.download_range(blocks..blocks + 1)?[0] as usize;
        let positions = gpu.buffer(n_pairs)?;
        let args = [tails.into(), heads.into(), n, (&counts).into(), (&positions).into()];
        // SAFETY: as before, and the places in `counts` are those of the same arcs, of
        // which the kept ones lie below `n_pairs`.
        unsafe { gpu.launch(&self.pairs.scatter, shape, &args)? };
        Ok(positions)
    }

    /// The positions of arcs sorted, stably, by eight bits, from `shift` on, of the number
    /// of the segment that the arc's end is in. All positions lie in `ends`.
    pub(super) fn sort_by_segment(
        &self,
        gpu: &Gpu,
        positions: &Buffer<u32>,
        ends: &Buffer<VertexId>,
        segments: Segments,
        shift: u32,
    ) -> Result<Buffer<u32>, GpuError> {
        let shape = counting_shape(gpu);
        let counts = gpu.buffer(DIGITS * shape.grid.0 as usize)?;
        let (n, length) = (of(positions), segments.vertices.get());
        let by = [positions.into(), ends.into(), n.into(), length.into(), shift.into()];
        let args: Vec<Arg<'_>> = by.into_iter().chain([(&counts).into()]).collect();
        // SAFETY: threads read `positions`, and `ends` at these, and write `counts`, which
        // has room for 256 of each block.
        unsafe { gpu.launch(&self.segments.count, shape, &args)? };
        self.scan(gpu, &counts)?;
        let sorted = gpu.buffer(positions.len())?;
        let args: Vec<Arg<'_>> = args.into_iter().chain([(&sorted).into()]).collect();
        // SAFETY: as before, and the places in `counts` are those of the same positions,
        // as many as `sorted` has room for.
        unsafe { gpu.launch(&self.segments.scatter, shape, &args)? };
        Ok(sorted)
    }

    fn scan(&self, gpu: &Gpu, counts: &Buffer<u32>) -> Result<(), GpuError> {
        let args = [counts.into(), of(counts).into()];
        // SAFETY: one block reads and writes `counts` below its length.
        unsafe { gpu.launch(&self.scan_counts, Shape::new(1, BLOCK), &args) }
    }

    /// 0, 1, 2, and so on below `n`.
    pub(super) fn all_positions(&self, gpu: &Gpu, n: usize) -> Result<Buffer<u32>, GpuError> {
        let positions = gpu.buffer(n)?;
        let args = [(&positions).into(), of(&positions).into()];
        // SAFETY: threads write `positions` below its length.
        unsafe { gpu.launch(&self.all_positions, a_thread_each(n), &args)? };
        Ok(positions)
    }

    /// The values at these positions, all of which there are.
    pub(super) fn gather<T: Weight>(
        &self,
        gpu: &Gpu,
        values: &Buffer<T>,
        positions: &Buffer<u32>,
    ) -> Result<Buffer<T>, GpuError> {
        const { assert!(size_of::<T>() == 4 || size_of::<T>() == 8) };
        let kernel = if size_of::<T>() == 4 { &self.gather_32 } else { &self.gather_64 };
        let gathered = gpu.buffer(positions.len())?;
        let args = [values.into(), positions.into(), of(positions).into(), (&gathered).into()];
        // SAFETY: threads read `positions` and write `gathered`, both below the length
        // that both have; positions lie in `values`, whose elements are as wide as the
        // kernel takes them for.
        unsafe { gpu.launch(kernel, a_thread_each(positions.len()), &args)? };
        Ok(gathered)
    }
}

/// The kernels of `bellman_ford.cu` for one type of weights, and for edges of one kind.
pub(super) struct RelaxKernels {
    start: Kernel,
    plain: Kernel,
    read_only: Kernel,
}

impl RelaxKernels {
    /// Those that relax each edge both ways, or each arc from its tail to its head.
    pub(super) fn load<W: Weight>(gpu: &Gpu, both_ways: bool) -> Result<Self, SsspError> {
        let modules = [BELLMAN_FORD_U32, BELLMAN_FORD_I32, BELLMAN_FORD_F32, BELLMAN_FORD_F64];
        let kernels = Kernels::of(gpu, &modules, W::KIND)?;
        let edges = if both_ways { "pairs" } else { "arcs" };
        Ok(Self {
            start: kernels.get("bellman_ford_start")?,
            plain: kernels.get(&format!("bellman_ford_{edges}"))?,
            read_only: kernels.get(&format!("bellman_ford_{edges}_ldg"))?,
        })
    }

    /// Distances before the first iteration, from a source that there is.
    pub(super) fn start<W: Weight>(
        &self,
        gpu: &Gpu,
        distances: &mut Buffer<W>,
        source: VertexId,
    ) -> Result<(), GpuError> {
        let args = [(&*distances).into(), of(distances).into(), source.into()];
        // SAFETY: threads write `distances`, which are of the kernel's type, below its
        // length.
        unsafe { gpu.launch(&self.start, a_thread_each(distances.len()), &args) }
    }

    /// Relaxes `count` edges from `first` on, or as many as there are, once.
    #[expect(clippy::too_many_arguments, reason = "they are those of the kernel")]
    pub(super) fn relax<W: Weight>(
        &self,
        gpu: &Gpu,
        edges: &DeviceEdges<W>,
        first: usize,
        count: usize,
        distances: &mut Buffer<W>,
        iteration: u32,
        mark: &mut Buffer<[u32; 2]>,
        reads: Reads,
    ) -> Result<(), GpuError> {
        let count = count.min(edges.len().saturating_sub(first));
        let args = [
            (&edges.tails).into(),
            (&edges.heads).into(),
            (&edges.weights).into(),
            (&*distances).into(),
            (first as u32).into(),
            (count as u32).into(),
            iteration.into(),
            (&*mark).into(),
        ];
        let kernel = match reads {
            Reads::Plain => &self.plain,
            Reads::ReadOnly => &self.read_only,
        };
        // SAFETY: threads read the edges from `first` on, `count` of them, which there
        // are; the ends of edges are vertices, and `distances` has one for each, of the
        // kernel's type; `mark` has the two words.
        unsafe { gpu.launch(kernel, a_thread_each(count), &args) }
    }
}

/// How many elements, as kernels take it: all buffers here have fewer than 2^32.
pub(super) fn of<T>(buffer: &Buffer<T>) -> u32 {
    buffer.len() as u32
}

pub(super) fn a_thread_each(n: usize) -> Shape {
    Shape::covering(n as u64, BLOCK)
}

/// As many blocks as keep the device busy; counts are 256 for each of them.
fn counting_shape(gpu: &Gpu) -> Shape {
    Shape::new(gpu.facts().multiprocessors * COUNTING_BLOCKS, BLOCK)
}
