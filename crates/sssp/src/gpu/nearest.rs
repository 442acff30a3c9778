//! The nearest of several sources for every vertex, on a GPU, from the keys of a search from all
//! of them.
//!
//! The method is described in `kernels/sssp/nearest.cu`: rounds broadcast the smallest source along
//! tight arcs until nothing changes. One launch; O(n + m) and a barrier for each hop if no vertex
//! has ties; four bytes a vertex, besides the lists of the search.
//!
//! Difference from the CPU's `cpu/nearest.rs`: there, one search compares pairs of a distance and a
//! source, which are too wide for an atomic operation on a GPU.
//!
//! Reference: dijkstra-1959

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu};
use graph_formats::VertexId;
use search_parts::device::{KeyGraph, RowsAt};
use search_parts::{Kernels, two_blocks_each};

use super::multi_source::Owners;
use super::work_space::WorkSpace;
use crate::SsspError;

/// `NearestControl` of `nearest.cu`.
type Control = [u32; 8];

/// `Nearest` of `nearest.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Nearest {
    graph: RowsAt,
    keys: u64,
    sources: u64,
    owners: u64,
    stamps: u64,
    lists: [u64; 2],
    pieces: u64,
    control: u64,
    n_vertices: u32,
    n_sources: u32,
}

/// The nearest of `sources`, which are distinct, for every vertex of `graph`, by the keys in
/// `work_space`, whose lists are overwritten; `u32::MAX` for unreached vertices.
pub(super) fn owners(
    gpu: &Gpu,
    graph: &KeyGraph,
    work_space: &WorkSpace,
    sources: &[VertexId],
) -> Result<Owners, SsspError> {
    let kernel = Kernels::of(gpu, &kernels::sssp::NEAREST, graph.kind)?.get("nearest")?;
    let n = graph.rows.bounds().len();
    let WorkSpace { keys, near, far, pieces, .. } = work_space;
    let (sources, owners) = (gpu.upload(sources)?, gpu.buffer::<VertexId>(n)?);
    let mut control: Buffer<Control> = gpu.buffer(1)?;
    control.fill_bytes(0)?;
    let nearest = Nearest {
        graph: graph.rows.at(),
        keys: keys.address(),
        sources: sources.address(),
        owners: owners.address(),
        stamps: near[0].address(),
        lists: [far[0].address(), far[1].address()],
        pieces: pieces[0].address(),
        control: control.address(),
        n_vertices: n as u32,
        n_sources: sources.len() as u32,
    };
    // SAFETY: the kernel reads graph, keys and sources. It writes owners and lists, which have
    // a place of four bytes for each vertex, and pieces, of which there are as many as
    // `arcs.cuh` requires. All buffers are of `gpu`.
    unsafe { gpu.launch(&kernel, two_blocks_each(gpu), &[Arg::structure(&nearest)])? };
    Ok(owners.download()?)
}

#[cfg(test)]
test_support::layout_test! {
    Nearest as "Nearest" of ["sssp/nearest.cu", "sssp/delta_stepping/search.cuh"]:
        graph, keys, sources, owners, stamps, lists, pieces, control, n_vertices, n_sources;
    Control as "NearestControl" of ["sssp/nearest.cu"];
}
