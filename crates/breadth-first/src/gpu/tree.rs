//! The tree of a breadth-first search, from its levels.

use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, Ptx};
use graph_formats::{Direction, VertexId};
use search_parts::all_threads;
use search_parts::device::DeviceArcs;

static TREE: Ptx =
    Ptx::new(kernels::sssp::BREADTH_FIRST_TREE.name, kernels::sssp::BREADTH_FIRST_TREE.ptx);

/// The kernel of `breadth_first_tree.cu` for one direction of graph.
pub(super) struct TreePass {
    kernel: Kernel,
    both_ways: bool,
    rows_ascend: bool,
    chosen: Buffer<VertexId>,
}

impl TreePass {
    pub(super) fn load(
        gpu: &Gpu,
        direction: Direction,
        rows_ascend: bool,
        n_vertices: usize,
    ) -> Result<Self, GpuError> {
        let both_ways = direction == Direction::Undirected;
        let name = if both_ways { "breadth_first_tree" } else { "breadth_first_tree_of_arcs" };
        let (kernel, chosen) = (gpu.kernel(&TREE, name)?, gpu.buffer(n_vertices)?);
        Ok(Self { kernel, both_ways, rows_ascend, chosen })
    }

    /// The predecessors of vertices up to level `last`.
    pub(super) fn predecessors(
        &mut self,
        gpu: &Gpu,
        rows: &DeviceArcs,
        levels: &Buffer<u32>,
        last: u32,
    ) -> Result<Vec<VertexId>, GpuError> {
        self.chosen.fill_bytes(0xff)?;
        let n_vertices = levels.len() as u32;
        let of = [(&rows.offsets).into(), (&rows.ends).into(), levels.into()];
        let more: [Arg<'_>; 4] = match self.both_ways {
            true => [
                (&self.chosen).into(),
                n_vertices.into(),
                last.into(),
                u32::from(self.rows_ascend).into(),
            ],
            false => [
                (&self.chosen).into(),
                n_vertices.into(),
                (rows.ends.len() as u32).into(),
                last.into(),
            ],
        };
        let args: Vec<Arg<'_>> = of.into_iter().chain(more).collect();
        // SAFETY: threads read the rows, whose ends are vertices, and the levels, and write
        // `chosen`; levels and `chosen` have an element for each vertex.
        unsafe { gpu.launch(&self.kernel, all_threads(gpu), &args)? };
        self.chosen.download()
    }
}
