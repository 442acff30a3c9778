//! Results of Δ-stepping on a GPU: distances, trees, the nearest of several sources, and tables,
//! whose teams of blocks are made for the first table.

use std::mem;
use std::ops::Range;
use std::time::Instant;

use gpu_runtime::{Buffer, GpuError};
use graph_formats::{Distance, VertexId, Weight};
use paths::Predecessors;
use search_parts::device::{Answer, DeviceSearch, KeyKind, limit_key};
use search_parts::{MAX_VERTICES, Query, milliseconds};

use super::DeltaSteppingOnGpu;
use crate::gpu::many_sources::ManySources;
use crate::gpu::nearest::owners;
use crate::gpu::work_space::WorkSpace;
use crate::{DeviceTimes, Progress, SsspError, Work};

/// A function that takes the keys of some sources, with the kind of keys and the range of rows.
type TakeRows<'a> = dyn FnMut(KeyKind, Range<usize>, &Buffer<u32>) -> Result<(), SsspError> + 'a;

impl DeltaSteppingOnGpu {
    /// Makes teams for this many sources, unless there are enough.
    fn prepare_teams(&mut self, n_sources: usize) -> Result<(), SsspError> {
        if self.teams.as_ref().is_some_and(|teams| teams.made_for >= n_sources) {
            return Ok(());
        }
        // frees the memory of the present teams
        self.teams = None;
        let (gpu, kind, search) = (&self.launch.gpu, self.graph.kind, &self.search);
        let made = || ManySources::new(gpu, kind, search, n_sources);
        let (teams, prepare_ms) = self.times.apart_from_jit(gpu, made)?;
        self.times.prepare_ms += prepare_ms;
        self.teams = Some(teams);
        Ok(())
    }
}

/// Results that stay on the device.
impl DeltaSteppingOnGpu {
    /// The key of one vertex.
    pub(in crate::gpu) fn key(&self, vertex: VertexId) -> Result<u64, GpuError> {
        let words = self.graph.kind.words_of_key();
        let first = vertex as usize * words;
        let key = self.work_space.keys.download_range(first..first + words)?;
        Ok(key.iter().rev().fold(0, |key, &word| key << 32 | u64::from(word)))
    }

    /// Searches; the keys stay on the device.
    pub(in crate::gpu) fn leave_keys(&mut self, query: &Query<'_, u64>) -> Result<Work, SsspError> {
        self.search_from(query, None)?.ok_or_else(|| SsspError::NotOnGpu {
            reason: "a sum has more than 32 bits, and there is no memory for wider keys".to_owned(),
        })
    }

    /// The predecessors of the vertices within `limit` of `source`, the source of the last search.
    pub(in crate::gpu) fn leave_predecessors(
        &mut self,
        source: VertexId,
        limit: u64,
    ) -> Result<Buffer<VertexId>, GpuError> {
        let next = self.launch.gpu.buffer(self.search.n_vertices as usize)?;
        Ok(mem::replace(self.choose(source, limit)?, next))
    }

    fn choose(&mut self, source: VertexId, limit: u64) -> Result<&mut Buffer<VertexId>, GpuError> {
        let Self { launch, graph, tree_kernel, work_space, .. } = self;
        let WorkSpace { keys, near, far, .. } = work_space;
        let lists = [&near[0], &far[0], &far[1]];
        // SAFETY: the work space has a key for each vertex, and lists of at least as many entries.
        unsafe { tree_kernel.choose(&launch.gpu, graph, keys.address(), lists, source, limit) }
    }

    /// Passes the keys of `targets`, of which there is at least one, to `take`, for some of
    /// `sources` at a time. `None` if there are too many targets.
    pub(in crate::gpu) fn rows(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        take: &mut TakeRows<'_>,
    ) -> Result<Option<Work>, SsspError> {
        if targets.len() > MAX_VERTICES {
            return Ok(None);
        }
        self.prepare_teams(sources.len())?;
        let Self { launch, graph, search, teams: Some(teams), .. } = self else { return Ok(None) };
        let take_keys = |rows, keys: &_| take(graph.kind, rows, keys);
        let found = teams.search(launch, search, sources, targets, progress, take_keys);
        if found.is_err() {
            // frees the teams' memory for single searches
            self.teams = None;
        }
        let Some((work, times)) = found? else {
            self.widen()?;
            return self.rows(sources, targets, progress, take);
        };
        self.times = times.and(self.times.without_search());
        Ok(Some(work))
    }
}

impl<W: Weight> DeviceSearch<W> for DeltaSteppingOnGpu {
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Work>, SsspError> {
        self.search_from(&query.with_limit(limit_key::<W>(query.limit)), None)
    }

    fn distances(&mut self) -> Result<Vec<W::Distance>, SsspError> {
        Ok(self.graph.kind.distances::<W>(&self.work_space.keys.download()?))
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SsspError> {
        let found = self.choose(source, limit_key::<W>(limit))?.download()?;
        Ok(Some(Predecessors::from_storage(found)))
    }

    fn times(&mut self) -> &mut DeviceTimes {
        &mut self.times
    }

    fn nearest(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Option<(Answer<W>, Vec<VertexId>)>, SsspError> {
        let mut sources = sources.to_vec();
        sources.sort_unstable();
        sources.dedup();
        let [source, others @ ..] = sources.as_slice() else { return Ok(None) };
        let others = if others.is_empty() { None } else { Some(self.launch.gpu.upload(others)?) };
        let limit = limit_key::<W>(W::Distance::UNREACHED);
        let query = Query { source: *source, targets: &[], limit, progress };
        let Some(work) = self.search_from(&query, others.as_ref())? else { return Ok(None) };
        let start = Instant::now();
        let owners = owners(&self.launch.gpu, &self.graph, &self.work_space, &sources)?;
        self.times.solve_ms += milliseconds(start);
        let start = Instant::now();
        let distances = DeviceSearch::<W>::distances(self)?;
        self.times.download_ms = milliseconds(start);
        Ok(Some(((distances, work), owners)))
    }

    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        let n_targets = targets.len();
        self.rows(sources, targets, progress, &mut |kind, rows, keys| {
            let cells = &mut cells[rows.start * n_targets..rows.end * n_targets];
            kind.write_distances::<W>(&keys.download()?, cells);
            Ok(())
        })
    }
}
