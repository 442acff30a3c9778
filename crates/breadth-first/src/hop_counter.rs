//! Sums of hops from many sources, on the CPU or GPUs.

use std::num::NonZeroUsize;

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, Weight};
use paths::{HopSums, Progress};
use search_parts::{DeviceTimes, Pool, SearchError, check_vertices, unless_out_of_memory};

use crate::gpu::{HopSearches, hop_sums};
use crate::many::ManySources;

/// Counts the arcs on shortest paths from many sources; weights are ignored.
///
/// ```
/// use breadth_first::HopCounter;
/// use graph_formats::Csr;
///
/// let graph = Csr::from_edges(4, &[(0, 1, 9u32), (1, 2, 9)])?;
/// let sums = HopCounter::new(&graph, &[], None).sums(&[0, 1, 2, 3], None)?;
/// assert_eq!((sums.n_sources, sums.sums), (vec![3, 3, 3, 1], vec![3, 2, 3, 0]));
/// assert_eq!((sums.greatest, sums.by_hop), (vec![2, 1, 2, 0], vec![4, 4, 2]));
/// assert_eq!(sums.reciprocals[0], (1 << 64) + (1 << 63));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HopCounter {
    graph: Csr<u32>,
    gpus: Vec<Gpu>,
    /// One for each GPU, created on first use.
    searches: Vec<HopSearches>,
    times: Option<DeviceTimes>,
    threads: Option<NonZeroUsize>,
    pool: Pool,
}

impl HopCounter {
    /// Counts on `gpus` if any are given, else on `threads` threads of the CPU, by default all of
    /// the current pool. O(1).
    pub fn new<W: Weight>(graph: &Csr<W>, gpus: &[Gpu], threads: Option<NonZeroUsize>) -> Self {
        Self {
            graph: graph.clone().unweighted(),
            gpus: gpus.to_vec(),
            searches: Vec::new(),
            times: None,
            threads,
            pool: Pool::new(threads),
        }
    }

    /// The sums over one search from each of `sources`. A source given twice counts twice.
    ///
    /// A batch searches from up to 512 sources at once, a bit each; each thread runs a batch.
    /// O(s·m/512) word operations where paths have few arcs; 32 bytes a vertex for each thread, and
    /// up to 192 more. On a GPU a batch has up to 1,024 sources, and GPUs take batches in turn; if
    /// their memory is too small, the CPU counts.
    ///
    /// # Errors
    /// When a source does not exist, the device fails, or the progress callback, which gets the
    /// number of sources done, ended the work.
    pub fn sums(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<HopSums, SearchError> {
        check_vertices(self.graph.n_vertices(), "source", sources)?;
        self.times = None;
        if !self.gpus.is_empty() {
            let found = unless_out_of_memory(self.sums_on_gpus(sources, progress));
            if let Some((sums, times)) = found.map_err(|error| error.named(&self.gpus))? {
                self.times = Some(times);
                return Ok(sums);
            }
        }
        let n = self.threads.map_or_else(rayon::current_num_threads, NonZeroUsize::get);
        let graph = self.graph.clone();
        self.pool.run(|| ManySources::new(graph, sources.len(), n, progress).sums(sources))
    }

    /// The sums, and the times on the device.
    fn sums_on_gpus(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<(HopSums, DeviceTimes), SearchError> {
        if !self.searches.first().is_some_and(|made| made.is_for(sources.len())) {
            self.searches.clear();
            self.searches = HopSearches::on_all(&self.gpus, &self.graph, sources.len())?;
        }
        hop_sums(&mut self.searches, sources, progress)
    }

    /// Where the time of the last sums went, if GPUs computed them.
    pub fn times(&self) -> Option<DeviceTimes> {
        self.times
    }
}
