//! Distances added up for every vertex, on a GPU.
//!
//! After the sweep of a batch a thread goes through the sources of a vertex in their order
//! (`kernels/hierarchy/results.cu`), so that sums of floats are those of one addition after the
//! other on the CPU. Only the totals are copied. O(arcs of the hierarchy + n) a source.

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, LaunchConfig};
use graph_formats::{VertexId, Weight, WeightKind};
use paths::Progress;

use super::DeviceMetric;
use super::batches::Batches;
use super::device_key::{DeviceKey, Part, kernel};
use super::hierarchy::DeviceHierarchy;
use super::metric::with_keys;
use crate::{HierarchyError, Totals};

/// Vertices of a block.
const VERTICES_PER_BLOCK: u32 = 128;
/// What [`DeviceTotals::too_far`] has where no distance is.
const NONE: u64 = u64::MAX;

/// `Totals` of `results.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Launch {
    found: u64,
    n_sources: u64,
    sums: u64,
    greatest: u64,
    reciprocals: u64,
    exact_sums: u64,
    too_far: u64,
    first_source: u32,
    n_batch: u32,
    n_ranks: u32,
    n_lanes: u32,
    is_single: u32,
    padding: u32,
}

/// The totals by rank, while they are on the GPU.
struct DeviceTotals {
    n_sources: Buffer<u32>,
    sums: Buffer<f64>,
    greatest: Buffer<f64>,
    reciprocals: Buffer<f64>,
    exact_sums: Buffer<u128>,
    too_far: Buffer<u64>,
}

impl<W: Weight> DeviceMetric<'_, W> {
    /// Adds up the distances of every vertex from all of `sources`, 512 at a time.
    ///
    /// Tells `progress` how many sources are done. The GPU holds a key for each vertex and source
    /// of a batch, and 44 bytes a vertex.
    ///
    /// # Errors
    /// When a source does not exist, a distance overflows its type, the callback ended the work, or
    /// the GPU fails or has too little memory.
    ///
    /// ```
    /// use gpu_runtime::Gpu;
    /// use graph_formats::Csr;
    /// use hierarchy::cuda::DeviceHierarchy;
    /// use hierarchy::{Hierarchy, Order};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
    /// let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
    /// if let Ok(gpu) = Gpu::open() {
    ///     let on_gpu = DeviceHierarchy::new(&hierarchy, &graph, &gpu)?;
    ///     let totals = on_gpu.customize(&graph)?.totals(&[0, 1, 2], None)?;
    ///     assert_eq!((totals.n_sources, totals.greatest), (vec![1, 2, 3], vec![0.0, 5.0, 7.0]));
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
        let device = self.device;
        let (expected, found) = (device.hierarchy.n_vertices(), totals.n_sources.len());
        if expected != found {
            let what = "totals";
            return Err(HierarchyError::NotAllVertices { what, expected, found });
        }
        let ranks = self.ranks("source", sources)?;
        let is_float = W::ZERO.to_i128().is_none();
        let is_single = is_float && size_of::<W::Distance>() == size_of::<f32>();
        let on_gpu = DeviceTotals::upload(device, totals)?;
        with_keys!(&mut self.keys, keys => {
            let before = keys.batches.take();
            let batches = Batches::for_sources(before, device, sources.len(), 0)?;
            let batches = keys.batches.insert(batches);
            on_gpu.add(device, &keys.keys, batches, &ranks, is_single, progress)?;
        });
        *totals = on_gpu.download(device, sources, W::Distance::KIND)?;
        Ok(())
    }
}

impl DeviceTotals {
    /// Those that are there.
    fn upload(device: &DeviceHierarchy<'_>, totals: &Totals) -> Result<Self, HierarchyError> {
        let (gpu, vertices) = (&device.gpu, &device.hierarchy.vertices);
        let exact_sums = totals.exact_sums.as_deref().unwrap_or_default();
        Ok(Self {
            n_sources: by_rank(gpu, vertices, &totals.n_sources)?,
            sums: by_rank(gpu, vertices, &totals.sums)?,
            greatest: by_rank(gpu, vertices, &totals.greatest)?,
            reciprocals: by_rank(gpu, vertices, &totals.reciprocals)?,
            exact_sums: by_rank(gpu, vertices, exact_sums)?,
            too_far: gpu.upload(&[NONE])?,
        })
    }

