//! The shortest-path tree on a GPU, from the keys that a search has left there.
//!
//! The rule is that of [`crate::predecessors`], and the method stands in
//! `kernels/sssp/predecessors.cu`. One launch, O(n + m); where arcs add nothing, a barrier
//! of the grid for each level. Four bytes a vertex, and the memory of the search's lists.
//!
//! Reference: meyer-sanders-2003

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig, Ptx};
use graph_formats::VertexId;

use super::kernels::ptx;
use super::memory::{RowsAt, Search, WorkSpace};
use super::words::Arithmetic;

static PREDECESSORS_U32: Ptx = ptx(kernels::sssp::PREDECESSORS_U32);
static PREDECESSORS_F32: Ptx = ptx(kernels::sssp::PREDECESSORS_F32);

/// Threads of a block, and blocks of a multiprocessor: what its source says.
const BLOCK: u32 = 512;
const BLOCKS: u32 = 2;

/// `TreeControl` of `predecessors.cu`.
type Control = [u32; 6];

/// `Tree` of `predecessors.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct TreeAt {
    graph: RowsAt,
    keys: u64,
    chosen: u64,
    levels: u64,
    lists: [u64; 2],
    control: u64,
    n_arcs: u64,
    n_vertices: u32,
    source: u32,
    limit: u32,
    padding: u32,
}

/// The kernel of `predecessors.cu`.
pub(super) struct TreeKernel {
    kernel: Kernel,
    shape: LaunchConfig,
    chosen: Buffer<VertexId>,
    control: Buffer<Control>,
}

impl TreeKernel {
    /// Bytes for `n_vertices` vertices.
    pub(super) fn bytes(n_vertices: usize) -> u64 {
        (n_vertices * size_of::<VertexId>() + size_of::<Control>()) as u64
    }

    pub(super) fn load(
        gpu: &Gpu,
        arithmetic: Arithmetic,
        n_vertices: usize,
    ) -> Result<Self, GpuError> {
        let (module, name) = match arithmetic {
            Arithmetic::U32 => (&PREDECESSORS_U32, "predecessors_u32"),
            Arithmetic::F32 => (&PREDECESSORS_F32, "predecessors_f32"),
        };
        // so many blocks are resident at once on every device, as a barrier needs
        let shape = LaunchConfig::new(gpu.properties().multiprocessors * BLOCKS, BLOCK);
        Ok(Self {
            kernel: gpu.kernel(module, name)?,
            shape: LaunchConfig { cooperative: true, ..shape },
            chosen: gpu.buffer(n_vertices)?,
            control: gpu.buffer(1)?,
        })
    }

    /// The predecessors of the vertices with keys up to `limit` in `work_space`, which is
    /// that of one `search` from `source`, with lists for all vertices; the lists are
    /// overwritten. `u32::MAX` is no vertex.
    pub(super) fn predecessors(
        &mut self,
        gpu: &Gpu,
        search: &Search,
        work_space: &mut WorkSpace,
        source: VertexId,
        limit: u32,
    ) -> Result<Vec<VertexId>, GpuError> {
        let tree = TreeAt {
            graph: search.graph,
            keys: search.keys,
            chosen: self.chosen.address(),
            levels: work_space.near[0].address(),
            lists: [work_space.far[0].address(), work_space.far[1].address()],
            control: self.control.address(),
            n_arcs: search.n_arcs,
            n_vertices: search.n_vertices,
            source,
            limit,
            padding: 0,
        };
        self.control.fill_bytes(0)?;
        // SAFETY: the kernel reads graph and keys, and writes chosen, of as many words as
        // there are vertices, and levels and lists, which lie in lists of eight bytes a
        // vertex and take four; all are of `gpu`.
        unsafe { gpu.launch(&self.kernel, self.shape, &[Arg::structure(&tree)])? };
        self.chosen.download()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::layout::{assert_same_layout, of_kernel, source};

    #[test]
    fn structures_are_as_the_kernel_has_them() {
        assert_same_layout! { TreeAt as "Tree" of ["predecessors.cu", "delta_stepping/search.cuh"]:
            graph, keys, chosen, levels, lists, control, n_arcs, n_vertices, source, limit,
            padding
        }
        let source = source!("predecessors.cu");
        assert_eq!(of_kernel(&[source], "TreeControl").size, size_of::<Control>());
    }
}
