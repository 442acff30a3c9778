//! Several GPUs of one machine, which share the sources of a table.
//!
//! Each has the graph, and searches from as many of the sources, which follow each other in the
//! table; a thread waits for it. Their progress is counted together. What ends one ends all: an
//! error, a panic of the callback, or its wish to end. A row depends on its source alone, so that
//! the table is the same with any number of GPUs.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::{iter, slice, thread};

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, Weight};

use super::{Boxed, Config, search};
use crate::cpu::threads::EndsOnPanic;
use crate::many::fill_row;
use crate::weights::SearchWeight;
use crate::{DeviceTimes, Found, Plan, Progress, Solver, SsspError, Work};

/// The plan and the search of the first GPU, and the searches of the others.
type Searches<'g, W> = (Plan, Boxed<'g, W>, Vec<Boxed<'g, W>>);

/// Those that `config` asks for, made on all `gpus` at once, of which there is one at least.
pub(crate) fn searches<'g, W: SearchWeight>(
    gpus: &[Gpu],
    graph: &'g Csr<W>,
    config: &Config,
) -> Result<Searches<'g, W>, SsspError> {
    let made = side_by_side(gpus.iter().collect(), |gpu| {
        search(gpu, graph, config).map_err(|error| error.named(gpus).named(slice::from_ref(gpu)))
    });
    let mut made = made.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter();
    let (plan, first) = made.next().expect("there is one GPU at least");
    Ok((plan, first, made.map(|(_, search)| search).collect()))
}

/// What a GPU has of a table.
struct Share<'a, 'g, W: Weight> {
    gpu: &'a Gpu,
    search: &'a mut Boxed<'g, W>,
    sources: &'a [VertexId],
    cells: &'a mut [W::Distance],
}

/// What came of it, and where the time went.
type Filled = Result<(Work, Option<DeviceTimes>), SsspError>;

impl<W: SearchWeight> Solver<'_, W> {
    /// Fills the rows, of one cell at least.
    pub(crate) fn fill_on_gpus(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        cells: &mut [W::Distance],
    ) -> Result<Found<()>, SsspError> {
        let Self { graph, plan, search, gpus, others, progress, .. } = self;
        let (graph, plan, progress) = (*graph, &*plan, *progress);
        let n_rows = sources.len().div_ceil(gpus.len());
        let rows = sources.chunks(n_rows).zip(cells.chunks_mut(n_rows * targets.len()));
        let devices = gpus.iter().zip(iter::once(search).chain(others));
        let shares = devices.zip(rows);
        let shares: Vec<_> = shares
            .map(|((gpu, search), (sources, cells))| Share { gpu, search, sources, cells })
            .collect();
        let (done, ended) = (AtomicU64::new(0), AtomicBool::new(false));
        let is_shared = shares.len() > 1;
        let filled = side_by_side(shares, |share| {
            let _ends = EndsOnPanic(&ended);
            let own = AtomicU64::new(0);
            let tell = |now: u64, _| {
                // less than before where the share is begun again
                let more = now.wrapping_sub(own.swap(now, Relaxed));
                let all = done.fetch_add(more, Relaxed).wrapping_add(more);
                match progress {
                    _ if ended.load(Relaxed) => ControlFlow::Break(()),
                    Some(progress) => progress(all, sources.len() as u64),
                    None => ControlFlow::Continue(()),
                }
            };
            let progress = if is_shared { Some(&tell as Progress<'_>) } else { progress };
            let gpu = slice::from_ref(share.gpu);
            let filled = share.fill(graph, plan, targets, progress);
            filled.map_err(|error| {
                ended.store(true, Relaxed);
                error.named(gpus).named(gpu)
            })
        });
        let (mut work, mut times) = (Work::default(), None);
        let mut interrupted = false;
        for filled in filled {
            match filled {
                // perhaps for the error of another
                Err(SsspError::Interrupted) => interrupted = true,
                filled => {
                    let (own, own_times) = filled?;
                    work.add(&own);
                    times = slower(times, own_times);
                }
            }
        }
        if interrupted {
            return Err(SsspError::Interrupted);
        }
        Ok(Found { device_times: times, ..self.found((), work) })
    }
}

impl<W: Weight> Share<'_, '_, W> {
    /// At once where the search can, or row by row.
    fn fill(
        self,
        graph: &Csr<W>,
        plan: &Plan,
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Filled {
        let Self { search, sources, cells, .. } = self;
        if let Some(work) = search.table(sources, targets, progress, cells)? {
            return Ok((work, search.device_times()));
        }
        let mut work = Work::default();
        let mut times: Option<DeviceTimes> = None;
        let rows = cells.chunks_exact_mut(targets.len());
        for (done, (&source, row)) in (1..).zip(sources.iter().zip(rows)) {
            work.add(&fill_row(graph, plan, &mut **search, source, targets, row)?);
            times = match (times, search.device_times()) {
                (Some(before), Some(now)) => Some(before.and(now)),
                (before, now) => before.or(now),
            };
            if progress.is_some_and(|tell| tell(done, sources.len() as u64).is_break()) {
                return Err(SsspError::Interrupted);
            }
        }
        Ok((work, times))
    }
}

/// The times of the GPU that searched the longest.
fn slower(a: Option<DeviceTimes>, b: Option<DeviceTimes>) -> Option<DeviceTimes> {
    [a, b].into_iter().flatten().max_by(|a, b| a.solve_ms.total_cmp(&b.solve_ms))
}

/// What `work` makes of each of `parts`, on a thread each, of which the caller's is one; on fewer
/// where the system refuses some. In no pool, whose threads would wait for a GPU and not compute.
fn side_by_side<T: Send, R: Send>(parts: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let n_parts = parts.len();
    let results: Mutex<Vec<_>> = Mutex::new((0..n_parts).map(|_| None).collect());
    let left = Mutex::new(parts.into_iter().enumerate());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || {
        while let Some((number, part)) = next() {
            let result = work(part);
            results.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(result);
        }
    };
    thread::scope(|scope| {
        for _ in 1..n_parts {
            let _ = thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().flatten().collect()
}
