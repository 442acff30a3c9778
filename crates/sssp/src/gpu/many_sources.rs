//! Searches from many sources on a GPU, several at once.
//!
//! The method is described in `kernels/sssp/many_sources.cu`: teams of blocks, each with its own
//! work space, take one source after another and write the keys of the targets into a table. This
//! side chooses the number of teams. A launch fills a few rows of the table, so that the table on
//! the device stays small and progress is reported between launches.
//!
//! Memory: a team takes as much as a search: 44 bytes a vertex and half a byte an arc, twice that
//! with keys of 64 bits. All teams together take at most a fourth of the free memory. There is a
//! team for each source, up to one for each multiprocessor; on dense graphs only as many as keep
//! their keys in the L2 cache.
//!
//! Reference: meyer-sanders-2003

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, Kernel, LaunchConfig};
use graph_formats::{Interrupted, VertexId};
use search_parts::device::KeyKind;
use search_parts::{Kernels, Launch, milliseconds};

use super::work_space::{Lists, SteppingSearch, WorkSpace};
use crate::{DeviceTimes, Progress, SsspError, Work};

/// Sources per team in a launch: enough for the teams to end at about the same time.
const SOURCES_PER_TEAM: usize = 16;
/// Least mean degree at which the keys of all teams should fit the L2 cache: then the bandwidth of
/// reading keys matters more than the latency. On an H200, 64 sources of R-MAT 20, with 31 arcs a
/// vertex, took 25.6 ms with the 12 teams whose keys fit the cache, and 37.8 ms with 64 teams. On a
/// grid of that many vertices, with 4 arcs a vertex, they took 70 and 25 ms.
const MIN_DENSE_DEGREE: usize = 8;
/// The most keys in the table of a launch, unless one row has more.
const MAX_KEYS: usize = 1 << 26;

/// `Batch` of `many_sources.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Batch {
    search: SteppingSearch,
    sources: u64,
    table: u64,
    next: u64,
    work: u64,
    n_sources: u32,
    team_blocks: u32,
}

/// The kernel of `many_sources.cu`, and the work spaces of its teams.
pub(super) struct ManySources {
    kernel: Kernel,
    kind: KeyKind,
    work_spaces: WorkSpace,
    /// The number of sources that the teams were made for.
    pub(super) made_for: usize,
}

impl ManySources {
    /// Makes teams for `n_sources` searches of the graph in `search`, with keys of this kind.
    pub(super) fn new(
        gpu: &Gpu,
        kind: KeyKind,
        search: &SteppingSearch,
        n_sources: usize,
    ) -> Result<Self, SsspError> {
        let kernels = Kernels::of(gpu, &kernels::sssp::MANY_SOURCES, kind)?;
        let kernel = kernels.get("many_sources")?;
        let (n, m) = (search.n_vertices as usize, search.n_arcs as usize);
        let (properties, lists) = (gpu.properties(), Lists::of(n, m));
        let by_memory = gpu.available_bytes()? / 4 / WorkSpace::bytes(n, lists, kind);
        let mut most = by_memory.min(u64::from(properties.multiprocessors));
        if m / n >= MIN_DENSE_DEGREE {
            most = most.min(properties.l2_bytes / (4 * n * kind.words_of_key()) as u64);
        }
        let n_teams = n_sources.min(most as usize).max(1);
        let work_spaces = WorkSpace::new(gpu, n, lists, kind, n_teams)?;
        gpu.synchronize()?;
        Ok(Self { kernel, kind, work_spaces, made_for: n_sources })
    }

