//! Several GPUs of one machine, which share the sources of a table.
//!
//! Each GPU has the graph, and searches from an equal share of consecutive sources; a thread waits
//! for each GPU. Progress is the sum over all GPUs. An error, a panic of the callback or its
//! request to stop ends the searches on all GPUs. A row depends on its source alone, so the table
//! is the same with any number of GPUs.

use std::ops::ControlFlow;
use std::slice;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use gpu_runtime::Gpu;
use graph_formats::{Csr, Interrupted, Weight};
use paths::Progress;
use search_parts::{EndsOnPanic, side_by_side};

use super::algorithm::Config;
use super::on_gpu::OnGpu;
use crate::table::Table;
use crate::weights::SearchKeys;
use crate::{DeviceTimes, Plan, SsspError, Work};

/// GPUs of one machine with a search on each. Only tables use more than the first GPU.
pub(crate) struct OnGpus<'g, W: Weight> {
    pub(crate) gpus: Vec<Gpu>,
    searches: Vec<OnGpu<'g, W>>,
    /// Times of making the search on the first GPU.
    pub(crate) preparation: DeviceTimes,
}

impl<'g, W: SearchKeys> OnGpus<'g, W> {
    /// Makes the searches by `config` on all `gpus` at once, with the plan of the first. There is
    /// at least one GPU.
    pub(crate) fn new(
        gpus: &[Gpu],
        graph: &'g Csr<W>,
        config: &Config,
    ) -> Result<(Plan, Self), SsspError> {
        let made = side_by_side(gpus.iter().collect(), |gpu| {
            let made = OnGpu::new(gpu, graph, config);
            made.map_err(|error| error.named(gpus).named(slice::from_ref(gpu)))
        });
        let made = made.into_iter().collect::<Result<Vec<_>, _>>()?;
        let (mut plans, mut searches): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let preparation = searches[0].times().without_search();
        Ok((plans.swap_remove(0), Self { gpus: gpus.to_vec(), searches, preparation }))
    }

    /// A mock: a search that has these distances, and no GPU.
    #[cfg(test)]
    pub(crate) fn mock(
        graph: &'g Csr<W>,
        distances: Vec<W::Distance>,
        preparation: DeviceTimes,
    ) -> Self {
        let search = super::on_gpu::tests::EvenSources { distances, times: preparation };
        let search = super::multi_source::GpuSearch::Single(Box::new(search));
        let search = OnGpu::of(search, graph, crate::Config::default());
        Self { gpus: Vec::new(), searches: vec![search], preparation }
    }

    /// The result of `work` by the search on the first GPU.
    pub(crate) fn on_first<T>(
        &mut self,
        work: impl FnOnce(&mut OnGpu<'g, W>) -> Result<T, SsspError>,
    ) -> Result<T, SsspError> {
        work(&mut self.searches[0]).map_err(|error| error.named(&self.gpus))
    }

    /// Times of the last search on the first GPU.
    pub(crate) fn times(&mut self) -> DeviceTimes {
        self.searches[0].times()
    }

    /// Fills the table. Returns the work, and the times of the slowest GPU.
    pub(crate) fn fill(
        &mut self,
        plan: &Plan,
        table: Table<'_, W::Distance>,
    ) -> Result<(Work, DeviceTimes), SsspError> {
        let Self { gpus, searches, .. } = self;
        let Table { sources, targets, cells, progress } = table;
        let n_rows = sources.len().div_ceil(gpus.len());
        let rows = sources.chunks(n_rows).zip(cells.chunks_mut(n_rows * targets.len()));
        let shares: Vec<_> = gpus.iter().zip(searches).zip(rows).collect();
        let (done, ended) = (AtomicU64::new(0), AtomicBool::new(false));
        let is_shared = shares.len() > 1;
        let filled = side_by_side(shares, |((gpu, search), (own_sources, cells))| {
            let _ends = EndsOnPanic(&ended);
            let own = AtomicU64::new(0);
            let tell = |now: u64, _| {
                // a share that starts again reports less than before
                let more = now.wrapping_sub(own.swap(now, Relaxed));
                let all = done.fetch_add(more, Relaxed).wrapping_add(more);
                match progress {
                    _ if ended.load(Relaxed) => ControlFlow::Break(()),
                    Some(progress) => progress(all, sources.len() as u64),
                    None => ControlFlow::Continue(()),
                }
            };
            let progress = if is_shared { Some(&tell as Progress<'_>) } else { progress };
            let mut table = Table { sources: own_sources, targets, cells, progress };
            search.fill(plan, &mut table).map_err(|error| {
                ended.store(true, Relaxed);
                error.named(gpus).named(slice::from_ref(gpu))
            })
        });
        let (mut work, mut times) = (Work::default(), DeviceTimes::default());
        let mut interrupted = false;
        for filled in filled {
            match filled {
                // another GPU's error may be the cause
                Err(SsspError::Interrupted(_)) => interrupted = true,
                filled => {
                    let (own, own_times) = filled?;
                    work.add(&own);
                    times = if times.solve_ms > own_times.solve_ms { times } else { own_times };
                }
            }
        }
        if interrupted {
            return Err(Interrupted.into());
        }
        Ok((work, times))
    }
}
