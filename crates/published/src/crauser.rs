//! Dijkstra's algorithm that settles many vertices at once, on a GPU: one launch a search.
//!
//! Of what is reached and not settled, the frontier, every vertex is settled that passes the
//! out-criterion or the in-criterion: that no path over another vertex of the frontier can be
//! shorter than its key, by the least weight of the arcs out of those, or by that of the arcs
//! into it. The method, and why no key is settled too early, in floats either, stands in
//! `kernels/sssp/crauser.cu`; this is the side that uploads the graph, has the least weights
//! found, launches and reads back.
//!
//! Every arc of a settled vertex is relaxed once. A round costs a barrier of the grid, or two
//! where rows of more than 256 arcs are settled, and a look at the frontier; on random graphs with
//! random weights there are about n^(1/3) rounds by both criteria, on grids and roads more.
//! Memory, for n vertices and m arcs: 24 bytes a vertex, 28 where the graph is directed, and 8⅛
//! an arc; beside that, 128 MiB while the graph is uploaded.
//!
//! Eager's criterion is the same search with another rule: all within a look-ahead of the nearest
//! are settled, which may be too early, and are settled again when their keys fall. It needs no
//! least weights, and a word a vertex in their place; rounds are fewer the longer the look-ahead
//! is, and relaxations more.
//!
//! How it differs from the papers: their processors keep queues, ordered by the criteria's keys or
//! by distance, and take the least from them; here all of the frontier is looked at in each round,
//! which is what a GPU is fast at. The bounds of a round come with the pass before it, so that one
//! barrier does.
//!
//! Reference: crauser-1998, edmonds-2006, origin-four-families

use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, GpuError, Kernel};
use graph_formats::{Csr, Direction, VertexId, Weight};
use kernels::sssp::{CRAUSER_F32, CRAUSER_U32};
use search_parts::device::{DeviceRows, KeyGraph, KeyKind, KeySearch, Parameters, RowsAt};
use search_parts::{Kernels, Launch, Query, all_threads};

use search_parts::{SearchError, Work};

/// Threads of a block: `block_size` of the source.
const BLOCK: u32 = 1024;
/// Vertices and arcs for a block of a small graph: a barrier of few blocks is faster.
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
        // SAFETY: rows lie inside their arcs, and arcs end at vertices, as in every
        // `DeviceRows`; both buffers have a word for each vertex, and only the first is written
        // where the second is the same.
        unsafe { gpu.launch(kernel, all_threads(gpu), &args)? };
        Ok(Self { of_out_arcs, of_in_arcs })
    }
}

/// Places for the pieces of long rows of a graph of `m` arcs: enough, by `arcs.cuh`.
fn n_pieces(m: usize) -> usize {
    m / 128 + 1
}

/// Bytes of device memory for a graph of `n` vertices and `m` arcs with so many words of each
/// vertex for the criteria, what an upload takes for a while not counted.
fn required_bytes(n: usize, m: usize, words: usize) -> u64 {
    let lists = n * (4 + 8 + 4 * words) + n_pieces(m) * 16 + size_of::<CrauserControl>();
    DeviceRows::bytes(n, m, KeyKind::U32) + lists as u64
}

/// Uploads `graph`, which has no negative weights, and finds the least weights
/// of its vertices. O(n + m).
pub(crate) fn crauser<W: Weight>(
    gpu: &Gpu,
    graph: &Csr<W>,
) -> Result<KeySearch<Crauser>, SearchError> {
    settling(gpu, graph, None)
}

/// Uploads `graph`, which has no negative weights, for Eager's criterion with this look-ahead;
/// whole weights have it rounded down. O(n + m).
pub(crate) fn eager<W: Weight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    lookahead: f64,
) -> Result<KeySearch<Crauser>, SearchError> {
    settling(gpu, graph, Some(lookahead))
}

fn settling<W: Weight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    lookahead: Option<f64>,
) -> Result<KeySearch<Crauser>, SearchError> {
    let (n, m, direction) = (graph.n_vertices(), graph.n_arcs(), graph.direction());
    let words = if lookahead.is_none() && direction == Direction::Directed { 2 } else { 1 };
    let required = required_bytes(n, m, words);
    let (on_device, (kernel, least_weights)) = KeyGraph::upload(gpu, graph, required, |kind| {
        let kernels = Kernels::of(gpu, &[CRAUSER_U32, CRAUSER_F32], kind)?;
        let kernel = kernels.get(if lookahead.is_some() { "eager" } else { "crauser" })?;
        Ok((kernel, kernels.get("least_weights")?))
    })?;
    let start = Instant::now();
    let (keys, control) = (gpu.buffer(n)?, gpu.buffer(1)?);
    let frontier: [Buffer<VertexId>; 2] = [gpu.buffer(n)?, gpu.buffer(n)?];
    let pieces: Buffer<[u32; 4]> = gpu.buffer(n_pieces(m))?;
    let mut parameters = Crauser {
        graph: on_device.rows.at(),
        keys: keys.address(),
        frontier: [frontier[0].address(), frontier[1].address()],
        pieces: pieces.address(),
        control: control.address(),
        n_vertices: n as u32,
        ..Crauser::zeroed()
    };
    let (mut least, mut listed) = (None, None);
    if let Some(lookahead) = lookahead {
        let listed: &Buffer<u32> = listed.insert(gpu.buffer(n)?);
        parameters.listed = listed.address();
        parameters.lookahead = on_device.kind.key(lookahead) as u32;
    } else {
        let found = LeastWeights::of(gpu, &least_weights, &on_device.rows, direction)?;
        let least = least.insert(found);
        parameters.least_out = least.of_out_arcs.address();
        parameters.least_in = least.of_in_arcs.as_ref().unwrap_or(&least.of_out_arcs).address();
    }
    let max_blocks = gpu.properties().multiprocessors as usize;
    let blocks = (n + m).div_ceil(SHARE).clamp(1, max_blocks) as u32;
    let launch = Launch::new(gpu, kernel, blocks, BLOCK)?;
    let lists = (least, listed, frontier, pieces);
    // SAFETY: rows lie inside their arcs, which end at vertices; all other buffers that the
    // kernel reads have a place for each vertex, and `pieces` as many as `arcs.cuh` asks for.
    Ok(unsafe { KeySearch::new(launch, parameters, keys, control, on_device, lists, start)? })
}

#[cfg(test)]
mod tests {
    use test_support::assert_same_layout;

    use super::*;

    #[test]
    fn structures_are_as_the_kernel_has_them() {
        assert_same_layout! { Crauser as "Crauser" of ["sssp/crauser.cu", "sssp/delta_stepping/search.cuh"]:
            graph, least_out, least_in, listed, keys, frontier, pieces, control, host, n_vertices,
            source, target, limit, lookahead, padding
        }
        assert_same_layout! { CrauserControl as "CrauserControl" of ["sssp/crauser.cu"]:
            rounds, arrived, trouble, stopped, n_rounds, relaxations, improvements, settled,
            padding
        }
    }
}
