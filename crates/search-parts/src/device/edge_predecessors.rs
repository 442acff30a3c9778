//! The shortest-path tree on a GPU, from the distances of a Bellman-Ford search there.
//!
//! The rule is that of `sssp::predecessors`; the method is in `kernels/sssp/edge_predecessors.cu`.
//! This is its host loop: one launch for the nearer predecessors, then one for each level of the
//! vertices without one, unless there are many levels. O(n + m) for each launch. 8 bytes a vertex;
//! a search with rows of arcs takes 4 bytes an arc more, for the tails.
//!
//! Reference: origin-segments

use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, Ptx};
use graph_formats::{VertexId, Weight, WeightKind};

use crate::{EDGES_PER_LAUNCH, Kernels, SearchError, a_thread_each, length};

static PREPARE: Ptx = Ptx::new(kernels::sssp::PREPARE.name, kernels::sssp::PREPARE.ptx);

/// Levels at most: beyond, the CPU is faster, since it reads each arc once, and a launch reads all
/// edges for each level.
const MAX_LEVELS: u32 = 256;

/// Edges on a device, as many in each buffer.
#[derive(Clone, Copy)]
pub struct Edges<'a, W> {
    /// The tail of each edge.
    pub tails: &'a Buffer<VertexId>,
    /// The head of each edge.
    pub heads: &'a Buffer<VertexId>,
    /// The weight of each edge.
    pub weights: &'a Buffer<W>,
}

/// The kernels of `edge_predecessors.cu` for one weight type, and their results.
pub struct EdgeTree {
    nearer: Kernel,
    first_level: Kernel,
    next_level: Kernel,
    both_ways: bool,
    chosen: Buffer<VertexId>,
    levels: Buffer<u32>,
    mark: Buffer<u32>,
}

impl EdgeTree {
    /// Loads the kernels for weights of this type.
    pub fn load(
        gpu: &Gpu,
        weights: WeightKind,
        both_ways: bool,
        n_vertices: usize,
    ) -> Result<Self, SearchError> {
        let kernels = Kernels::of(gpu, &kernels::sssp::EDGE_PREDECESSORS, weights)?;
        Ok(Self {
            nearer: kernels.get("nearer")?,
            first_level: kernels.get("first_level")?,
            next_level: kernels.get("next_level")?,
            both_ways,
            chosen: gpu.buffer(n_vertices)?,
            levels: gpu.buffer(n_vertices)?,
            mark: gpu.buffer(1)?,
        })
    }

    /// The predecessors of all vertices by the distances that a search left, with weights of which
    /// some may be `negative`; `u32::MAX` for no predecessor. `None` if there are too many levels.
    ///
    /// # Safety
    /// All buffers must be on `gpu`, the edges equally many in each, their ends vertices, and the
    /// distances of the kernels' type, one for each vertex.
    // not inlined: a caller of another crate would have all of it
    #[inline(never)]
    pub(super) unsafe fn predecessors<W: Weight>(
        &mut self,
        gpu: &Gpu,
        edges: Edges<'_, W>,
        distances: &Buffer<W>,
        negative: bool,
        source: VertexId,
    ) -> Result<Option<Vec<VertexId>>, GpuError> {
        self.chosen.fill_bytes(0xff)?;
        self.mark.fill_bytes(0)?;
        if !negative {
            self.all_edges(gpu, &self.nearer, edges, distances, &[])?;
            if self.mark.download()?[0] == 0 {
                return self.chosen.download().map(Some);
            }
        }
        let n = length(&self.chosen);
        let args = [(&self.chosen).into(), source.into(), (&self.levels).into(), n.into()];
        // SAFETY: threads read `chosen` and write `levels` below `n`, the length of both.
        unsafe { gpu.launch(&self.first_level, a_thread_each(n as usize), &args)? };
        self.mark.fill_bytes(0)?;
        for level in 1..=MAX_LEVELS {
            let more = [(&self.levels).into(), level.into()];
            self.all_edges(gpu, &self.next_level, edges, distances, &more)?;
            if self.mark.download()?[0] != level {
                return self.chosen.download().map(Some);
            }
        }
        Ok(None)
    }

    /// Launches `kernel` over all edges; its arguments are those of `nearer`, then `more`.
    fn all_edges<W: Weight>(
        &self,
        gpu: &Gpu,
        kernel: &Kernel,
        Edges { tails, heads, weights }: Edges<'_, W>,
        distances: &Buffer<W>,
        more: &[Arg<'_>],
    ) -> Result<(), GpuError> {
        for first in (0..tails.len()).step_by(EDGES_PER_LAUNCH) {
            let count = EDGES_PER_LAUNCH.min(tails.len() - first);
            let args = [
                tails.into(),
                heads.into(),
                weights.into(),
                (first as u32).into(),
                (count as u32).into(),
                u32::from(self.both_ways).into(),
                distances.into(),
                (&self.chosen).into(),
                (&self.mark).into(),
            ];
            let args: Vec<Arg<'_>> = args.iter().chain(more).copied().collect();
            // SAFETY: threads read `count` edges from `first` on, which exist; the ends of edges
            // are vertices, and `distances`, of the kernel's type, `chosen` and `levels` have an
            // element for each.
            unsafe { gpu.launch(kernel, a_thread_each(count), &args)? };
        }
        Ok(())
    }
}

/// The row of each of `n_arcs` arcs in `place`, [expanded](expand_rows) if it is empty.
///
/// # Errors
/// Where the device fails or has too little memory.
pub fn expanded<'p>(
    place: &'p mut Option<Buffer<VertexId>>,
    gpu: &Gpu,
    offsets: &Buffer<u32>,
    n_arcs: usize,
) -> Result<&'p Buffer<VertexId>, GpuError> {
    if place.is_none() {
        let offsets: Vec<u64> = offsets.download()?.into_iter().map(u64::from).collect();
        *place = Some(expand_rows(gpu, &gpu.upload(&offsets)?, n_arcs)?);
    }
    Ok(place.as_ref().expect("it was filled"))
}

/// The row of each of `n_arcs` arcs, from the offsets of the rows; the last offset is `n_arcs`.
///
/// # Errors
/// Where the device fails or has too little memory.
///
/// # Panics
/// If there are arcs, but no row.
pub fn expand_rows(
    gpu: &Gpu,
    row_offsets: &Buffer<u64>,
    n_arcs: usize,
) -> Result<Buffer<VertexId>, GpuError> {
    assert!(n_arcs == 0 || row_offsets.len() > 1, "{n_arcs} arcs, and no row");
    let kernel = gpu.kernel(&PREPARE, "expand_rows")?;
    let tails = gpu.buffer(n_arcs)?;
    let n_vertices = row_offsets.len().saturating_sub(1) as u32;
    let args = [row_offsets.into(), n_vertices.into(), (&tails).into(), length(&tails).into()];
    if n_arcs > 0 {
        // SAFETY: threads read `row_offsets`, one more than the vertices, and write `tails` below
        // its length; since there are arcs, there is a row.
        unsafe { gpu.launch(&kernel, a_thread_each(n_arcs), &args)? };
    }
    Ok(tails)
}
