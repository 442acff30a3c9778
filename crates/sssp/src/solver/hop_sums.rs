//! Hops from many sources, added up.

use graph_formats::VertexId;
use search_parts::check_vertices;

use super::core::{Device, OnCpu, Solver};
use crate::cpu::bit_parallel::Searches;
use crate::found::Found;
use crate::hop_sums::HopSums;
use crate::weights::SearchKeys;
use crate::{SsspError, Work};

impl<W: SearchKeys> Solver<'_, W> {
    pub(super) fn find_hop_sums(
        &mut self,
        sources: &[VertexId],
    ) -> Result<Found<HopSums>, SsspError> {
        check_vertices(self.graph, "source", sources)?;
        let progress = self.progress;
        if let Device::Gpus(gpus) = &mut self.device
            && let Some((sums, times)) = gpus.hop_sums(sources, progress)?
        {
            return Ok(self.found(sums, Work::default(), Some(times)));
        }
        let sums =
            |threads| Searches::new(self.graph, sources.len(), threads, progress).sums(sources);
        let sums = match &self.device {
            Device::Cpu(OnCpu { config, pool, .. }) => pool.run(|| sums(config.n_threads())),
            Device::Gpus(_) => sums(rayon::current_num_threads()),
        };
        Ok(self.found(sums?, Work::default(), None))
    }
}
