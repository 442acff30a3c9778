//! The shortest-path tree on a GPU, from the distances of a Bellman-Ford search there.
//!
//! The rule is that of `sssp::predecessors`; the method is in `kernels/sssp/edge_predecessors.cu`.
//! This is its host loop: one launch for the nearer predecessors, then one for each level of the
//! vertices without one, unless there are many levels. O(n + m) for each launch. 8 bytes a vertex;
//! a search with rows of arcs takes 4 bytes an arc more, for the tails.
//!
//! Reference: origin-segments

use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, Ptx};
use graph_formats::{Distance, VertexId, Weight, WeightKind};
use paths::Predecessors;

use super::keys;
use crate::{EDGES_PER_LAUNCH, Kernels, NO_VERTEX, SearchError, a_thread_each, length};

static PREPARE: Ptx = Ptx::new(kernels::sssp::PREPARE.name, kernels::sssp::PREPARE.ptx);

/// Levels at most: beyond, the CPU is faster, since it reads each arc once, and a launch reads all
/// edges for each level.
const MAX_LEVELS: u32 = 256;

/// The edges on the device, and the distances that a search left there.
#[derive(Clone, Copy)]
pub struct Searched<'a, W> {
    /// The tail of each edge.
    pub tails: &'a Buffer<VertexId>,
    /// The head of each edge.
    pub heads: &'a Buffer<VertexId>,
    /// The weight of each edge.
    pub weights: &'a Buffer<W>,
    /// The distance of each vertex, in the weights' type.
    pub distances: &'a Buffer<W>,
    /// Whether any weight is below zero.
    pub negative: bool,
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

    /// The predecessors of the vertices within `limit` of `source`, the source of the search; `None`
    /// if there are too many levels.
    ///
    /// # Safety
    /// All buffers of `searched` must be on `gpu`, the edges equally long, their ends vertices, and
    /// the distances of the kernels' type, one for each vertex.
    ///
    /// # Errors
    /// Where the device fails.
    pub unsafe fn predecessors<W: Weight>(
        &mut self,
        gpu: &Gpu,
        searched: Searched<'_, W>,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, GpuError> {
        if !self.choose(gpu, searched, source)? {
            return Ok(None);
        }
        let mut chosen = self.chosen.download()?;
        if limit < W::Distance::UNREACHED {
            // a vertex within the limit has a predecessor within it
            let distances = keys::download(searched.distances)?;
            let beyond = chosen.iter_mut().zip(distances).filter(|vertex| vertex.1 > limit);
            beyond.for_each(|(chosen, _)| *chosen = NO_VERTEX);
        }
        Ok(Some(Predecessors::from_storage(chosen)))
    }

    /// Chooses a predecessor for all vertices; false if that takes too many levels.
    fn choose<W: Weight>(
        &mut self,
        gpu: &Gpu,
        searched: Searched<'_, W>,
        source: VertexId,
    ) -> Result<bool, GpuError> {
        self.chosen.fill_bytes(0xff)?;
        self.mark.fill_bytes(0)?;
        if !searched.negative {
            self.all_edges(gpu, &self.nearer, searched, &[])?;
            if self.mark.download()?[0] == 0 {
                return Ok(true);
            }
        }
        let n = length(&self.chosen);
        let args = [(&self.chosen).into(), source.into(), (&self.levels).into(), n.into()];
        // SAFETY: threads read `chosen` and write `levels` below `n`, the length of both.
        unsafe { gpu.launch(&self.first_level, a_thread_each(n as usize), &args)? };
        self.mark.fill_bytes(0)?;
        for level in 1..=MAX_LEVELS {
            let more = [(&self.levels).into(), level.into()];
            self.all_edges(gpu, &self.next_level, searched, &more)?;
            if self.mark.download()?[0] != level {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Launches `kernel` over all edges; its arguments are those of `nearer`, then `more`.
    fn all_edges<W: Weight>(
        &self,
        gpu: &Gpu,
        kernel: &Kernel,
        searched: Searched<'_, W>,
        more: &[Arg<'_>],
    ) -> Result<(), GpuError> {
        for first in (0..searched.tails.len()).step_by(EDGES_PER_LAUNCH) {
            let count = EDGES_PER_LAUNCH.min(searched.tails.len() - first);
            let args = [
                searched.tails.into(),
                searched.heads.into(),
                searched.weights.into(),
                (first as u32).into(),
                (count as u32).into(),
                u32::from(self.both_ways).into(),
                searched.distances.into(),
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

/// The tree of a search that has rows of arcs on the device.
pub struct RowTree {
    /// Chooses the predecessors.
    pub tree: EdgeTree,
    /// The row of each arc.
    pub rows: Buffer<VertexId>,
}

impl RowTree {
    /// The tree in `place`, created if it is empty: for `n_arcs` arcs with weights of this type, in
    /// rows that begin at `offsets`; the last offset is `n_arcs`.
    pub fn made<'p>(
        place: &'p mut Option<Self>,
        gpu: &Gpu,
        weights: WeightKind,
        offsets: &Buffer<u32>,
        n_arcs: usize,
    ) -> Result<&'p mut Self, SearchError> {
        let empty = match place {
            Some(made) => return Ok(made),
            empty => empty,
        };
        let offsets: Vec<u64> = offsets.download()?.into_iter().map(u64::from).collect();
        let rows = expand_rows(gpu, &gpu.upload(&offsets)?, n_arcs)?;
        let tree = EdgeTree::load(gpu, weights, false, offsets.len() - 1)?;
        Ok(empty.insert(Self { tree, rows }))
    }
}

/// The row of each of `n_arcs` arcs, from the offsets of the rows; the last offset is `n_arcs`.
///
/// # Errors
/// Where the device fails or has too little memory.
pub fn expand_rows(
    gpu: &Gpu,
    row_offsets: &Buffer<u64>,
    n_arcs: usize,
) -> Result<Buffer<VertexId>, GpuError> {
    let kernel = gpu.kernel(&PREPARE, "expand_rows")?;
    let tails = gpu.buffer(n_arcs)?;
    let n_vertices = row_offsets.len().saturating_sub(1) as u32;
    let args = [row_offsets.into(), n_vertices.into(), (&tails).into(), length(&tails).into()];
    if n_arcs > 0 {
        // SAFETY: threads read `row_offsets`, one more than the vertices, and write `tails` below
        // its length; since there are arcs, there is a vertex.
        unsafe { gpu.launch(&kernel, a_thread_each(n_arcs), &args)? };
    }
    Ok(tails)
}
