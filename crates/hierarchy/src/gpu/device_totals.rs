//! Totals of distances in the memory of a GPU.

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, LaunchConfig};
use graph_formats::{VertexId, Weight, WeightKind};
use paths::{FloatSum, Progress};
use rayon::prelude::*;

use super::batches::{Batches, Side};
use super::device_key::{DeviceKey, Part, kernel};
use super::hierarchy::Arrays;
use super::totals::SOURCES_PER_PART;
use crate::metric::key::is_float;
use crate::{HierarchyError, Lengths, Totals};

/// Vertices of a block.
const VERTICES_PER_BLOCK: u32 = 128;
/// As many vertices are worth another thread.
const VERTICES_PER_TASK: usize = 1 << 12;
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

/// The totals by rank, while they are on the GPU; sums of floats for each part of the sources, one
/// part after the other.
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
    /// Those for the part that begins at this place.
    fn addresses(&self, first: usize) -> [u64; 2] {
        match self {
            Self::Integers(sums, greatest) => [sums.address(), greatest.address()],
            Self::Floats(sums, greatest) => [address_at(sums, first), greatest.address()],
        }
    }
}

impl DeviceTotals {
    /// Those of no sources yet, for this many parts.
    pub(super) fn new<W: Weight>(device: &Arrays, n_parts: usize) -> Result<Self, HierarchyError> {
        let (gpu, n) = (&device.gpu, device.hierarchy.n_vertices());
        let lengths = match is_float::<W>() {
            true => DeviceLengths::Floats(gpu.buffer(n_parts * n)?, gpu.buffer(n)?),
            false => DeviceLengths::Integers(gpu.buffer(n)?, gpu.buffer(n)?),
        };
        let (reciprocals, too_far) = (gpu.buffer(n_parts * n)?, gpu.upload(&[NONE])?);
        Ok(Self { n_sources: gpu.buffer(n)?, lengths, reciprocals, too_far })
    }

    /// Those that are there, as one part.
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
        let keys = (keys, Side::FromSources);
        batches.sweep_all(device, keys, sources, progress, &|found, n_lanes, batch| {
            // lanes divide a part, unless there is only one
            let part = (batch.start / SOURCES_PER_PART).min(self.reciprocals.len() / n_ranks - 1);
            let [sums, greatest] = self.lengths.addresses(part * n_ranks);
            let launch = Launch {
                found: found.address(),
                n_sources: self.n_sources.address(),
                sums,
                greatest,
                reciprocals: address_at(&self.reciprocals, part * n_ranks),
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

    /// An error where a distance from these sources was too far.
    pub(super) fn check(
        &self,
        device: &Arrays,
        sources: &[VertexId],
        kind: WeightKind,
    ) -> Result<(), HierarchyError> {
        match self.too_far.download()?[..] {
            [NONE] => Ok(()),
            [first, ..] => {
                let source_vertex = sources[(first >> 32) as usize];
                let target = device.hierarchy.vertices[first as u32 as usize];
                Err(HierarchyError::Overflow { source_vertex, target, kind })
            }
            [] => unreachable!("it has one word"),
        }
    }

    /// Adds these to totals by vertex.
    pub(super) fn add_to(&self, to: &Arrays, totals: &mut Totals) -> Result<(), HierarchyError> {
        let Totals { n_sources, lengths, reciprocals } = totals;
        add(to, &self.n_sources, n_sources, &|all, n| *all += n)?;
        match (&self.lengths, lengths) {
            (DeviceLengths::Integers(more, others), Lengths::Integers { sums, greatest }) => {
                add(to, more, sums, &|all, sum| *all += sum)?;
                add(to, others, greatest, &|all, other| *all = other.max(*all))?;
            }
            (DeviceLengths::Floats(more, others), Lengths::Floats { sums, greatest }) => {
                add(to, more, sums, &|all, sum| *all += FloatSum::from_storage(sum))?;
                add(to, others, greatest, &|all, other| *all = other.max(*all))?;
            }
            _ => unreachable!("both are of weights of one type"),
        }
        add(to, &self.reciprocals, reciprocals, &|all, sum| *all += sum)
    }
}

fn address_at<T>(buffer: &Buffer<T>, first: usize) -> u64 {
    buffer.address() + (first * size_of::<T>()) as u64
}

/// Adds what each rank has, one part after the other, to what its vertex has.
fn add<T: Pod + Sync, A: Send>(
    device: &Arrays,
    by_rank: &Buffer<T>,
    by_vertex: &mut [A],
    add: &(impl Fn(&mut A, T) + Sync),
) -> Result<(), HierarchyError> {
    let (gpu, n) = (&device.gpu, by_vertex.len());
    let mut part = gpu.pinned(n)?;
    for first in (0..by_rank.len()).step_by(n.max(1)) {
        // SAFETY: the copy is waited for before either side is used.
        unsafe { gpu.queue_download(by_rank, first..first + n, &mut part, 0)? };
        gpu.synchronize()?;
        let (part, vertices) =
            (&part[..], by_vertex.par_iter_mut().with_min_len(VERTICES_PER_TASK));
        let of_ranks = vertices.zip(&device.hierarchy.ranks[..]);
        of_ranks.for_each(|(all, &rank)| add(all, part[rank as usize]));
    }
    Ok(())
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
