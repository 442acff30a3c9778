//! The shortest-path tree on a GPU, from the distances that Bellman-Ford has left there.
//!
//! The rule is that of [`crate::predecessors`], and the method stands in
//! `kernels/sssp/edge_predecessors.cu`: this is its host loop, one launch for the nearer
//! predecessors, and one for each level of those that a rule of levels gives, unless these
//! are many. O(n + m) for each launch, and 8 bytes a vertex.
//!
//! Reference: origin-segments

use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, Ptx};
use graph_formats::{VertexId, Weight, WeightKind};

use super::edge_kernels::{EDGES_A_LAUNCH, a_thread_each, of, unsupported};
use super::kernels::ptx;
use super::prepare::DeviceEdges;
use crate::SsspError;

static EDGE_PREDECESSORS_U32: Ptx = ptx(kernels::sssp::EDGE_PREDECESSORS_U32);
static EDGE_PREDECESSORS_I32: Ptx = ptx(kernels::sssp::EDGE_PREDECESSORS_I32);
static EDGE_PREDECESSORS_F32: Ptx = ptx(kernels::sssp::EDGE_PREDECESSORS_F32);
static EDGE_PREDECESSORS_F64: Ptx = ptx(kernels::sssp::EDGE_PREDECESSORS_F64);

/// Levels beyond which the CPU, which looks at each arc once, is faster than a look at all
/// edges for each of them.
const MOST_LEVELS: u32 = 256;

/// The kernels of `edge_predecessors.cu` for one type of weights, and what they write.
pub(super) struct EdgeTree {
    nearer: Kernel,
    first_level: Kernel,
    next_level: Kernel,
    both_ways: bool,
    chosen: Buffer<VertexId>,
    levels: Buffer<u32>,
    mark: Buffer<u32>,
}

impl EdgeTree {
    /// Those for `W`.
    pub(super) fn load<W: Weight>(
        gpu: &Gpu,
        both_ways: bool,
        n_vertices: usize,
    ) -> Result<Self, SsspError> {
        let (module, [nearer, first_level, next_level]) = match W::KIND {
            WeightKind::I32 => {
                (&EDGE_PREDECESSORS_I32, ["nearer_i32", "first_level_i32", "next_level_i32"])
            }
            WeightKind::F32 => {
                (&EDGE_PREDECESSORS_F32, ["nearer_f32", "first_level_f32", "next_level_f32"])
            }
            WeightKind::F64 => {
                (&EDGE_PREDECESSORS_F64, ["nearer_f64", "first_level_f64", "next_level_f64"])
            }
            WeightKind::U32 => {
                (&EDGE_PREDECESSORS_U32, ["nearer_u32", "first_level_u32", "next_level_u32"])
            }
            kind => return Err(unsupported(kind)),
        };
        Ok(Self {
            nearer: gpu.kernel(module, nearer)?,
            first_level: gpu.kernel(module, first_level)?,
            next_level: gpu.kernel(module, next_level)?,
            both_ways,
            chosen: gpu.buffer(n_vertices)?,
            levels: gpu.buffer(n_vertices)?,
            mark: gpu.buffer(1)?,
        })
    }

    /// The predecessors that belong to `distances` from `source`; `u32::MAX` is no vertex.
    /// `negative` says whether any weight is. `None` where there are too many levels.
    pub(super) fn predecessors<W: Weight>(
        &mut self,
        gpu: &Gpu,
        edges: &DeviceEdges<W>,
        distances: &Buffer<W>,
        source: VertexId,
        negative: bool,
    ) -> Result<Option<Vec<VertexId>>, GpuError> {
        self.chosen.fill_bytes(0xff)?;
        self.mark.fill_bytes(0)?;
        if !negative {
            self.all_edges(gpu, &self.nearer, edges, distances, &[])?;
            if self.mark.download()?[0] == 0 {
                return self.chosen.download().map(Some);
            }
        }
        let n = of(&self.chosen);
        let args = [(&self.chosen).into(), source.into(), (&self.levels).into(), n.into()];
        // SAFETY: threads read `chosen` and write `levels` below `n`, which both have.
        unsafe { gpu.launch(&self.first_level, a_thread_each(n as usize), &args)? };
        self.mark.fill_bytes(0)?;
        for level in 1..=MOST_LEVELS {
            let more = [(&self.levels).into(), level.into()];
            self.all_edges(gpu, &self.next_level, edges, distances, &more)?;
            if self.mark.download()?[0] != level {
                return self.chosen.download().map(Some);
            }
        }
        Ok(None)
    }

    /// Launches `kernel`, which takes what `nearer` does and then `more`, over all edges.
    fn all_edges<W: Weight>(
        &self,
        gpu: &Gpu,
        kernel: &Kernel,
        edges: &DeviceEdges<W>,
        distances: &Buffer<W>,
        more: &[Arg<'_>],
    ) -> Result<(), GpuError> {
        for first in (0..edges.len()).step_by(EDGES_A_LAUNCH) {
            let count = EDGES_A_LAUNCH.min(edges.len() - first);
            let args = [
                (&edges.tails).into(),
                (&edges.heads).into(),
                (&edges.weights).into(),
                (first as u32).into(),
                (count as u32).into(),
                u32::from(self.both_ways).into(),
                distances.into(),
                (&self.chosen).into(),
                (&self.mark).into(),
            ];
            let args: Vec<Arg<'_>> = args.iter().chain(more).copied().collect();
            // SAFETY: threads read the edges from `first` on, `count` of them, which there
            // are; the ends of edges are vertices, and `distances`, of the kernel's type,
            // `chosen` and `levels` have a place for each.
            unsafe { gpu.launch(kernel, a_thread_each(count), &args)? };
        }
        Ok(())
    }
}
