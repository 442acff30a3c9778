//! Trees from many sources at once.

use std::num::NonZeroUsize;

use graph_formats::{VertexId, parallel};
use paths::DistanceTable;
use search_parts::check_vertices;

use super::core::{Device, OnCpu, Solver};
use super::rows::{Rows, empty_table, ensure_memory, n_workers};
use crate::found::Found;
use crate::weights::SearchKeys;
use crate::{Config, Goal, SsspError, Trees, Work};

impl<W: SearchKeys> Solver<'_, W> {
    pub(super) fn find_trees(
        &mut self,
        sources: &[VertexId],
        goal: Goal<W::Distance>,
    ) -> Result<Found<Trees<DistanceTable<W>>>, SsspError> {
        check_vertices(self.graph.n_vertices(), "source", sources)?;
        let (graph, n) = (self.graph, self.graph.n_vertices());
        // both tables together, since each alone may fit
        let cell = size_of::<W::Distance>() + size_of::<VertexId>();
        ensure_memory(sources.len(), n, cell)?;
        let mut table = empty_table::<W::Distance>(sources.len(), n)?;
        let mut predecessors = empty_table::<VertexId>(sources.len(), n)?;
        let cells = table.as_slice_mut().unwrap_or_default();
        let before = predecessors.as_slice_mut().unwrap_or_default();
        let cells = cells.chunks_exact_mut(n.max(1)).zip(before.chunks_exact_mut(n.max(1)));
        // progress counts rows, so the searches do not report
        let progress = self.progress.take();
        let rows = Rows::new(sources.iter().zip(cells), sources.len(), progress);
        let fill = |solver: &mut Self| {
            rows.fill_each(|(&source, (distances, predecessors))| {
                let tree = solver.find_tree(source, goal)?;
                distances.copy_from_slice(tree.distances.as_storage());
                predecessors.copy_from_slice(tree.predecessors.as_storage());
                Ok(tree.work)
            })
        };
        let n_workers = match &self.device {
            Device::Cpu(cpu) => n_workers(&cpu.config, graph, sources.len()),
            Device::Gpus(_) => 1,
        };
        let works = match &self.device {
            Device::Cpu(OnCpu { config, .. }) if n_workers > 1 => {
                let alone = Config { threads: Some(NonZeroUsize::MIN), ..config.clone() };
                parallel::map(n_workers, &|_| match Solver::on_cpu(graph, &alone) {
                    Ok(mut solver) => fill(&mut solver),
                    Err(error) => {
                        rows.fail(error);
                        Work::default()
                    }
                })
            }
            _ => vec![fill(self)],
        };
        self.progress = progress;
        rows.result()?;
        let trees = (DistanceTable::from_storage(table), predecessors.into_raw_vec_and_offset().0);
        Ok(self.found(trees, Work::sum(works), None))
    }
}
