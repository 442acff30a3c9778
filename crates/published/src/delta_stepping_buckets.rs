//! Δ-stepping on a GPU by buckets and prefix sums, in the form of origin-four-families: one launch
//! a search.
//!
//! Each vertex has a word with its bucket. A prefix sum places the rows of a bucket's vertices one
//! after the other, and threads share their arcs. Light and heavy arcs are separated while they are
//! relaxed. The method, its barriers, and the differences from the paper and their reasons are in
//! `kernels/sssp/buckets.cu`. This file uploads the graph, launches and reads back. Weights are
//! 32-bit words, integers or floats; if a sum overflows 32 bits, the CPU repeats the search, with
//! sums as wide as the distance type.
//!
//! Work O(n + m), plus repeated work, which is counted: each item at most as often as a bucket has
//! light stages. For b non-empty buckets and l light stages, 2 b + l barriers, and one more for
//! each list of more than 1024 rows.
//!
//! Memory, for n vertices and m arcs: 68⅛ bytes a vertex, 8 bytes an arc, and 8 for each
//! multiprocessor; beside that, 128 MiB while the graph is uploaded.
//!
//! Reference: origin-four-families, meyer-sanders-2003

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu};
use graph_formats::{Csr, VertexId, Weight};
use search_parts::device::{KeyGraph, OneLaunchSearch, Parameters, RowsAt};
use search_parts::{Again, Kernels, Query, SearchError, Work};

/// Threads of a block, as `block_threads` in `buckets/search.cuh`.
const BLOCK: u32 = 1024;

/// `BucketSearch` of `buckets/search.cuh`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct BucketSearch {
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
pub(crate) struct BucketControl {
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

impl Parameters for BucketSearch {
    type Control = BucketControl;

    fn asking(self, query: &Query<'_, u32>, target: VertexId, host: u64) -> Self {
        Self { source: query.source, limit: query.limit, target, host, ..self }
    }

    fn work(control: &BucketControl) -> Option<Work> {
        // every arc of a vertex that was taken is relaxed at least once
        let again = Again {
            insertions: control.taken_again,
            relaxations: control.relaxations.saturating_sub(control.taken_arcs),
        };
        (control.trouble == 0).then_some(Work {
            relaxations: control.relaxations,
            improvements: control.improvements,
            settled: control.taken,
            rounds: control.phases,
            again: Some(again),
        })
    }
}

/// Uploads `graph`, which has no negative weights, for buckets of width `delta`. For integers the
/// width is rounded down, to at least 1. O(n + m).
pub(crate) fn buckets<W: Weight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    delta: f64,
) -> Result<OneLaunchSearch<BucketSearch>, SearchError> {
    let n = graph.n_vertices();
    let blocks = gpu.properties().multiprocessors;
    let words = 3 * n + n.div_ceil(32) + 4 * 3 * n + 2 * blocks as usize;
    let others = (4 * words + size_of::<BucketControl>()) as u64;
    let (on_device, kernel) = KeyGraph::upload(gpu, graph, others, |kind| {
        Ok(Kernels::of(gpu, &kernels::sssp::BUCKETS, kind)?.get("buckets")?)
    })?;
    let greatest = graph.weight_summary().greatest.to_f64();
    let prepare = |graph: &KeyGraph, keys: &Buffer<u32>, control: &Buffer<BucketControl>| {
        let (buckets, stamps) = (gpu.buffer::<u32>(n)?, gpu.buffer::<u32>(n)?);
        let lowest: Buffer<u32> = gpu.buffer(n.div_ceil(32))?;
        let list = || gpu.buffer::<[u32; 4]>(n);
        let lists = [list()?, list()?, list()?];
        let sums: Buffer<u64> = gpu.buffer(blocks as usize)?;
        let delta = (graph.kind.key(delta) as u32).max(1);
        let parameters = BucketSearch {
            graph: graph.rows.at(),
            keys: keys.address(),
            buckets: buckets.address(),
            lowest: lowest.address(),
            stamps: stamps.address(),
            lists: lists.each_ref().map(Buffer::address),
            sums: sums.address(),
            control: control.address(),
            n_vertices: n as u32,
            delta,
            has_heavy: (graph.kind.key(greatest) as u32 > delta).into(),
            ..BucketSearch::zeroed()
        };
        Ok((parameters, (buckets, lowest, stamps, lists, sums)))
    };
    // SAFETY: rows lie inside their arcs, which end at vertices; all other buffers have an element
    // for each vertex, `lowest` a bit, and `sums` an element for each block.
    unsafe { OneLaunchSearch::new(gpu, on_device, kernel, (blocks, BLOCK), prepare) }
}

#[cfg(test)]
test_support::layout_test! {
    BucketSearch as "BucketSearch" of ["sssp/buckets/search.cuh", "sssp/delta_stepping/search.cuh"]:
        graph, keys, buckets, lowest, stamps, lists, sums, control, host, n_vertices, source,
        target, limit, delta, has_heavy;
    BucketControl as "BucketControl" of ["sssp/buckets/search.cuh"]:
        arrived, trouble, stopped, total, listed, least, kept, padding, relaxations, improvements,
        taken, taken_again, taken_arcs, phases;
}
