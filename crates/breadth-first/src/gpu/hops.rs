//! Sums of hops from many sources on a GPU.

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId};
use paths::{HopSums, Progress};
use search_parts::{DeviceTimes, SearchError};

use super::batches::HopSearches;

/// Adds up the hops of one graph.
pub struct HopsOnGpu {
    gpu: Gpu,
    graph: Csr<u32>,
    /// Created on first use.
    searches: Option<HopSearches>,
}

impl HopsOnGpu {
    /// Stores its arguments; O(1).
    pub fn new(gpu: &Gpu, graph: Csr<u32>) -> Self {
        Self { gpu: gpu.clone(), graph, searches: None }
    }

    /// The sums, and the times on the device. `progress` gets the number of sources done.
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it, and [`SearchError::Gpu`] where the
    /// device fails or has too little memory.
    pub fn sums(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<(HopSums, DeviceTimes), SearchError> {
        let Self { gpu, graph, searches } = self;
        // a source without arcs reaches only itself, and would keep other searches from ending
        // early
        let (starts, ends): (Vec<_>, Vec<_>) =
            sources.iter().partition(|&&source| graph.out_degree(source) > 0);
        if starts.is_empty() {
            return Ok((sums_of_ends(graph.n_vertices(), &ends), DeviceTimes::default()));
        }
        let searches = match searches.take_if(|searches| searches.is_for(starts.len())) {
            Some(same) => searches.insert(same),
            None => searches.insert(HopSearches::new(gpu, graph, starts.len())?),
        };
        let (mut sums, times) = searches.sums(starts, progress)?;
        if !ends.is_empty() {
            sums.add(&sums_of_ends(graph.n_vertices(), &ends));
        }
        Ok((sums, times))
    }
}

/// The sums over searches from `sources`, none of which has an arc.
fn sums_of_ends(n_vertices: usize, sources: &[VertexId]) -> HopSums {
    let mut sums = HopSums::new(n_vertices);
    for &source in sources {
        sums.n_sources[source as usize] += 1;
    }
    if !sources.is_empty() {
        sums.by_hop.push(sources.len() as u64);
    }
    sums
}
