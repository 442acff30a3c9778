//! The lengths of all shortest paths from the sources of teams, on a GPU.
//!
//! Searches by Δ-stepping, many at a time, leave a row for each source. A kernel puts the numbers of
//! some rows where the teams read them: those of a vertex side by side.

use gpu_runtime::{Gpu, Kernel};
use graph_formats::{Csr, VertexId, Weight};
use paths::Progress;
use search_parts::device::DeviceArcs;
use search_parts::{Kernels, all_threads};
use sssp::gpu::{Arrays, DeviceSolver, Indices};
use sssp::{SearchWeight, SsspError};

use super::teams::Teams;

/// Lengths of the rows that are found at a time, unless a row has more.
const MAX_LENGTHS: usize = 1 << 26;

/// Searches of one graph.
pub(super) struct LengthsOnGpu<U: Weight> {
    gpu: Gpu,
    solver: DeviceSolver<U>,
    place: Kernel,
    all: Vec<VertexId>,
}

impl<U: SearchWeight> LengthsOnGpu<U> {
    /// Uploads the graph. O(n + m).
    pub(super) fn new(gpu: &Gpu, graph: &Csr<U>) -> Result<Self, SsspError> {
        let DeviceArcs { offsets, ends } = DeviceArcs::upload(gpu, graph)?;
        let weights = gpu.upload(graph.weights())?;
        let (offsets, ends) = (Indices::U32(&offsets), Indices::U32(&ends));
        let solver = DeviceSolver::new(gpu, &Arrays { offsets, ends, weights: &weights })?;
        let kernels = Kernels::of(gpu, &kernels::centrality::PATH_PAIRS, U::KIND)?;
        let (place, all) = (kernels.get("place_lengths")?, graph.vertices().collect());
        Ok(Self { gpu: gpu.clone(), solver, place, all })
    }

    /// Finds the lengths of paths from these sources to all vertices, for `teams`.
    pub(super) fn find(
        &mut self,
        sources: &[VertexId],
        teams: &Teams<U>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), SsspError> {
        let n = self.all.len();
        let at_a_time = (MAX_LENGTHS / n).max(1);
        for (at, some) in sources.chunks(at_a_time).enumerate() {
            let rows = self.solver.table::<U>(some, &self.all, progress)?;
            let (first, n_rows) = ((at * at_a_time) as u32, some.len() as u32);
            let args = [
                teams.lengths().into(),
                (&*rows).into(),
                (n as u32).into(),
                (teams.width() as u32).into(),
                first.into(),
                n_rows.into(),
            ];
            // SAFETY: threads read the rows, a length for each vertex in each, and write those of
            // the teams, which have a length for each vertex and source.
            unsafe { self.gpu.launch(&self.place, all_threads(&self.gpu), &args)? };
            self.gpu.synchronize()?;
        }
        Ok(())
    }
}
