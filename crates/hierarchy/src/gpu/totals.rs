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
use crate::{HierarchyError, MetricWeight, Totals};

impl<W: MetricWeight> DeviceMetric<W> {
    /// Adds up the distances of every vertex from all of `sources`, 512 at a time.
    ///
    /// Tells `progress` how many sources are done. The GPU holds a key for each vertex and source
    /// of a batch, and 36 bytes a vertex.
    ///
    /// # Errors
    /// When a source does not exist, a distance overflows its type, the callback ended the work, or
    /// the GPU fails or has too little memory.
    ///
    /// ```
    /// use gpu_runtime::Gpu;
    /// use graph_formats::Csr;
    /// use hierarchy::gpu::DeviceHierarchy;
    /// use hierarchy::{Hierarchy, Lengths, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// if let Ok(gpu) = Gpu::open() {
    ///     let on_gpu = DeviceHierarchy::new(&hierarchy, &graph, &gpu)?;
    ///     let totals = on_gpu.customize(&graph)?.totals(&[0, 1, 2], None)?;
    ///     let lengths = Lengths::Integers { sums: vec![0, 5, 9], greatest: vec![0, 5, 7] };
    ///     assert_eq!((totals.n_sources, totals.lengths), (vec![1, 2, 3], lengths));
    ///     assert_eq!(totals.reciprocals, [0.0, 1.0 / 5.0, 1.0 / 7.0 + 1.0 / 2.0]);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn totals(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Totals, HierarchyError> {
        let mut totals = Totals::new::<W>(self.device.hierarchy.n_vertices());
        self.add_totals(&mut totals, sources, progress)?;
        Ok(totals)
    }

    /// The same, added to the totals of other sources, which have gone before: as those of all in
    /// one call, to the last bit, so that a long work can be kept in between and resumed.
    ///
    /// # Errors
    /// As [`DeviceMetric::totals`], and when the totals are not of as many vertices. They are then
    /// as they were.
    pub fn add_totals(
        &mut self,
        totals: &mut Totals,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<(), HierarchyError> {
        W::add_totals_on_gpu(self, totals, sources, progress)
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
