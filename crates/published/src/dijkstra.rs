//! Dijkstra's algorithm by parallel reductions on a GPU: one launch a search.
//!
//! The method is in `kernels/sssp/dijkstra.cu`. The label of an unsettled vertex is its key. A turn
//! finds the least label, by a reduction inside each block and one over the blocks' results. Then
//! it settles that vertex and relaxes its row. This file uploads the graph, distributes the
//! vertices over blocks, launches and reads back.
//!
//! For s settled vertices, s turns, each with a grid barrier and a scan of n labels: O(s n) work in
//! all besides the arcs. Small graphs run in one block, without a grid barrier. Memory, for n
//! vertices and m arcs: 16 bytes a vertex and 8 an arc; beside that, 128 MiB while the graph is
//! uploaded.
//!
//! Differences from the paper: the whole loop is one launch, where the paper's CPU starts each
//! step. Vertices belong to blocks, and each block relaxes the arcs of the row that end in its own
//! part, so a turn has one grid barrier and not two. Warps reduce by shuffles
//! (`kernels/sssp/reduction.cuh`).
//!
//! Reference: origin-four-families, dijkstra-1959

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu};
use graph_formats::{Csr, VertexId, Weight};
use search_parts::device::{KeyGraph, OneLaunchSearch, Parameters, RowsAt};
use search_parts::{Kernels, Query, SearchError, Work};

use crate::settings::BlockSize;

/// Labels of a thread up to which one block takes the whole graph: a grid barrier would cost more
/// than it saves.
const MAX_LABELS_ALONE: usize = 64;
/// Labels of a thread in a launch of several blocks, but not yet of one on every multiprocessor.
const LABELS_PER_THREAD: usize = 16;

/// `Dijkstra` of `dijkstra.cu`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Dijkstra {
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
pub(crate) struct DijkstraControl {
    arrived: u32,
    trouble: u32,
    stopped: u32,
    settled: u32,
    relaxations: u64,
    improvements: u64,
}

impl Parameters for Dijkstra {
    type Control = DijkstraControl;

    fn asking(self, query: &Query<'_, u32>, target: VertexId, host: u64) -> Self {
        Self { source: query.source, limit: query.limit, target, host, ..self }
    }

    fn work(control: &DijkstraControl) -> Option<Work> {
        (control.trouble == 0).then_some(Work {
            relaxations: control.relaxations,
            improvements: control.improvements,
            settled: control.settled.into(),
            rounds: control.settled.into(),
            again: None,
        })
    }
}

/// The number of blocks that share `n` labels, of `threads` threads and at most `most` blocks, and
/// the labels of a block: a multiple of four.
pub(crate) fn shares(n: usize, threads: u32, most: u32) -> (u32, u32) {
    let threads = threads as usize;
    let blocks = match n {
        n if n <= MAX_LABELS_ALONE * threads => 1,
        n => n.div_ceil(LABELS_PER_THREAD * threads).min(most as usize).max(1),
    };
    let share = n.div_ceil(blocks).next_multiple_of(4);
    (blocks as u32, share as u32)
}

/// Uploads `graph`, which has no negative weights. O(n + m).
pub(crate) fn dijkstra<W: Weight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    block: BlockSize,
) -> Result<OneLaunchSearch<Dijkstra>, SearchError> {
    let n = graph.n_vertices();
    let (blocks, share) = shares(n, block.threads(), gpu.properties().multiprocessors);
    let words = n + n.next_multiple_of(4) + 4 * blocks as usize;
    let others = (4 * words + size_of::<DijkstraControl>()) as u64;
    let (on_device, kernel) = KeyGraph::upload(gpu, graph, others, |kind| {
        let kernels = Kernels::of(gpu, &kernels::sssp::DIJKSTRA, kind)?;
        Ok(kernels.get(&format!("dijkstra_{}", block.threads()))?)
    })?;
    let prepare = |graph: &KeyGraph, keys: &Buffer<u32>, control: &Buffer<DijkstraControl>| {
        let labels: Buffer<u32> = gpu.buffer(n.next_multiple_of(4))?;
        let of_blocks: Buffer<u64> = gpu.buffer(2 * blocks as usize)?;
        let parameters = Dijkstra {
            graph: graph.rows.at(),
            labels: labels.address(),
            keys: keys.address(),
            of_blocks: of_blocks.address(),
            control: control.address(),
            n_vertices: n as u32,
            share,
            ..Dijkstra::zeroed()
        };
        Ok((parameters, (labels, of_blocks)))
    };
    let shape = (blocks, block.threads());
    // SAFETY: rows lie inside their arcs, which end at vertices; keys and labels have an element
    // for each vertex, labels up to a multiple of four, and `of_blocks` two for each block.
    unsafe { OneLaunchSearch::new(gpu, on_device, kernel, shape, prepare) }
}

#[cfg(test)]
test_support::layout_test! {
    Dijkstra as "Dijkstra" of ["sssp/dijkstra.cu", "sssp/delta_stepping/search.cuh"]:
        graph, labels, keys, of_blocks, control, host, n_vertices, source, target, share, limit,
        padding;
    DijkstraControl as "DijkstraControl" of ["sssp/dijkstra.cu"]:
        arrived, trouble, stopped, settled, relaxations, improvements;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_share_all_labels() {
        for threads in BlockSize::ALL.map(|block| block.1.threads()) {
            for n in [0, 1, 3, 4, 5, 8191, 8192, 8193, 65_537, 1_000_003, 100_000_000] {
                let (blocks, share) = shares(n, threads, 132);
                assert!((1..=132).contains(&blocks) && share % 4 == 0, "{n}: {blocks}, {share}");
                assert!(u64::from(blocks) * u64::from(share) >= n as u64, "{n}, {threads}");
            }
        }
        assert_eq!(shares(32_768, 512, 132), (1, 32_768));
        assert_eq!(shares(32_769, 512, 132).0, 5);
        let most = search_parts::MAX_VERTICES;
        let (blocks, share) = shares(most, 128, 132);
        // numbers of vertices stay below 2^32, with the steps of loops beyond the end
        assert!(u64::from(blocks) * u64::from(share) + 4 * 1024 < 1 << 32);
    }
}