    /// Adds the distances from the sources that have these ranks.
    fn add<K: DeviceKey>(
        &self,
        device: &DeviceHierarchy<'_>,
        keys: &Buffer<K>,
        batches: &mut Batches<K>,
        sources: &[u32],
        is_single: bool,
        progress: Option<Progress<'_>>,
    ) -> Result<(), HierarchyError> {
        let gpu = &device.gpu;
        let kernel = kernel::<K>(gpu, Part::Results, "hierarchy_totals")?;
        let on_device = gpu.upload(sources)?;
        let n_ranks = device.hierarchy.n_vertices();
        let config = LaunchConfig::covering(n_ranks as u64, VERTICES_PER_BLOCK);
        let mut done = (gpu.event()?, 0);
        for batch in 0..batches.count(sources.len()) {
            batches.sweep(device, keys, &on_device, &device.all, batch)?;
            let first_source = batch * batches.n_lanes;
            let n_batch = batches.n_lanes.min(sources.len() - first_source);
            let launch = Launch {
                found: batches.found(batch).address(),
                n_sources: self.n_sources.address(),
                sums: self.sums.address(),
                greatest: self.greatest.address(),
                reciprocals: self.reciprocals.address(),
                exact_sums: self.exact_sums.address(),
                too_far: self.too_far.address(),
                first_source: first_source as u32,
                n_batch: n_batch as u32,
                n_ranks: n_ranks as u32,
                n_lanes: batches.n_lanes as u32,
                is_single: is_single.into(),
                padding: 0,
            };
            // SAFETY: totals have a place for each rank, as what is found has, which has one for
            // each lane.
            unsafe { gpu.launch(&kernel, config, &[Arg::structure(&launch)])? };
            // no more than two batches are queued, so that an end is heard
            done.0.wait()?;
            tell(progress, done.1, sources.len())?;
            done.0.record(gpu)?;
            done.1 = first_source + n_batch;
        }
        gpu.synchronize()?;
        tell(progress, sources.len(), sources.len())
    }

    /// The totals by vertex.
    fn download(
        &self,
        device: &DeviceHierarchy<'_>,
        sources: &[VertexId],
        kind: WeightKind,
    ) -> Result<Totals, HierarchyError> {
        let hierarchy = device.hierarchy;
        match self.too_far.download()?[..] {
            [NONE] => {}
            [first, ..] => {
                let source_vertex = sources[(first >> 32) as usize];
                let target = hierarchy.vertices[first as u32 as usize];
                return Err(HierarchyError::Overflow { source_vertex, target, kind });
            }
            [] => unreachable!("it has one word"),
        }
        let ranks = &hierarchy.ranks;
        Ok(Totals {
            n_sources: by_vertex(ranks, &self.n_sources)?,
            sums: by_vertex(ranks, &self.sums)?,
            exact_sums: match self.exact_sums.is_empty() {
                true => None,
                false => Some(by_vertex(ranks, &self.exact_sums)?),
            },
            greatest: by_vertex(ranks, &self.greatest)?,
            reciprocals: by_vertex(ranks, &self.reciprocals)?,
        })
    }
}

/// What each rank has, which is one of these vertices; nothing where no vertex has anything.
fn by_rank<T: Pod>(
    gpu: &Gpu,
    vertices: &[VertexId],
    by_vertex: &[T],
) -> Result<Buffer<T>, HierarchyError> {
    let of_rank = |&vertex: &VertexId| by_vertex.get(vertex as usize).copied();
    Ok(gpu.upload(&vertices.iter().filter_map(of_rank).collect::<Vec<_>>())?)
}

/// What each vertex has, which has one of these ranks.
fn by_vertex<T: Pod>(ranks: &[u32], by_rank: &Buffer<T>) -> Result<Vec<T>, HierarchyError> {
    let by_rank = by_rank.download()?;
    Ok(ranks.iter().map(|&rank| by_rank[rank as usize]).collect())
}

/// Tells how many sources are done.
pub(super) fn tell(
    progress: Option<Progress<'_>>,
    done: usize,
    total: usize,
) -> Result<(), HierarchyError> {
    match progress {
        Some(progress) if progress(done as u64, total as u64).is_break() => {
            Err(HierarchyError::Interrupted)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use kernels::layout;
    use kernels::layout::{HIERARCHY_RESULTS, layout_in};

    use super::Launch;

    #[test]
    fn the_structure_is_as_the_kernel_has_it() {
        let here = layout!(Launch: found, n_sources, sums, greatest, reciprocals, exact_sums,
            too_far, first_source, n_batch, n_ranks, n_lanes, is_single, padding);
        assert_eq!(here, layout_in(HIERARCHY_RESULTS, "Totals"));
    }
}
