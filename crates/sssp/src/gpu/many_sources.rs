//! Searches from many sources on a GPU, several at once.
//!
//! The method stands in `kernels/sssp/many_sources.cu`: teams of blocks, each with a work
//! space of its own, take source after source and leave the keys of the targets in a
//! table. This side chooses how many teams there are, and asks for a few rows of the table
//! a launch, so that it is never large and the caller hears of progress.
//!
//! Memory: a team takes what a search does, 44 bytes a vertex and half a byte an arc, twice that
//! with keys of 64 bits; all
//! together take up to a fourth of what is free. There is a team for each source, up to
//! one for each multiprocessor, but on dense graphs only as many as keep their keys in the
//! device's cache.
//!
//! Reference: meyer-sanders-2003

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig};
use graph_formats::VertexId;
use kernels::Module;
use kernels::sssp::{
    MANY_SOURCES_F32, MANY_SOURCES_F64, MANY_SOURCES_U32, MANY_SOURCES_U32_WIDE, MANY_SOURCES_U64,
};
use search_parts::device::KeyKind;
use search_parts::{Kernels, Launch, milliseconds};

use super::work_space::{Lists, SteppingSearch, WorkSpace};
use crate::{DeviceTimes, Progress, SsspError, Work};

/// Sources of a launch for each team: enough that teams end at about the same time.
const TURNS: usize = 16;
/// Arcs a vertex from which reading keys is what takes the time, more than waiting for them
/// does. On an H200, 64 sources of R-MAT 20, with 31 arcs a vertex, took 25.6 ms with the 12
/// teams whose keys fit the cache, and 37.8 with 64; of a grid of that many vertices, with
/// 4, 70 and 25 ms.
const MANY_ARCS: usize = 8;
/// Keys of the table of a launch, unless one row has more.
const MAX_KEYS: usize = 1 << 26;

const MODULES: [Module; 5] =
    [MANY_SOURCES_U32, MANY_SOURCES_F32, MANY_SOURCES_U32_WIDE, MANY_SOURCES_U64, MANY_SOURCES_F64];

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
    /// For up to this many sources there cannot be more teams.
    made_for: usize,
}

/// The keys of the targets of some sources, row by row.
pub(super) struct Found {
    /// A row for each source, in words, on the device.
    pub(super) table: Buffer<u32>,
    pub(super) work: Work,
    /// Whether a sum was too large for a key.
    overflowed: bool,
    times: DeviceTimes,
}

impl ManySources {
    /// Makes teams for so many sources of what `search` describes, with keys of this kind.
    pub(super) fn new(
        gpu: &Gpu,
        kind: KeyKind,
        search: &SteppingSearch,
        n_sources: usize,
    ) -> Result<Self, SsspError> {
        let kernels = Kernels::of(gpu, &MODULES, kind)?;
        let kernel = kernels.get("many_sources")?;
        let n_teams = Self::teams(gpu, search, kind, n_sources)?;
        let lists = Lists::of(search.n_vertices as usize, search.n_arcs as usize);
        let work_spaces = WorkSpace::new(gpu, search.n_vertices as usize, lists, kind, n_teams)?;
        gpu.synchronize()?;
        Ok(Self { kernel, kind, work_spaces, made_for: n_sources })
    }

    /// How many teams there should be for `n_sources` sources.
    fn teams(
        gpu: &Gpu,
        search: &SteppingSearch,
        kind: KeyKind,
        n_sources: usize,
    ) -> Result<usize, GpuError> {
        let (n, m) = (search.n_vertices as usize, search.n_arcs as usize);
        let properties = gpu.properties();
        let per_team = WorkSpace::bytes(n, Lists::of(n, m), kind);
        let by_memory = gpu.available_bytes()? / 4 / per_team;
        let mut most = by_memory.min(u64::from(properties.multiprocessors));
        if m / n >= MANY_ARCS {
            most = most.min(properties.l2_bytes / (4 * n * kind.words_of_key()) as u64);
        }
        Ok(n_sources.min(most as usize).max(1))
    }

    /// Whether there are as many teams as so many sources call for.
    pub(super) fn is_enough_for(&self, n_sources: usize) -> bool {
        self.made_for >= n_sources
    }

    /// Searches from all of `sources` as `search` says, by the clock of `launch`, and hands the
    /// keys of `targets`, of which there is one at least, to `take`: those of a few sources at a
    /// time, with the positions of these. Tells `progress` how many are done. The times of all
    /// launches; `None` where a sum is too large for a key of 32 bits and not for a distance.
    pub(super) fn search(
        &mut self,
        launch: &Launch,
        search: &SteppingSearch,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        mut take: impl FnMut(Range<usize>, &Found) -> Result<(), SsspError>,
    ) -> Result<Option<DeviceTimes>, SsspError> {
        let targets = launch.gpu.upload(targets)?;
        let most = (self.work_spaces.count() * TURNS).min(MAX_KEYS / targets.len().max(1)).max(1);
        let mut times = DeviceTimes::default();
        let mut n_done = 0;
        let tell = |done: usize| match progress {
            Some(progress) => progress(done as u64, sources.len() as u64),
            None => ControlFlow::Continue(()),
        };
        for first in (0..sources.len()).step_by(most) {
            let rows = first..(first + most).min(sources.len());
            let tell = progress.map(|_| |_| tell(n_done));
            let found = self.rows(launch, search, &sources[rows.clone()], &targets, tell)?;
            if found.overflowed && self.kind == KeyKind::U32 {
                return Ok(None);
            }
            n_done = rows.end;
            let start = Instant::now();
            take(rows, &found)?;
            times = times.and(DeviceTimes { download_ms: milliseconds(start), ..found.times });
        }
        if tell(n_done).is_break() { Err(SsspError::Interrupted) } else { Ok(Some(times)) }
    }

    /// The keys of `targets` from each of `sources`, in one launch, which `tell` may end.
    fn rows(
        &mut self,
        launch: &Launch,
        search: &SteppingSearch,
        sources: &[VertexId],
        targets: &Buffer<VertexId>,
        tell: Option<impl Fn(u64) -> ControlFlow<()>>,
    ) -> Result<Found, SsspError> {
        let gpu = &launch.gpu;
        let n_teams = self.work_spaces.count().min(sources.len());
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
        // SAFETY: the kernel reads the graph, sources and targets, which the solver has
        // checked, and writes as many work spaces as there are teams, a row of the table for
        // each source, and five sums; all are of `gpu`.
        unsafe { gpu.launch(&self.kernel, shape, &[Arg::structure(&request)])? };
        let solve_ms = launch.wait(tell)?;
        let work = work.download()?;
        let times = DeviceTimes { solve_ms, ..DeviceTimes::default() };
        let &[relaxations, improvements, settled, rounds, n_overflowed] = work.as_slice() else {
            unreachable!("five sums were asked for")
        };
        let work = Work { relaxations, improvements, settled, rounds, again: None };
        Ok(Found { table, work, overflowed: n_overflowed != 0, times })
    }
}

#[cfg(test)]
mod tests {
    use test_support::assert_same_layout;

    use super::*;

    #[test]
    fn structures_are_as_the_kernel_has_them() {
        assert_same_layout! { Batch as "Batch" of ["sssp/many_sources.cu", "sssp/delta_stepping/search.cuh"]:
            search, sources, table, next, work, n_sources, team_blocks
        }
    }
}
