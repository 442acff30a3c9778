//! Searches from many sources on a GPU, several at once.
//!
//! The method stands in `kernels/sssp/many_sources.cu`: teams of blocks, each with a work
//! space of its own, take source after source and leave the keys of the targets in a
//! table. This side chooses how many teams there are, and asks for a few rows of the table
//! a launch, so that it is never large and the caller hears of progress.
//!
//! Memory: a team takes what a search does, 44 bytes a vertex and half a byte an arc; all
//! together take up to a fourth of what is free. There is a team for each source, up to
//! one for each multiprocessor, but on dense graphs only as many as keep their keys in the
//! device's cache.
//!
//! Reference: meyer-sanders-2003

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, Shape};
use graph_formats::{VertexId, WeightKind};
use kernels::sssp::{MANY_SOURCES_F32, MANY_SOURCES_U32};

use super::delta_stepping::{BLOCK, DeltaSteppingOnGpu};
use super::launch::{Kernels, milliseconds};
use super::memory::{Lists, SteppingSearch, WorkSpace};
use crate::{Progress, SsspError, Work};

/// Sources of a launch for each team: enough that teams end at about the same time.
const TURNS: usize = 16;
/// Arcs a vertex from which reading keys is what takes the time, more than waiting for them
/// does. On an H200, 64 sources of R-MAT 20, with 31 arcs a vertex, took 25.6 ms with the 12
/// teams whose keys fit the cache, and 37.8 with 64; of a grid of that many vertices, with
/// 4, 70 and 25 ms.
const MANY_ARCS: usize = 8;
/// Words of the table of a launch, unless one row has more.
const MOST_WORDS: usize = 1 << 26;

/// `Batch` of `many_sources.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Batch {
    search: SteppingSearch,
    sources: u64,
    table: u64,
    troubles: u64,
    next: u64,
    work: u64,
    n_sources: u32,
    team_blocks: u32,
}

/// The kernel of `many_sources.cu`, and the work spaces of its teams.
pub(super) struct ManySources {
    kernel: Kernel,
    work_spaces: WorkSpace,
    /// For up to this many sources there cannot be more teams.
    made_for: usize,
}

/// The keys of the targets of some sources, row by row.
pub(super) struct Found {
    /// A row for each source.
    pub(super) table: Vec<u32>,
    /// For each source, whether a sum left 32 bits, and its row is wrong.
    pub(super) overflowed: Vec<bool>,
    pub(super) work: Work,
}

impl ManySources {
    fn new(
        gpu: &Gpu,
        kind: WeightKind,
        search: &SteppingSearch,
        n_sources: usize,
    ) -> Result<Self, SsspError> {
        let kernels = Kernels::of(gpu, &[MANY_SOURCES_U32, MANY_SOURCES_F32], kind)?;
        let kernel = kernels.get("many_sources")?;
        let n_teams = Self::teams(gpu, search, n_sources)?;
        let lists = Lists::of(search.n_vertices as usize, search.n_arcs as usize);
        let work_spaces = WorkSpace::new(gpu, search.n_vertices as usize, lists, n_teams)?;
        Ok(Self { kernel, work_spaces, made_for: n_sources })
    }

    /// How many teams there should be for `n_sources` sources.
    fn teams(gpu: &Gpu, search: &SteppingSearch, n_sources: usize) -> Result<usize, GpuError> {
        let (n, m) = (search.n_vertices as usize, search.n_arcs as usize);
        let facts = gpu.facts();
        let a_team = WorkSpace::bytes(n, Lists::of(n, m));
        let by_memory = gpu.available_bytes()? / 4 / a_team;
        let mut most = by_memory.min(u64::from(facts.multiprocessors));
        if m / n >= MANY_ARCS {
            most = most.min(facts.l2_bytes / (n as u64 * size_of::<u32>() as u64));
        }
        Ok(n_sources.min(most as usize).max(1))
    }
}

