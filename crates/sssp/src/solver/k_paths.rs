//! The k shortest paths by a search from the target.

use graph_formats::{Direction, Distance, VertexId, ensure_granted};
use paths::Distances;
use search_parts::Query;

use super::core::{Device, Solver};
use crate::found::Found;
use crate::weights::SearchKeys;
use crate::{Config, Path, SsspError};

impl<W: SearchKeys> Solver<'_, W> {
    pub(super) fn find_paths(
        &mut self,
        source: VertexId,
        target: VertexId,
        k: usize,
    ) -> Result<Found<Vec<Path<W::Distance>>>, SsspError> {
        let (graph, progress) = (self.graph, self.progress);
        k_paths::check(graph, source, target)?;
        let all = Query { source: target, targets: &[], limit: W::Distance::UNREACHED, progress };
        let ((to_target, mut work), plan, times) = match graph.direction() {
            Direction::Undirected => {
                (self.device.search(&all)?, self.plan.clone(), self.device.times())
            }
            Direction::Directed => {
                if self.reversed.is_none() {
                    ensure_granted(graph.bytes())?;
                }
                let reversed = self.reversed.get_or_insert_with(|| graph.transposed());
                let mut solver = match &self.device {
                    Device::Cpu(cpu) => Solver::on_cpu(reversed, &cpu.config)?,
                    Device::Gpus(_) => Solver::on_cpu(reversed, &Config::default())?,
                };
                (solver.device.search(&all)?, solver.plan, None)
            }
        };
        let to_target = Distances::from_storage(to_target);
        let distance = |vertex| to_target.get(vertex);
        let found = k_paths::k_shortest_paths(graph, source, target, k, distance, progress)?;
        work.add(&found.work);
        Ok(Found { plan, ..self.found(found.paths, work, times) })
    }
}
