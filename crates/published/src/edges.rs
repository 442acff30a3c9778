//! The edges of edge-parallel kernels, built on the device from the rows of a graph.
//!
//! There are three steps, the last two optional. The first finds the tail of each arc. The second
//! keeps each edge of an undirected graph once. The third sorts the edges by segments of P
//! vertices, first by the segment of the head, then by the segment of the tail. The results are
//! those of `Csr::to_coo`, `Csr::undirected_edges` and `SegmentOrder`, up to the order of equal
//! edges. O(n + m log(n / P) / 8).
//!
//! The article does not describe its sort. Here it is a radix sort of positions, eight bits a pass,
//! by the head alone. Rows come in the order of their vertices, so arcs are already sorted by tail,
//! and each pass is stable.
//!
//! Reference: origin-segments

use std::num::NonZeroU32;
use std::time::Instant;

use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Ptx};
use graph_formats::{Csr, VertexId, Weight};
use search_parts::device::expand_rows;
use search_parts::{DeviceTimes, a_thread_each, length, milliseconds};

use crate::settings::EdgeOrder;

static PREPARE: Ptx = Ptx::new(kernels::sssp::PREPARE.name, kernels::sssp::PREPARE.ptx);

/// Threads of a block, as `block_size` in `prepare.cu`; a whole number of warps for the other
/// kernels.
const BLOCK: u32 = 256;
/// Values of the digit of a counting pass.
const DIGITS: usize = 256;
/// Blocks on each multiprocessor in a counting pass.
const COUNTING_BLOCKS: u32 = 8;

/// Edges on the device: an element of each array for every edge.
pub(crate) struct DeviceEdges<W> {
    pub(crate) tails: Buffer<VertexId>,
    pub(crate) heads: Buffer<VertexId>,
    pub(crate) weights: Buffer<W>,
}

impl<W: Weight> DeviceEdges<W> {
    /// The arcs of `graph`, fewer than 2^32, in this order; with `pairs`, for an undirected graph,
    /// each edge once. Adds the times to `times`.
    pub(crate) fn of(
        gpu: &Gpu,
        graph: &Csr<W>,
        pairs: bool,
        order: EdgeOrder,
        times: &mut DeviceTimes,
    ) -> Result<Self, GpuError> {
        let start = Instant::now();
        let row_offsets = gpu.upload(graph.row_offsets())?;
        let heads = gpu.upload(graph.column_indices())?;
        let weights = gpu.upload(graph.weights())?;
        times.upload_ms += milliseconds(start);

        let (edges, prepare_ms) = times.apart_from_jit(gpu, || {
            let tails = expand_rows(gpu, &row_offsets, heads.len())?;
            drop(row_offsets);
            let arcs = Self { tails, heads, weights };
            let mut positions =
                pairs.then(|| pairs_of(gpu, &arcs.tails, &arcs.heads)).transpose()?;
            if let Some(vertices) = order.segment(graph.n_vertices()) {
                let last = (graph.n_vertices() as u32).saturating_sub(1) / vertices;
                let mut sorted = positions.map_or_else(|| all_positions(gpu, arcs.len()), Ok)?;
                for shift in (0..u32::BITS).step_by(8).take_while(|shift| last >> shift > 0) {
                    sorted = sort_by_segment(gpu, &sorted, &arcs.heads, vertices, shift)?;
                }
                positions = Some(sorted);
            }
            let edges = match positions {
                Some(positions) => arcs.at(gpu, &positions)?,
                None => arcs,
            };
            gpu.synchronize()?;
            Ok::<_, GpuError>(edges)
        })?;
        times.prepare_ms += prepare_ms;
        Ok(edges)
    }

    /// The edges at `positions`, which exist. Frees each array as soon as it is copied.
    fn at(self, gpu: &Gpu, positions: &Buffer<u32>) -> Result<Self, GpuError> {
        let Self { tails, heads, weights } = self;
        let tails = gather(gpu, tails, positions)?;
        let heads = gather(gpu, heads, positions)?;
        Ok(Self { tails, heads, weights: gather(gpu, weights, positions)? })
    }
}

impl<W> DeviceEdges<W> {
    /// The number of edges.
    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }
}

/// The kernel of `prepare.cu` of this name.
fn kernel(gpu: &Gpu, name: &str) -> Result<Kernel, GpuError> {
    gpu.kernel(&PREPARE, name)
}

/// The positions of the arcs whose tail is at most their head, ascending.
fn pairs_of(
    gpu: &Gpu,
    tails: &Buffer<VertexId>,
    heads: &Buffer<VertexId>,
) -> Result<Buffer<u32>, GpuError> {
    let shape = counting_shape(gpu);
    let blocks = shape.grid.0 as usize;
    let n = (tails.len().min(heads.len()) as u32).into();
    let counts = gpu.buffer(DIGITS * blocks)?;
    let args = [tails.into(), heads.into(), n, (&counts).into()];
    // SAFETY: threads read `tails` and `heads` below `n`, the length of both, and write
    // `counts`, which has room for 256 of each block.
    unsafe { gpu.launch(&kernel(gpu, "pairs_count")?, shape, &args)? };
    scan(gpu, &counts)?;
    let n_pairs = counts.download_range(blocks..blocks + 1)?[0] as usize;
    let positions = gpu.buffer(n_pairs)?;
    let args = [tails.into(), heads.into(), n, (&counts).into(), (&positions).into()];
    // SAFETY: as before; `counts` has the places of the same arcs, and those of the kept arcs
    // lie below `n_pairs`.
    unsafe { gpu.launch(&kernel(gpu, "pairs_scatter")?, shape, &args)? };
    Ok(positions)
}

