//! What is asked of Δ-stepping on a GPU: distances, the tree to them, the nearest of several
//! sources, and tables, for which teams of blocks are made when the first one is.

use std::time::Instant;

use graph_formats::{Distance, VertexId, Weight};
use paths::Predecessors;

use super::DeltaSteppingOnGpu;
use crate::gpu::fallback::no_answer;
use crate::gpu::keys::limit_key;
use crate::gpu::launch::{MAX_VERTICES, milliseconds};
use crate::gpu::many_sources::ManySources;
use crate::gpu::nearest::OwnersKernel;
use crate::gpu::work_space::WorkSpace;
use crate::query::Query;
use crate::search::{Answer, Owners, Search};
use crate::{DeviceTimes, Progress, SsspError, Work};

impl DeltaSteppingOnGpu {
    /// The distances that a search has left.
    fn distances<W: Weight>(&mut self) -> Result<Vec<W::Distance>, SsspError> {
        let start = Instant::now();
        let keys = self.work_space.keys.download()?;
        self.times.download_ms = milliseconds(start);
        Ok(self.graph.kind.distances::<W>(&keys))
    }

    /// Makes teams for so many sources, unless there are enough.
    fn prepare_teams(&mut self, n_sources: usize) -> Result<(), SsspError> {
        if self.teams.as_ref().is_some_and(|teams| teams.is_enough_for(n_sources)) {
            return Ok(());
        }
        // what the present ones take is free for more
        self.teams = None;
        let start = Instant::now();
        let gpu = &self.launch.gpu;
        let jit_before = gpu.jit_ms();
        self.teams = Some(ManySources::new(gpu, self.graph.kind, &self.search, n_sources)?);
        let jit_ms = gpu.jit_ms() - jit_before;
        self.times.jit_ms += jit_ms;
        self.times.prepare_ms += milliseconds(start) - jit_ms;
        Ok(())
    }
}

impl<W: Weight> Search<W> for DeltaSteppingOnGpu {
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError> {
        let query = query.with_limit(limit_key::<W>(query.limit));
        let Some(work) = self.run(&query, None)? else { return Err(no_answer()) };
        Ok((self.distances::<W>()?, work))
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SsspError> {
        let Self { launch, graph, tree_kernel, work_space, .. } = self;
        let WorkSpace { keys, near, far, .. } = work_space;
        let (lists, limit) = ([&near[0], &far[0], &far[1]], limit_key::<W>(limit));
        let (gpu, keys) = (&launch.gpu, keys.address());
        let found = tree_kernel.predecessors(gpu, graph, keys, lists, source, limit)?;
        Ok(Some(Predecessors::from_storage(found)))
    }

    fn nearest(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Option<(Answer<W>, Owners)>, SsspError> {
        let mut sources = sources.to_vec();
        sources.sort_unstable();
        sources.dedup();
        let [source, others @ ..] = sources.as_slice() else { return Ok(None) };
        let others = if others.is_empty() { None } else { Some(self.launch.gpu.upload(others)?) };
        let limit = limit_key::<W>(W::Distance::UNREACHED);
        let query = Query { source: *source, targets: &[], limit, progress };
        let Some(work) = self.run(&query, others.as_ref())? else { return Ok(None) };
        let start = Instant::now();
        let Self { launch, graph, work_space, owners_kernel, .. } = self;
        let kernel = match owners_kernel {
            Some(kernel) => kernel,
            empty => empty.insert(OwnersKernel::load(&launch.gpu, graph.kind)?),
        };
        let owners = kernel.owners(&launch.gpu, graph, work_space, &sources)?;
        self.times.solve_ms += milliseconds(start);
        Ok(Some(((self.distances::<W>()?, work), owners)))
    }

    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        if targets.len() > MAX_VERTICES {
            return Ok(None);
        }
        self.prepare_teams(sources.len())?;
        let Self { launch, graph, search, teams: Some(teams), .. } = self else { return Ok(None) };
        let mut work = Work::default();
        let times = teams.search(launch, search, sources, targets, progress, |rows, found| {
            let cells = &mut cells[rows.start * targets.len()..rows.end * targets.len()];
            graph.kind.write_distances::<W>(&found.table, cells);
            work.add(&found.work);
        });
        if times.is_err() {
            // what the teams take may be what single searches lack
            self.teams = None;
        }
        let Some(times) = times? else {
            self.widen()?;
            return Search::<W>::table(self, sources, targets, progress, cells);
        };
        self.times = times.and(self.times.without_search());
        Ok(Some(work))
    }

    fn device_times(&self) -> Option<DeviceTimes> {
        Some(self.times)
    }
}