impl DeltaSteppingOnGpu {
    /// Searches from all of `sources` and hands the keys of `targets`, of which there is
    /// one at least, to `take`: those of a few sources at a time, with the positions of
    /// these. Tells `progress` how many are done. Makes as many teams as are needed, once.
    pub(super) fn many_sources(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        mut take: impl FnMut(Range<usize>, &Found),
    ) -> Result<(), SsspError> {
        self.prepare_teams(sources.len())?;
        let n_teams = self.batch.as_ref().map_or(1, |batch| batch.work_spaces.count());
        let targets = self.launch.gpu.upload(targets)?;
        let at_once = (n_teams * TURNS).min(MOST_WORDS / targets.len().max(1)).max(1);
        self.times = self.times.without_search();
        let mut n_done = 0;
        let tell = |done: usize| match progress {
            Some(progress) => progress(done as u64, sources.len() as u64),
            None => ControlFlow::Continue(()),
        };
        for first in (0..sources.len()).step_by(at_once) {
            let rows = first..(first + at_once).min(sources.len());
            let watcher = progress.map(|_| || tell(n_done));
            let found = self.rows(&sources[rows.clone()], &targets, watcher)?;
            take(rows, &found);
            n_done += found.overflowed.iter().filter(|&&overflowed| !overflowed).count();
        }
        if tell(n_done).is_break() { Err(SsspError::Interrupted) } else { Ok(()) }
    }

    /// Makes teams for so many sources, unless there are enough.
    fn prepare_teams(&mut self, n_sources: usize) -> Result<(), SsspError> {
        if self.batch.as_ref().is_some_and(|batch| batch.made_for >= n_sources) {
            return Ok(());
        }
        // what the present ones take is free for more
        self.batch = None;
        let start = Instant::now();
        let gpu = &self.launch.gpu;
        let jit_before = gpu.jit_ms();
        self.batch = Some(ManySources::new(gpu, self.graph.kind, &self.search, n_sources)?);
        gpu.synchronize()?;
        let jit_ms = gpu.jit_ms() - jit_before;
        self.times.jit_ms += jit_ms;
        self.times.prepare_ms += milliseconds(start) - jit_ms;
        Ok(())
    }

    /// The keys of `targets` from each of `sources`, in one launch, which `tell` may end.
    fn rows(
        &mut self,
        sources: &[VertexId],
        targets: &Buffer<VertexId>,
        tell: Option<impl Fn() -> ControlFlow<()>>,
    ) -> Result<Found, SsspError> {
        let Some(batch) = &mut self.batch else { unreachable!("the teams are there") };
        let gpu = &self.launch.gpu;
        let n_teams = batch.work_spaces.count().min(sources.len());
        let source_ids = gpu.upload(sources)?;
        let table = gpu.buffer::<u32>(sources.len() * targets.len())?;
        let troubles = gpu.buffer::<u32>(sources.len())?;
        let (next, work) = (gpu.buffer::<u32>(1)?, gpu.buffer::<u64>(4)?);
        let mut search = SteppingSearch {
            targets: targets.address(),
            n_targets: targets.len() as u32,
            limit: u32::MAX - 1,
            ..self.search
        };
        batch.work_spaces.describe(&mut search);
        batch.work_spaces.control.fill_bytes(0)?;
        let team_blocks = gpu.facts().multiprocessors / n_teams as u32;
        search.host = self.launch.start(tell.is_some())?;
        let request = Batch {
            search,
            sources: source_ids.address(),
            table: table.address(),
            troubles: troubles.address(),
            next: next.address(),
            work: work.address(),
            n_sources: sources.len() as u32,
            team_blocks,
        };
        let shape = Shape::new(n_teams as u32 * team_blocks, BLOCK);
        let shape = Shape { cooperative: true, ..shape };
        // SAFETY: the kernel reads the graph, sources and targets, which the solver has
        // checked, and writes as many work spaces as there are teams, a row of the table
        // and a word of trouble for each source; all are of `gpu`.
        unsafe { gpu.launch(&batch.kernel, shape, &[Arg::structure(&request)])? };
        self.times.solve_ms += self.launch.wait(tell.map(|tell| move |_| tell()))?;
        let start = Instant::now();
        let (table, troubles, work) = (table.download()?, troubles.download()?, work.download()?);
        self.times.download_ms += milliseconds(start);
        let &[relaxations, improvements, settled, rounds] = work.as_slice() else {
            unreachable!("four sums were asked for")
        };
        let work = Work { relaxations, improvements, settled, rounds, again: None };
        let overflowed = troubles.iter().map(|&trouble| trouble != 0).collect();
        Ok(Found { table, overflowed, work })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::layout::assert_same_layout;

    #[test]
    fn structures_are_as_the_kernel_has_them() {
        assert_same_layout! { Batch as "Batch" of ["many_sources.cu", "delta_stepping/search.cuh"]:
            search, sources, table, troubles, next, work, n_sources, team_blocks
        }
    }
}