/// Sorts positions stably by eight bits, from `shift` on, of the segment number of the end at
/// each position; a segment has `vertices` vertices. All positions lie in `ends`.
fn sort_by_segment(
    gpu: &Gpu,
    positions: &Buffer<u32>,
    ends: &Buffer<VertexId>,
    vertices: NonZeroU32,
    shift: u32,
) -> Result<Buffer<u32>, GpuError> {
    let shape = counting_shape(gpu);
    let counts = gpu.buffer(DIGITS * shape.grid.0 as usize)?;
    let (n, length) = (length(positions), vertices.get());
    let by = [positions.into(), ends.into(), n.into(), length.into(), shift.into()];
    let args: Vec<Arg<'_>> = by.into_iter().chain([(&counts).into()]).collect();
    // SAFETY: threads read `positions`, and `ends` at these, and write `counts`, which has room
    // for 256 of each block.
    unsafe { gpu.launch(&kernel(gpu, "segments_count")?, shape, &args)? };
    scan(gpu, &counts)?;
    let sorted = gpu.buffer(positions.len())?;
    let args: Vec<Arg<'_>> = args.into_iter().chain([(&sorted).into()]).collect();
    // SAFETY: as before; `counts` has the places of the same positions, as many as `sorted` has
    // room for.
    unsafe { gpu.launch(&kernel(gpu, "segments_scatter")?, shape, &args)? };
    Ok(sorted)
}

fn scan(gpu: &Gpu, counts: &Buffer<u32>) -> Result<(), GpuError> {
    let args = [counts.into(), length(counts).into()];
    // SAFETY: one block reads and writes `counts` below its length.
    unsafe { gpu.launch(&kernel(gpu, "scan_counts")?, LaunchConfig::new(1, BLOCK), &args) }
}

/// 0, 1, 2 and so on below `n`.
fn all_positions(gpu: &Gpu, n: usize) -> Result<Buffer<u32>, GpuError> {
    let positions = gpu.buffer(n)?;
    let args = [(&positions).into(), length(&positions).into()];
    // SAFETY: threads write `positions` below its length.
    unsafe { gpu.launch(&kernel(gpu, "all_positions")?, a_thread_each(n), &args)? };
    Ok(positions)
}

/// The values at `positions`, which exist. Frees `values`.
fn gather<T: Weight>(
    gpu: &Gpu,
    values: Buffer<T>,
    positions: &Buffer<u32>,
) -> Result<Buffer<T>, GpuError> {
    const { assert!(size_of::<T>() == 4 || size_of::<T>() == 8) };
    let kernel = kernel(gpu, if size_of::<T>() == 4 { "gather_32" } else { "gather_64" })?;
    let gathered = gpu.buffer(positions.len())?;
    let args = [(&values).into(), positions.into(), length(positions).into(), (&gathered).into()];
    // SAFETY: threads read `positions` and write `gathered` below the length of both; positions
    // lie in `values`, whose elements are as wide as the kernel's.
    unsafe { gpu.launch(&kernel, a_thread_each(positions.len()), &args)? };
    Ok(gathered)
}

/// The shape of a counting pass, which keeps the device busy; a block has 256 counts.
fn counting_shape(gpu: &Gpu) -> LaunchConfig {
    LaunchConfig::new(gpu.properties().multiprocessors * COUNTING_BLOCKS, BLOCK)
}

#[cfg(test)]
mod tests {
    use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
    use graph_formats::permute::SegmentOrder;
    use graph_formats::{Coo, Direction};
    use test_support::corner_cases;

    use super::*;
    use test_support::gpu;

    /// The edges as the CPU makes them.
    fn expected<W: Weight>(graph: &Csr<W>, pairs: bool, order: EdgeOrder) -> Coo<W> {
        let edges = if pairs { graph.undirected_edges().unwrap() } else { graph.to_coo() };
        match order.segment(graph.n_vertices()) {
            None => edges,
            Some(vertices) => {
                SegmentOrder::new(&edges, vertices.get()).unwrap().apply(&edges).unwrap()
            }
        }
    }

    fn agree<W: Weight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
        let segments = [1, 3, 64, 4096]
            .map(|vertices| EdgeOrder::Segments { vertices: NonZeroU32::new(vertices).unwrap() });
        for order in [EdgeOrder::AsStored].into_iter().chain(segments) {
            for pairs in [false, true] {
                if pairs && graph.direction() == Direction::Directed {
                    continue;
                }
                let mut times = DeviceTimes::default();
                let found = DeviceEdges::of(gpu, graph, pairs, order, &mut times);
                let found = found.unwrap();
                let expected = expected(graph, pairs, order);
                let case = format!("{name}, {}, {order:?}, pairs: {pairs}", W::KIND);
                assert!(found.tails.download().unwrap() == expected.sources(), "{case}");
                assert!(found.heads.download().unwrap() == expected.destinations(), "{case}");
                assert!(found.weights.download().unwrap() == expected.weights(), "{case}");
            }
        }
    }

    #[test]
    fn edges_are_those_of_the_host() {
        let Some(gpu) = gpu(Gpu::open()) else { return };
        for (name, graph) in corner_cases::<u32>() {
            agree(&gpu, name, &graph);
        }
        for (name, graph) in corner_cases::<f64>() {
            agree(&gpu, name, &graph);
        }
        // segment numbers of 2^17 vertices take three passes
        let config = RmatConfig { scale: 17, edge_factor: 4, ..RmatConfig::default() };
        agree(&gpu, "rmat", &rmat(&config).unwrap());
        agree(&gpu, "directed rmat", &Csr::from_coo(&rmat(&config).unwrap().to_coo()).unwrap());
        let square = grid(&GridConfig { side: 100, ..GridConfig::default() }).unwrap();
        agree(&gpu, "grid", &square.convert_weights::<f64>().unwrap());
    }
}
