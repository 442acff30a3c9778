//! The shortest-path tree on a GPU, from the keys of a search there.
//!
//! The rule is that of `sssp::predecessors`; the method is in `kernels/sssp/predecessors.cu`. One
//! launch, O(n + m); for arcs that add nothing, a grid barrier for each level. Four bytes a vertex,
//! and three lists of the same size, which may be those of the search.
//!
//! Reference: meyer-sanders-2003

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig};
use graph_formats::VertexId;

use super::graph::{KeyGraph, RowsAt};
use super::keys::KeyKind;
use crate::{Kernels, SearchError, two_blocks_each};

/// `TreeControl` of `predecessors.cu`.
type Control = [u32; 6];

/// `Tree` of `predecessors.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Tree {
    graph: RowsAt,
    keys: u64,
    chosen: u64,
    levels: u64,
    lists: [u64; 2],
    control: u64,
    n_arcs: u64,
    limit: u64,
    n_vertices: u32,
    source: u32,
}

/// The kernel of `predecessors.cu`.
pub struct TreeKernel {
    kernel: Kernel,
    shape: LaunchConfig,
    chosen: Buffer<VertexId>,
    control: Buffer<Control>,
}

impl TreeKernel {
    /// Bytes for `n_vertices` vertices.
    pub fn bytes(n_vertices: usize) -> u64 {
        (n_vertices * size_of::<VertexId>() + size_of::<Control>()) as u64
    }

    /// Loads the kernel for keys of `kind`.
    ///
    /// # Errors
    /// Where the device fails or has too little memory.
    pub fn load(gpu: &Gpu, kind: KeyKind, n_vertices: usize) -> Result<Self, SearchError> {
        Ok(Self {
            kernel: Kernels::of(gpu, &kernels::sssp::PREDECESSORS, kind)?.get("predecessors")?,
            shape: two_blocks_each(gpu),
            chosen: gpu.buffer(n_vertices)?,
            control: gpu.buffer(1)?,
        })
    }

    /// The predecessors of the vertices whose keys are at most `limit`, left on the device;
    /// `u32::MAX` for no predecessor. A search of `graph` from `source` left the keys at the address
    /// `keys`. Overwrites `lists`.
    ///
    /// # Safety
    /// `keys` must be the address of a key of the graph's kind for each vertex, and `lists` must
    /// have an entry of at least four bytes for each. All must be on `gpu`, as the graph is.
    ///
    /// # Errors
    /// Where the device fails.
    pub unsafe fn choose<T>(
        &mut self,
        gpu: &Gpu,
        graph: &KeyGraph,
        keys: u64,
        lists: [&Buffer<T>; 3],
        source: VertexId,
        limit: u64,
    ) -> Result<&mut Buffer<VertexId>, GpuError> {
        let [levels, first, second] = lists.map(Buffer::address);
        let tree = Tree {
            graph: graph.rows.at(),
            keys,
            chosen: self.chosen.address(),
            levels,
            lists: [first, second],
            control: self.control.address(),
            n_arcs: graph.rows.n_arcs() as u64,
            limit: graph.kind.at_most(limit),
            n_vertices: self.chosen.len() as u32,
            source,
        };
        self.control.fill_bytes(0)?;
        // SAFETY: the kernel reads graph and keys, and writes `chosen` and the lists, all of which
        // have at least four bytes for each vertex, and are of `gpu`.
        unsafe { gpu.launch(&self.kernel, self.shape, &[Arg::structure(&tree)])? };
        Ok(&mut self.chosen)
    }
}

#[cfg(test)]
test_support::layout_test! {
    Tree as "Tree" of ["sssp/predecessors.cu", "sssp/delta_stepping/search.cuh"]:
        graph, keys, chosen, levels, lists, control, n_arcs, limit, n_vertices, source;
    Control as "TreeControl" of ["sssp/predecessors.cu"];
}
