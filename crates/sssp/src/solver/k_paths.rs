//! The k shortest paths by a search from the target.

use graph_formats::{Csr, Direction, Distance, VertexId};
use paths::{Distances, Progress};
use search_parts::{Query, check_vertices};

use super::core::{Device, Solver};
use super::reversed::Reversed;
use crate::cpu::Searches;
use crate::found::Found;
use crate::k_paths::{Path, SpurSearches, shortest};
use crate::key::distance_bound;
use crate::plan::is_far_below_greatest;
use crate::weights::SearchKeys;
use crate::{Config, SsspError};

impl<W: SearchKeys> Solver<'_, W> {
    pub(super) fn find_paths(
        &mut self,
        source: VertexId,
        target: VertexId,
        k: usize,
    ) -> Result<Found<Vec<Path<W::Distance>>>, SsspError> {
        check_vertices(self.graph, "source", &[source])?;
        check_vertices(self.graph, "target", &[target])?;
        if let Some((arc, from, to)) = self.plan.negative {
            let weight = self.graph.weights()[arc].to_string();
            return Err(SsspError::PathsWithNegativeWeight { from, to, weight });
        }
        let progress = self.progress;
        let all = Query { source: target, targets: &[], limit: W::Distance::UNREACHED, progress };
        let (to_target, mut work) = match self.graph.direction() {
            Direction::Undirected => self.device.search(&all)?,
            Direction::Directed => {
                let config = match &self.device {
                    Device::Cpu(cpu) => cpu.config.clone(),
                    Device::Gpus(_) => Config::default(),
                };
                let reversed = match &mut self.reversed {
                    Some(reversed) => reversed,
                    none => none.insert(Reversed::of(self.graph, &config)?),
                };
                let Reversed { graph, chosen, plan } = reversed;
                let mut search = Searches::new(graph, *chosen, plan.narrow).search();
                let work = search.run(&all)?;
                (search.distances(), work)
            }
        };
        let to_target = Distances::from_storage(to_target);
        let distance = |vertex: VertexId| to_target.as_storage()[vertex as usize];
        let mut searches = SpurSearches::new(self.graph, target, distance)?;
        let paths = shortest(&mut searches, source, k, &all)?;
        if paths.len() < k && !self.plan.bounded {
            check_lengths(self.graph, [source, target], paths.len(), progress)?;
        }
        work.add(&searches.work);
        Ok(match &self.reversed {
            None => self.found(paths, work, self.device.times()),
            Some(Reversed { plan, .. }) => {
                Found { plan: plan.clone(), ..self.found(paths, work, None) }
            }
        })
    }
}

pub(super) fn by_distances<W: SearchKeys>(
    graph: &Csr<W>,
    [source, target]: [VertexId; 2],
    k: usize,
    to_target: &mut dyn FnMut(VertexId) -> Option<W::Distance>,
) -> Result<Vec<Path<W::Distance>>, SsspError> {
    check_vertices(graph, "source", &[source])?;
    check_vertices(graph, "target", &[target])?;
    let distance = |vertex| to_target(vertex).unwrap_or(W::Distance::UNREACHED);
    let mut searches = SpurSearches::new(graph, target, distance)?;
    let limit = W::Distance::UNREACHED;
    let query = Query { source, targets: &[target], limit, progress: None };
    let paths = shortest(&mut searches, source, k, &query)?;
    if searches.is_misled {
        return Err(SsspError::NoDistances { target });
    }
    let bound = distance_bound(graph.n_vertices(), graph.weight_summary());
    if paths.len() < k && !is_far_below_greatest::<W>(graph.n_vertices(), bound) {
        check_lengths(graph, [source, target], paths.len(), None)?;
    }
    Ok(paths)
}

/// An error unless there are no more than `n` paths: of those with the fewest arcs, whatever they
/// weigh, one more is looked for.
fn check_lengths<W: SearchKeys>(
    graph: &Csr<W>,
    [source, target]: [VertexId; 2],
    n: usize,
    progress: Option<Progress<'_>>,
) -> Result<(), SsspError> {
    let arcs = graph.clone().unweighted::<u32>();
    let mut solver = Solver::on_cpu(&arcs, &Config::default())?;
    solver.progress = progress;
    if solver.find_paths(source, target, n + 1)?.len() == n {
        return Ok(());
    }
    Err(SsspError::Overflow { vertex: target, kind: std::any::type_name::<W::Distance>() })
}
