//! Distances added up for every vertex, on GPUs.
//!
//! After the sweep of a batch a thread goes through the sources of a vertex in their order
//! (`kernels/hierarchy/results.cu`), so that sums of floats are those of one addition after the
//! other on the CPU. Several GPUs have sums of floats for each part of their sources, and these are
//! added in the order of the parts; so the bits are the same on any number of GPUs. Only the totals
//! are copied. O(arcs of the hierarchy + n) a source.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use graph_formats::{VertexId, Weight};
use paths::Progress;
use search_parts::side_by_side;

use super::DeviceMetric;
use super::batches::Batches;
use super::device_totals::DeviceTotals;
use super::metric::with_keys;
use crate::metric::key::is_float;
use crate::{HierarchyError, Totals};

/// Sources whose floats [`shared_totals`](super::shared_totals) adds up one after the other. As
/// many share a sweep, so that launches of few vertices have work for most multiprocessors.
pub const SOURCES_PER_PART: usize = 1 << 12;

impl<W: Weight> DeviceMetric<W> {
    /// Those of no sources yet.
    pub(crate) fn no_totals(&self) -> Totals {
        Totals::new::<W>(self.device.hierarchy.n_vertices())
    }

    pub(crate) fn add_to(
        &mut self,
        totals: &mut Totals,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<(), HierarchyError> {
        totals.check(self.device.hierarchy.n_vertices(), !is_float::<W>())?;
        let on_gpu = DeviceTotals::upload(&self.device, totals)?;
        self.sweep(&on_gpu, sources, progress)?;
        let mut all = self.no_totals();
        on_gpu.add_to(&self.device, &mut all)?;
        *totals = all;
        Ok(())
    }

    /// Adds the distances from the sources to what is on the GPU.
    fn sweep(
        &mut self,
        totals: &DeviceTotals,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<(), HierarchyError> {
        let device = &*self.device;
        let ranks = device.hierarchy.ranks_of("source", sources)?;
        let is_single = is_float::<W>() && size_of::<W::Distance>() == size_of::<f32>();
        with_keys!(W, &mut self.keys, keys => {
            let before = keys.batches.take();
            let (n_sources, n_lanes) = (sources.len(), SOURCES_PER_PART);
            let batches = Batches::for_sources(before, device, n_sources, n_lanes, 0)?;
            let batches = keys.batches.insert(batches);
            totals.add(device, &keys.keys, batches, &ranks, is_single, progress)?;
        });
        totals.check(device, sources, W::Distance::KIND)
    }
}

pub(crate) fn totals_by_gpus<W: Weight>(
    metrics: &mut [DeviceMetric<W>],
    totals: &mut Totals,
    sources: &[VertexId],
    progress: Option<Progress<'_>>,
) -> Result<(), HierarchyError> {
    for metric in &*metrics {
        totals.check(metric.device.hierarchy.n_vertices(), !is_float::<W>())?;
    }
    let n_parts = sources.len().div_ceil(SOURCES_PER_PART);
    let share = n_parts.div_ceil(metrics.len().max(1)).max(1) * SOURCES_PER_PART;
    let (done, total) = (AtomicU64::new(0), sources.len() as u64);
    let shares = metrics.iter_mut().zip(sources.chunks(share)).collect();
    let found = side_by_side(shares, |(metric, sources): (&mut DeviceMetric<W>, &[VertexId])| {
        let n_parts = sources.len().div_ceil(SOURCES_PER_PART);
        let found = DeviceTotals::new::<W>(&metric.device, n_parts)?;
        let own = AtomicU64::new(0);
        let step = |own_done: u64, _| {
            let more = own_done - own.swap(own_done, Relaxed);
            let done = done.fetch_add(more, Relaxed) + more;
            progress.map_or(ControlFlow::Continue(()), |tell| tell(done, total))
        };
        metric.sweep(&found, sources, Some(&step))?;
        Ok(found)
    });
    let found = found.into_iter().collect::<Result<Vec<_>, HierarchyError>>()?;
    let mut of_metrics = metrics.iter().zip(&found);
    of_metrics.try_for_each(|(metric, found)| found.add_to(&metric.device, totals))
}
