//! Distances added up for every vertex, on a GPU.
//!
//! After the sweep of a batch a thread goes through the sources of a vertex in their order
//! (`kernels/hierarchy/results.cu`), so that sums of floats are those of one addition after the
//! other on the CPU. Only the totals are copied. O(arcs of the hierarchy + n) a source.

use graph_formats::{VertexId, Weight};
use paths::Progress;

use super::DeviceMetric;
use super::batches::Batches;
use super::device_totals::DeviceTotals;
use super::metric::with_keys;
use crate::metric::key::is_float;
use crate::{HierarchyError, Totals};

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
        let device = &*self.device;
        let ranks = self.device.hierarchy.ranks_of("source", sources)?;
        let is_integer = !is_float::<W>();
        totals.check(device.hierarchy.n_vertices(), is_integer)?;
        let is_single = !is_integer && size_of::<W::Distance>() == size_of::<f32>();
        let on_gpu = DeviceTotals::upload(device, totals)?;
        with_keys!(W, &mut self.keys, keys => {
            let before = keys.batches.take();
            let batches = Batches::for_sources(before, device, sources.len(), 0)?;
            let batches = keys.batches.insert(batches);
            on_gpu.add(device, &keys.keys, batches, &ranks, is_single, progress)?;
        });
        *totals = on_gpu.download(device, sources, W::Distance::KIND)?;
        Ok(())
    }
}
