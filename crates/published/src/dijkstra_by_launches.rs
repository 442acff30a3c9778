//! Dijkstra's algorithm as three kernels that the CPU launches, as published: for measurements
//! beside the form that is one launch.
//!
//! Initialise; then, until no label is left, [extract the least](ExtractMin) and relax its row. The
//! CPU reads the least label of every turn, as the paper's does, and stops when there is none.
//! O(s n) work for s settled vertices besides the arcs; two or three launches and a wait a turn.
//! Memory: 16 bytes a vertex and 8 an arc.
//!
//! Differences from the paper: the relaxing kernel reads the vertex where the extraction left it,
//! and warps reduce by shuffles.
//!
//! Reference: origin-four-families, dijkstra-1959

use gpu_runtime::{Buffer, Gpu, Kernel, LaunchConfig};
use graph_formats::{Csr, VertexId, WeightKind};
use kernels::sssp::DIJKSTRA_STEPS_U32;
use paths::Distances;
use search_parts::device::KeyGraph;
use search_parts::{Kernels, SearchError, check_vertices};

use super::extract_min::{ExtractMin, Reduction};
use crate::settings::BlockSize;

/// Threads of a block of both kernels.
const BLOCK: u32 = 256;
/// Blocks that initialise the vertices, and at most those that relax a row.
const BLOCKS: u32 = 1024;

/// A graph with 32-bit weights on a GPU, ready for searches.
pub struct DijkstraByLaunches {
    gpu: Gpu,
    graph: KeyGraph,
    initial: Kernel,
    relax: Kernel,
    extraction: ExtractMin,
    keys: Buffer<u32>,
    trouble: Buffer<u32>,
    /// Blocks that relax the longest row, an arc a thread.
    row_blocks: u32,
}

impl DijkstraByLaunches {
    /// Uploads `graph`. O(n + m).
    ///
    /// # Errors
    /// [`SearchError::NotOnGpu`] for too many vertices or arcs; [`SearchError::Gpu`] when the
    /// device fails or has too little memory.
    pub fn new(gpu: &Gpu, graph: &Csr<u32>, block: BlockSize) -> Result<Self, SearchError> {
        let n = graph.n_vertices();
        let extraction = ExtractMin::new(gpu, Reduction::Shuffles(block), &vec![u32::MAX; n])?;
        let (graph_there, kernels) = KeyGraph::upload(gpu, graph, n as u64 * 4, |_| {
            Kernels::of(gpu, &[DIJKSTRA_STEPS_U32], WeightKind::U32)
        })?;
        let longest = graph.vertices().map(|v| graph.out_degree(v)).max().unwrap_or(0);
        Ok(Self {
            gpu: gpu.clone(),
            graph: graph_there,
            initial: kernels.get("dijkstra_initial")?,
            relax: kernels.get("dijkstra_relax")?,
            extraction,
            keys: gpu.buffer(n)?,
            trouble: gpu.buffer(1)?,
            row_blocks: (longest as u32).div_ceil(BLOCK).clamp(1, BLOCKS),
        })
    }

    /// The distances from `source`, and the number of settled vertices.
    ///
    /// # Errors
    /// [`SearchError::NoSuchVertex`]; [`SearchError::NotOnGpu`] if a sum does not fit 32 bits;
    /// [`SearchError::Gpu`] when the device fails.
    pub fn distances(&mut self, source: VertexId) -> Result<(Distances<u64>, u64), SearchError> {
        let Self { gpu, graph, initial, relax, extraction, keys, trouble, row_blocks } = self;
        let n = keys.len() as u32;
        check_vertices(keys.len(), "source", &[source])?;
        trouble.fill_bytes(0)?;
        let labels = extraction.labels();
        let n_labels = labels.len() as u32;
        let args = [labels.into(), (&*keys).into(), n_labels.into(), n.into(), source.into()];
        // SAFETY: threads write `labels` below its length, and `keys` below its own.
        unsafe { gpu.launch(initial, LaunchConfig::new(BLOCKS, BLOCK), &args)? };
        let mut settled = 0;
        while extraction.run()?.is_some() {
            let (labels, least) = (extraction.labels(), extraction.least());
            let rows = &graph.rows;
            let args = [
                rows.bounds().into(),
                rows.arcs().into(),
                least.into(),
                labels.into(),
                (&*keys).into(),
                (&*trouble).into(),
            ];
            // SAFETY: `least` names a vertex, since there is a label; its row lies inside the arcs,
            // which end at vertices; labels and keys have an element for each.
            unsafe { gpu.launch(relax, LaunchConfig::new(*row_blocks, BLOCK), &args)? };
            settled += 1;
        }
        if trouble.download()?[0] != 0 {
            let reason =
                "this form has distances of 32 bits, and a sum needs more; use dijkstra".to_owned();
            return Err(SearchError::NotOnGpu { reason });
        }
        let found = keys.download()?;
        let distance = |key: u32| (key != u32::MAX).then_some(u64::from(key));
        Ok((found.into_iter().map(distance).collect(), settled))
    }
}
