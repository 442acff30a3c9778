//! The nearest of several sources.

use graph_formats::{VertexId, ensure_granted};
use paths::{Distances, Nearest};
use search_parts::check_vertices;

use super::core::{Device, Solver};
use crate::cpu::nearest;
use crate::found::Found;
use crate::overflow::check_overflow;
use crate::weights::SearchKeys;
use crate::{SsspError, Work};

impl<W: SearchKeys> Solver<'_, W> {
    pub(super) fn find_nearest(
        &mut self,
        sources: &[VertexId],
    ) -> Result<Found<Nearest<W>>, SsspError> {
        check_vertices(self.graph.n_vertices(), "source", sources)?;
        if let Some((arc, from, to)) = self.graph.first_negative() {
            let weight = self.graph.weights()[arc].to_string();
            return Err(SsspError::NegativeWeight { algorithm: "dijkstra", from, to, weight });
        }
        if let Device::Gpus(gpus) = &mut self.device
            && let Some(((distances, work), owners)) = gpus.nearest(sources, self.progress)?
        {
            let times = gpus.times();
            let distances = Distances::from_storage(distances);
            check_overflow(self.graph, &distances)?;
            return Ok(self.found(Nearest::from_storage(distances, owners), work, Some(times)));
        }
        ensure_granted(nearest::BYTES_OF_VERTEX * self.graph.n_vertices())?;
        let nearest = nearest::solve(self.graph, sources, self.progress)?;
        Ok(self.found(nearest, Work::default(), None))
    }
}
