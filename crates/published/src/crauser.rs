//! Dijkstra's algorithm that settles many vertices at once, on a GPU: one launch a search.
//!
//! The frontier has the vertices that are reached and not settled. A round settles every frontier
//! vertex that passes the out-criterion or the in-criterion. Each proves that no path over another
//! frontier vertex is shorter than its key. The out-criterion uses the least weights of the arcs
//! out of the frontier vertices, the in-criterion the least weight of the arcs into the vertex. The
//! method, and why no key is settled too early, floats included, are in `kernels/sssp/crauser.cu`.
//! This file uploads the graph, computes the least weights, launches and reads back.
//!
//! Every arc of a settled vertex is relaxed once. A round costs a scan of the frontier and a grid
//! barrier, or two if rows of more than 256 arcs are settled. On random graphs with random weights
//! both criteria together take about n^(1/3) rounds, on grids and roads more. Memory, for n
//! vertices and m arcs: 24 bytes a vertex, 28 if the graph is directed, and 8⅛ an arc; beside that,
//! 128 MiB while the graph is uploaded.
//!
//! Eager's criterion is the same search with another rule: all vertices within a look-ahead of the
//! nearest are settled. That may be too early; such a vertex is settled again when its key falls.
//! It needs no least weights, but a word a vertex in their place. A longer look-ahead means fewer
//! rounds and more relaxations.
//!
//! Differences from the papers: their processors keep queues, ordered by the criteria's keys or by
//! distance, and take the least from them; here each round scans the whole frontier, which is fast
//! on a GPU. A round's bounds are computed by the pass before it, so that one barrier suffices.
//!
//! Reference: crauser-1998, edmonds-2006, origin-four-families

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, GpuError, Kernel};
use graph_formats::{Csr, Direction, VertexId, Weight};
use search_parts::device::{DeviceRows, KeyGraph, OneLaunchSearch, Parameters, RowsAt, max_pieces};
use search_parts::{Kernels, Query, SearchError, Work, all_threads};

/// Threads of a block, as `block_size` in `crauser.cu`.
const BLOCK: u32 = 1024;
/// Vertices and arcs for each block of a small graph: a barrier of few blocks is faster.
const SHARE: usize = 4096;

/// `Crauser` of `crauser.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Crauser {
    graph: RowsAt,
    least_out: u64,
    least_in: u64,
    listed: u64,
    keys: u64,
    frontier: [u64; 2],
    pieces: u64,
    control: u64,
    host: u64,
    n_vertices: u32,
    source: u32,
    target: u32,
    limit: u32,
    lookahead: u32,
    padding: u32,
}

/// `CrauserControl` of `crauser.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct CrauserControl {
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

impl Parameters for Crauser {
    type Control = CrauserControl;

    fn asking(self, query: &Query<'_, u32>, target: VertexId, host: u64) -> Self {
        Self { source: query.source, limit: query.limit, target, host, ..self }
    }

    fn work(control: &CrauserControl) -> Option<Work> {
        (control.trouble == 0).then_some(Work {
            relaxations: control.relaxations,
            improvements: control.improvements,
            settled: control.settled,
            rounds: control.n_rounds.into(),
            again: None,
        })
    }
}

/// The least weights of the arcs out of each vertex, and of those into it; the same if the graph is
/// undirected. O(n + m).
fn least_weights(
    gpu: &Gpu,
    kernel: &Kernel,
    rows: &DeviceRows,
    direction: Direction,
) -> Result<Vec<Buffer<u32>>, GpuError> {
    let n = rows.bounds().len();
    let n_lists = if direction == Direction::Directed { 2 } else { 1 };
    let mut least: Vec<_> = (0..n_lists).map(|_| gpu.buffer(n)).collect::<Result<_, _>>()?;
    for list in &mut least {
        list.fill_bytes(0xff)?;
    }
    let args = [
        rows.bounds().into(),
        rows.arcs().into(),
        (n as u32).into(),
        u32::from(n_lists == 2).into(),
        (&least[0]).into(),
        (&least[n_lists - 1]).into(),
    ];
    // SAFETY: rows lie inside their arcs, and arcs end at vertices, as in every `DeviceRows`; both
    // buffers have a word for each vertex, and only the first is written if the second is the same.
    unsafe { gpu.launch(kernel, all_threads(gpu), &args)? };
    Ok(least)
}

/// Uploads `graph`, which has no negative weights: for Eager's criterion with this look-ahead, which
/// for integers is rounded down, or else for Crauser's criteria. O(n + m).
pub(crate) fn crauser<W: Weight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    lookahead: Option<f64>,
) -> Result<OneLaunchSearch<Crauser>, SearchError> {
    let (n, m, direction) = (graph.n_vertices(), graph.n_arcs(), graph.direction());
    let of_criteria = if lookahead.is_none() && direction == Direction::Directed { 2 } else { 1 };
    let words = n * (3 + of_criteria) + 4 * max_pieces(m);
    let others = (4 * words + size_of::<CrauserControl>()) as u64;
    let (on_device, (kernel, least_kernel)) = KeyGraph::upload(gpu, graph, others, |kind| {
        let kernels = Kernels::of(gpu, &kernels::sssp::CRAUSER, kind)?;
        let kernel = kernels.get(if lookahead.is_some() { "eager" } else { "crauser" })?;
        Ok((kernel, kernels.get("least_weights")?))
    })?;
    let prepare = |graph: &KeyGraph, keys: &Buffer<u32>, control: &Buffer<CrauserControl>| {
        let frontier: [Buffer<VertexId>; 2] = [gpu.buffer(n)?, gpu.buffer(n)?];
        let pieces: Buffer<[u32; 4]> = gpu.buffer(max_pieces(m))?;
        let mut parameters = Crauser {
            graph: graph.rows.at(),
            keys: keys.address(),
            frontier: frontier.each_ref().map(Buffer::address),
            pieces: pieces.address(),
            control: control.address(),
            n_vertices: n as u32,
            ..Crauser::zeroed()
        };
        let of_vertices = match lookahead {
            Some(lookahead) => {
                let listed = gpu.buffer(n)?;
                parameters.listed = listed.address();
                parameters.lookahead = graph.kind.key(lookahead) as u32;
                vec![listed]
            }
            None => {
                let least = least_weights(gpu, &least_kernel, &graph.rows, direction)?;
                parameters.least_out = least[0].address();
                parameters.least_in = least[least.len() - 1].address();
                least
            }
        };
        Ok((parameters, (of_vertices, frontier, pieces)))
    };
    let max_blocks = gpu.properties().multiprocessors as usize;
    let blocks = (n + m).div_ceil(SHARE).clamp(1, max_blocks) as u32;
    // SAFETY: rows lie inside their arcs, which end at vertices; all other buffers that the kernel
    // reads have an element for each vertex, and `pieces` as many as `arcs.cuh` requires.
    unsafe { OneLaunchSearch::new(gpu, on_device, kernel, (blocks, BLOCK), prepare) }
}

#[cfg(test)]
test_support::layout_test! {
    Crauser as "Crauser" of ["sssp/crauser.cu", "sssp/delta_stepping/search.cuh"]:
        graph, least_out, least_in, listed, keys, frontier, pieces, control, host, n_vertices,
        source, target, limit, lookahead, padding;
    CrauserControl as "CrauserControl" of ["sssp/crauser.cu"]:
        rounds, arrived, trouble, stopped, n_rounds, relaxations, improvements, settled, padding;
}