    /// Searches from all of `sources` in the graph in `search`, with the stream and timer of
    /// `launch`. Passes the keys of `targets`, of which there is at least one, to `take`, for a few
    /// sources at a time with the range of their rows. Reports to `progress` how many sources are
    /// done. Returns the work and the times of all launches; `None` if a sum does not fit a key of 32
    /// bits but a distance may hold it.
    pub(super) fn search(
        &mut self,
        launch: &Launch,
        search: &SteppingSearch,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        mut take: impl FnMut(Range<usize>, &Buffer<u32>) -> Result<(), SsspError>,
    ) -> Result<Option<(Work, DeviceTimes)>, SsspError> {
        let targets = launch.gpu.upload(targets)?;
        let most = (self.work_spaces.control.len() * SOURCES_PER_TEAM)
            .min(MAX_KEYS / targets.len().max(1))
            .max(1);
        let (mut work, mut times) = (Work::default(), DeviceTimes::default());
        let mut n_done = 0;
        let tell = |done: usize| match progress {
            Some(progress) => progress(done as u64, sources.len() as u64),
            None => ControlFlow::Continue(()),
        };
        for first in (0..sources.len()).step_by(most) {
            let rows = first..(first + most).min(sources.len());
            let tell = progress.map(|_| |_| tell(n_done));
            let found = self.rows(launch, search, &sources[rows.clone()], &targets, tell)?;
            let Some((keys, own_work, solve_ms)) = found else { return Ok(None) };
            n_done = rows.end;
            let start = Instant::now();
            take(rows, &keys)?;
            work.add(&own_work);
            times.solve_ms += solve_ms;
            times.download_ms += milliseconds(start);
        }
        if tell(n_done).is_break() {
            return Err(Interrupted.into());
        }
        Ok(Some((work, times)))
    }

    /// The keys of `targets` from each of `sources` as words of 32 bits, row by row, by one launch,
    /// which `tell` may end; its work and milliseconds. `None` as from [`search`](Self::search).
    fn rows(
        &mut self,
        launch: &Launch,
        search: &SteppingSearch,
        sources: &[VertexId],
        targets: &Buffer<VertexId>,
        tell: Option<impl Fn(u64) -> ControlFlow<()>>,
    ) -> Result<Option<(Buffer<u32>, Work, f64)>, SsspError> {
        let gpu = &launch.gpu;
        let n_teams = self.work_spaces.control.len().min(sources.len());
        let source_ids = gpu.upload(sources)?;
        let table = gpu.buffer::<u32>(sources.len() * targets.len() * self.kind.words_of_key())?;
        let (next, work) = (gpu.buffer::<u32>(1)?, gpu.buffer::<u64>(5)?);
        let mut search = SteppingSearch {
            targets: targets.address(),
            n_targets: targets.len() as u32,
            limit: self.kind.at_most(u64::MAX),
            ..*search
        };
        self.work_spaces.describe(&mut search);
        self.work_spaces.control.fill_bytes(0)?;
        let team_blocks = gpu.properties().multiprocessors / n_teams as u32;
        search.host = launch.start(tell.is_some())?;
        let request = Batch {
            search,
            sources: source_ids.address(),
            table: table.address(),
            next: next.address(),
            work: work.address(),
            n_sources: sources.len() as u32,
            team_blocks,
        };
        let grid = (n_teams as u32 * team_blocks, 1, 1);
        let shape = LaunchConfig { grid, ..launch.shape };
        // SAFETY: the kernel reads the graph, sources and targets, which the solver has checked. It
        // writes a work space for each team, a row of the table for each source, and five sums. All
        // buffers are of `gpu`.
        unsafe { gpu.launch(&self.kernel, shape, &[Arg::structure(&request)])? };
        let solve_ms = launch.wait(tell)?;
        let work = work.download()?;
        let &[relaxations, improvements, settled, rounds, n_overflowed] = work.as_slice() else {
            unreachable!("the buffer has five sums")
        };
        let work = Work { relaxations, improvements, settled, rounds, again: None };
        let is_valid = n_overflowed == 0 || self.kind != KeyKind::U32;
        Ok(is_valid.then_some((table, work, solve_ms)))
    }
}

#[cfg(test)]
test_support::layout_test! {
    Batch as "Batch" of ["sssp/many_sources.cu", "sssp/delta_stepping/search.cuh"]:
        search, sources, table, next, work, n_sources, team_blocks;
}
