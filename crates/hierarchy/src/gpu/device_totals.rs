//! Totals of distances in the memory of a GPU.

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, LaunchConfig};
use graph_formats::{VertexId, WeightKind};
use paths::{FloatSum, Progress};

use super::batches::{Batches, Side};
use super::device_key::{DeviceKey, Part, kernel};
use super::hierarchy::Arrays;
use crate::{HierarchyError, Lengths, Totals};

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
    too_far: u64,
    first_source: u32,
    n_batch: u32,
    n_ranks: u32,
    n_lanes: u32,
    is_single: u32,
    padding: u32,
}

/// The totals by rank, while they are on the GPU.
pub(super) struct DeviceTotals {
    n_sources: Buffer<u32>,
    lengths: DeviceLengths,
    reciprocals: Buffer<f64>,
    too_far: Buffer<u64>,
}

/// [`Lengths`] by rank, sums and the greatest.
enum DeviceLengths {
    Integers(Buffer<u128>, Buffer<u64>),
    Floats(Buffer<f64>, Buffer<f64>),
}

impl DeviceLengths {
    fn addresses(&self) -> [u64; 2] {
        match self {
            Self::Integers(sums, greatest) => [sums.address(), greatest.address()],
            Self::Floats(sums, greatest) => [sums.address(), greatest.address()],
        }
    }
}

impl DeviceTotals {
    /// Those that are there.
    pub(super) fn upload(device: &Arrays, totals: &Totals) -> Result<Self, HierarchyError> {
        let (gpu, vertices) = (&device.gpu, &device.hierarchy.vertices);
        let lengths = match &totals.lengths {
            Lengths::Integers { sums, greatest } => DeviceLengths::Integers(
                by_rank(gpu, vertices, sums)?,
                by_rank(gpu, vertices, greatest)?,
            ),
            Lengths::Floats { sums, greatest } => {
                let stored: Vec<_> = sums.iter().map(|sum| sum.to_storage()).collect();
                let sums = by_rank(gpu, vertices, &stored)?;
                DeviceLengths::Floats(sums, by_rank(gpu, vertices, greatest)?)
            }
        };
        Ok(Self {
            n_sources: by_rank(gpu, vertices, &totals.n_sources)?,
            lengths,
            reciprocals: by_rank(gpu, vertices, &totals.reciprocals)?,
            too_far: gpu.upload(&[NONE])?,
        })
    }

    /// Adds the distances from the sources that have these ranks.
    pub(super) fn add<K: DeviceKey>(
        &self,
        device: &Arrays,
        keys: &Buffer<K>,
        batches: &mut Batches<K>,
        sources: &[u32],
        is_single: bool,
        progress: Option<Progress<'_>>,
    ) -> Result<(), HierarchyError> {
        let gpu = &device.gpu;
        let kernel = kernel::<K>(gpu, Part::Results, "hierarchy_totals")?;
        let n_ranks = device.hierarchy.n_vertices();
        let config = LaunchConfig::covering(n_ranks as u64, VERTICES_PER_BLOCK);
        let [sums, greatest] = self.lengths.addresses();
        let keys = (keys, Side::FromSources);
        batches.sweep_all(device, keys, sources, progress, &|found, n_lanes, batch| {
            let launch = Launch {
                found: found.address(),
                n_sources: self.n_sources.address(),
                sums,
                greatest,
                reciprocals: self.reciprocals.address(),
                too_far: self.too_far.address(),
                first_source: batch.start as u32,
                n_batch: batch.len() as u32,
                n_ranks: n_ranks as u32,
                n_lanes: n_lanes as u32,
                is_single: is_single.into(),
                padding: 0,
            };
            // SAFETY: totals have a place for each rank, as what is found has, which has one for
            // each lane.
            unsafe { gpu.launch(&kernel, config, &[Arg::structure(&launch)])? };
            Ok(())
        })
    }

    /// The totals by vertex.
    pub(super) fn download(
        &self,
        device: &Arrays,
        sources: &[VertexId],
        kind: WeightKind,
    ) -> Result<Totals, HierarchyError> {
        let hierarchy = &device.hierarchy;
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
            lengths: match &self.lengths {
                DeviceLengths::Integers(sums, greatest) => Lengths::Integers {
                    sums: by_vertex(ranks, sums)?,
                    greatest: by_vertex(ranks, greatest)?,
                },
                DeviceLengths::Floats(sums, greatest) => {
                    let stored = by_vertex(ranks, sums)?;
                    let sums = stored.into_iter().map(FloatSum::from_storage).collect();
                    Lengths::Floats { sums, greatest: by_vertex(ranks, greatest)? }
                }
            },
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

#[cfg(test)]
mod tests {
    use test_support::assert_same_layout;

    use super::Launch;

    #[test]
    fn the_structure_is_as_the_kernel_has_it() {
        assert_same_layout! { Launch as "Totals" of ["hierarchy/results.cu"]:
            found, n_sources, sums, greatest, reciprocals, too_far,
            first_source, n_batch, n_ranks, n_lanes, is_single, padding
        }
    }
}
