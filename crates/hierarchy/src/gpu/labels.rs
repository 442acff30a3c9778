//! Labels on a GPU.
//!
//! They are made a depth after the other, from the roots down, in one cooperative launch: a thread
//! takes a key, the least over the arcs of its vertex. The distance from where an arc ends to an
//! ancestor is in the label of the deeper of the two, where on the CPU there is a matrix. Eight lanes
//! find the distance of a pair. The same sums in the same order: keys are those of the CPU
//! (`kernels/hierarchy/labels.cu`).
//!
//! Reference: ouyang-2018

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};
use gpu_runtime::{Arg, Buffer, Kernel, LaunchConfig};
use graph_formats::{VertexId, Weight, parallel};
use paths::Distances;

use super::DeviceMetric;
use super::customized::Customized;
use super::device_key::{DeviceKey, Part, kernel};
use super::hierarchy::Arrays;
use super::label_places::{EndPlace, LabelPlaces};
use super::metric::AnyKeys;
use crate::HierarchyError;
use crate::metric::key::is_float;
use crate::metric::lengths::{too_far, write_distances};

/// Threads of a block of the launch that makes labels.
const LABELLING_THREADS: u32 = 512;
/// Of more keys, two blocks are on each multiprocessor; of fewer one, for blocks wait for one another
/// at every depth.
const KEYS_OF_TWO_BLOCKS: usize = 1 << 26;
/// Threads of other blocks, and how many of them share a pair.
const THREADS: u32 = 256;
const LANES_PER_PAIR: u64 = 8;
/// Pairs of a launch, where they are copied to the GPU.
const PAIRS_PER_LAUNCH: usize = 1 << 24;
/// As many distances are worth another thread.
const PAIRS_PER_TASK: usize = 1 << 14;

/// `Symmetry` of `labels.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Symmetry {
    keys: u64,
    differs: u64,
    n_arcs: u64,
}

/// `Labelling` of `labels.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Labelling {
    parents: u64,
    offsets: u64,
    ends: u64,
    keys: u64,
    anchors: u64,
    dead_ends: u64,
    levels: u64,
    starts: u64,
    ancestor_starts: u64,
    labels: u64,
    to_anchors: u64,
    arrived: u64,
    n_levels: u32,
    n_directions: u32,
}

/// `Ends` of `labels.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Ends {
    ranks: u64,
    to_anchors: u64,
    ends: u64,
    n_vertices: u64,
}

/// `Pairs` of `labels.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Pairs {
    sources: u64,
    targets: u64,
    ends: u64,
    labels: u64,
    depths: u64,
    least_depths: u64,
    ranks: u64,
    parents: u64,
    offsets: u64,
    keys: u64,
    found: u64,
    wrong: u64,
    n_pairs: u64,
    n_vertices: u32,
    n_blocks: u32,
    n_directions: u32,
    padding: u32,
}

/// [`Labels`](crate::Labels) in the memory of a GPU: they find the distances of millions of pairs.
///
/// They are a snapshot of a [`DeviceMetric`], until [`DeviceLabels::renew`].
pub struct DeviceLabels<W: Weight> {
    device: Arc<Arrays>,
    places: LabelPlaces,
    keys: AnyLabelled,
    weights: std::marker::PhantomData<W>,
}

/// The labels, in keys of the type that those of the metric have.
enum AnyLabelled {
    U32(Labelled<u32>),
    U64(Labelled<u64>),
    F64(Labelled<f64>),
}

/// Evaluates the expression with the labels, for each type of keys that weights of `$W` may have.
macro_rules! with_labelled {
    ($W:ty, $any:expr, $labelled:ident => $body:expr) => {
        match $any {
            AnyLabelled::F64($labelled) if const { is_float::<$W>() } => $body,
            AnyLabelled::U32($labelled) if const { !is_float::<$W>() } => $body,
            AnyLabelled::U64($labelled) if const { !is_float::<$W>() } => $body,
            _ => unreachable!("keys are floats where weights are, and only there"),
        }
    };
}

/// Distances that a GPU has found, in its memory: as integers of 32 or 64 bits, which are half the
/// greatest of their type where there is no path, or as floats, infinite there.
pub enum DeviceDistances {
    /// Where all lengths are sure to fit in 31 bits.
    U32(Buffer<u32>),
    /// Of other integers.
    U64(Buffer<u64>),
    /// Of floats.
    F64(Buffer<f64>),
}

impl<W: Weight> DeviceMetric<W> {
    pub(crate) fn make_labels(&self) -> Result<DeviceLabels<W>, HierarchyError> {
        let device = self.device.clone();
        let places = LabelPlaces::new(&device.hierarchy, &device.gpu)?;
        let keys = AnyLabelled::of(&device, &places, &self.keys)?;
        Ok(DeviceLabels { device, places, keys, weights: std::marker::PhantomData })
    }
}

impl AnyLabelled {
    fn of(device: &Arrays, places: &LabelPlaces, keys: &AnyKeys) -> Result<Self, HierarchyError> {
        Ok(match keys {
            AnyKeys::U32(keys) => Self::U32(Labelled::of(device, places, keys)?),
            AnyKeys::U64(keys) => Self::U64(Labelled::of(device, places, keys)?),
            AnyKeys::F64(keys) => Self::F64(Labelled::of(device, places, keys)?),
        })
    }
}

impl<W: Weight> DeviceLabels<W> {
    pub(crate) fn take(&mut self, metric: &DeviceMetric<W>) -> Result<(), HierarchyError> {
        if !Arc::ptr_eq(&self.device, &metric.device) {
            return Err(HierarchyError::AnotherGraph);
        }
        let (device, places) = (&*self.device, &self.places);
        match (&mut self.keys, &metric.keys) {
            (AnyLabelled::U32(labels), AnyKeys::U32(keys)) => labels.renew(device, places, keys),
            (AnyLabelled::U64(labels), AnyKeys::U64(keys)) => labels.renew(device, places, keys),
            (AnyLabelled::F64(labels), AnyKeys::F64(keys)) => labels.renew(device, places, keys),
            (labels, keys) => {
                *labels = AnyLabelled::of(device, places, keys)?;
                Ok(())
            }
        }
    }

    pub(crate) fn find_pairs(
        &self,
        pairs: &[(VertexId, VertexId)],
    ) -> Result<Distances<W::Distance>, HierarchyError> {
        let gpu = &self.device.gpu;
        let mut distances = vec![W::Distance::default(); pairs.len()];
        for (pairs, distances) in
            pairs.chunks(PAIRS_PER_LAUNCH).zip(distances.chunks_mut(PAIRS_PER_LAUNCH))
        {
            let (sources, targets): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
            let (sources, targets) = (gpu.upload(&sources)?, gpu.upload(&targets)?);
            with_labelled!(W, &self.keys, labelled => {
                let found = labelled.find(&self.device, &self.places, [&sources, &targets])?;
                let found = found.download()?;
                let parts = distances.chunks_mut(PAIRS_PER_TASK).zip(found.chunks(PAIRS_PER_TASK));
                let parts = parts.zip(pairs.chunks(PAIRS_PER_TASK)).collect();
                parallel::try_map_of(parts, &|((cells, keys), pairs): ((&mut [_], &[_]), &[_])| {
                    match write_distances(keys.iter().copied(), cells) {
                        Some(at) => {
                            let (source, target): (VertexId, VertexId) = pairs[at];
                            Err(too_far::<W::Distance>(source, target))
                        }
                        None => Ok(()),
                    }
                })?;
            });
        }
        Ok(Distances::from_storage(distances))
    }

    pub(crate) fn find_on_device(
        &self,
        sources: &Buffer<VertexId>,
        targets: &Buffer<VertexId>,
    ) -> Result<DeviceDistances, HierarchyError> {
        let (device, places) = (&*self.device, &self.places);
        let ends = [sources, targets];
        Ok(match &self.keys {
            AnyLabelled::U32(keys) => DeviceDistances::U32(keys.find(device, places, ends)?),
            AnyLabelled::U64(keys) => DeviceDistances::U64(keys.find(device, places, ends)?),
            AnyLabelled::F64(keys) => DeviceDistances::F64(keys.find(device, places, ends)?),
        })
    }
}

/// Labels with keys of one type.
struct Labelled<K: DeviceKey> {
    n_directions: usize,
    /// Those of the metric's arcs, for vertices in one dead end.
    arcs: Buffer<K>,
    labels: Buffer<K>,
    /// By rank and direction.
    to_anchors: Buffer<K>,
    /// `End` of `labels.cu` by vertex.
    ends: Buffer<u8>,
    arrived: Buffer<u32>,
    pairs: Kernel,
}

impl<K: DeviceKey> Labelled<K> {
    fn of(
        device: &Arrays,
        places: &LabelPlaces,
        keys: &Customized<K>,
    ) -> Result<Self, HierarchyError> {
        let gpu = &device.gpu;
        let n_directions = n_directions(device, keys)?;
        let n = device.hierarchy.n_vertices();
        let n_keys = n_directions * places.n_keys + keys.keys.len() + 4 * n;
        gpu.check_fits("labels", (n_keys * size_of::<K>() + n * size_of::<EndPlace>()) as u64)?;
        let no_keys = [K::ZERO; 2];
        let ends = places.ends.iter().flat_map(|place| [bytes_of(place), bytes_of(&no_keys)]);
        let mut labelled = Self {
            n_directions,
            arcs: gpu.buffer(keys.keys.len())?,
            labels: gpu.buffer(n_directions * places.n_keys)?,
            to_anchors: gpu.buffer(2 * n)?,
            ends: gpu.upload(&ends.collect::<Vec<_>>().concat())?,
            arrived: gpu.buffer(1)?,
            pairs: kernel::<K>(gpu, Part::Labels, "hierarchy_label_pairs")?,
        };
        labelled.make(device, places, keys)?;
        Ok(labelled)
    }

    /// Makes them of other weights, in the same memory where directions are as before.
    fn renew(
        &mut self,
        device: &Arrays,
        places: &LabelPlaces,
        keys: &Customized<K>,
    ) -> Result<(), HierarchyError> {
        if n_directions(device, keys)? != self.n_directions {
            *self = Self::of(device, places, keys)?;
            return Ok(());
        }
        self.make(device, places, keys)
    }

    fn make(
        &mut self,
        device: &Arrays,
        places: &LabelPlaces,
        keys: &Customized<K>,
    ) -> Result<(), HierarchyError> {
        let gpu = &device.gpu;
        let n_vertices = device.hierarchy.n_vertices() as u64;
        self.arrived.fill_bytes(0)?;
        self.to_anchors.fill_bytes(0)?;
        let labelling = Labelling {
            parents: device.parents.address(),
            offsets: device.offsets.address(),
            ends: device.ends.address(),
            keys: self.arcs.address(),
            anchors: places.anchors.address(),
            dead_ends: places.dead_ends.address(),
            levels: places.levels.address(),
            starts: places.starts.address(),
            ancestor_starts: places.ancestor_starts.address(),
            labels: self.labels.address(),
            to_anchors: self.to_anchors.address(),
            arrived: self.arrived.address(),
            n_levels: places.n_levels,
            n_directions: self.n_directions as u32,
        };
        let ends = Ends {
            ranks: device.ranks.address(),
            to_anchors: self.to_anchors.address(),
            ends: self.ends.address(),
            n_vertices,
        };
        let blocks_each = if self.labels.len() > KEYS_OF_TWO_BLOCKS { 2 } else { 1 };
        let n_blocks = blocks_each * gpu.properties().multiprocessors;
        let config = LaunchConfig::new(n_blocks, LABELLING_THREADS);
        let config = LaunchConfig { cooperative: true, ..config };
        let of_ends = LaunchConfig::new(n_vertices.div_ceil(THREADS.into()) as u32, THREADS);
        let labels = kernel::<K>(gpu, Part::Labels, "hierarchy_labels")?;
        let label_ends = kernel::<K>(gpu, Part::Labels, "hierarchy_label_ends")?;
        if n_vertices > 0 {
            // SAFETY: the metric's keys are not written while the stream is waited for; all buffers
            // are of this hierarchy, in which ranks, depths and starts are in range, and as long as
            // the places tell.
            unsafe {
                if !keys.keys.is_empty() {
                    gpu.queue_copy(&keys.keys, 0..keys.keys.len(), &self.arcs, 0)?;
                }
                gpu.launch(&labels, config, &[Arg::structure(&labelling)])?;
                gpu.launch(&label_ends, of_ends, &[Arg::structure(&ends)])?;
            }
        }
        Ok(gpu.synchronize()?)
    }

    /// The keys of pairs.
    fn find(
        &self,
        device: &Arrays,
        places: &LabelPlaces,
        [sources, targets]: [&Buffer<VertexId>; 2],
    ) -> Result<Buffer<K>, HierarchyError> {
        if sources.len() != targets.len() {
            let (expected, found) = (sources.len(), targets.len());
            return Err(HierarchyError::NotAllTargets { expected, found });
        }
        let (gpu, n_pairs) = (&device.gpu, sources.len() as u64);
        gpu.check_fits("distances of pairs", n_pairs * size_of::<K>() as u64)?;
        let found = gpu.buffer::<K>(sources.len())?;
        let wrong = gpu.upload(&[u64::MAX])?;
        let pairs = Pairs {
            sources: sources.address(),
            targets: targets.address(),
            ends: self.ends.address(),
            labels: self.labels.address(),
            depths: device.depths.address(),
            least_depths: places.least_depths.address(),
            ranks: device.ranks.address(),
            parents: device.parents.address(),
            offsets: device.offsets.address(),
            keys: self.arcs.address(),
            found: found.address(),
            wrong: wrong.address(),
            n_pairs,
            n_vertices: device.hierarchy.n_vertices() as u32,
            n_blocks: places.n_blocks,
            n_directions: self.n_directions as u32,
            padding: 0,
        };
        let n_blocks = (n_pairs * LANES_PER_PAIR).div_ceil(THREADS.into());
        let n_blocks = u32::try_from(n_blocks).map_err(|_| {
            let reason = "there are too many pairs for one launch; find some at a time";
            HierarchyError::NotOnGpu { reason: reason.to_owned() }
        })?;
        if n_pairs > 0 {
            // SAFETY: there is room for a key of each pair; vertices that are not there are not
            // looked up; labels and places are of this hierarchy.
            unsafe {
                let config = LaunchConfig::new(n_blocks, THREADS);
                gpu.launch(&self.pairs, config, &[Arg::structure(&pairs)])?;
            }
            gpu.synchronize()?;
        }
        let wrong = wrong.download()?[0] as usize;
        if wrong < sources.len() {
            let end = |of: &Buffer<_>| of.download_range(wrong..wrong + 1).map(|ends| ends[0]);
            device.hierarchy.rank("source", end(sources)?)?;
            device.hierarchy.rank("target", end(targets)?)?;
        }
        Ok(found)
    }
}

/// One where every distance is that of the way back, else two.
fn n_directions<K: DeviceKey>(
    device: &Arrays,
    keys: &Customized<K>,
) -> Result<usize, HierarchyError> {
    let gpu = &device.gpu;
    let differs = gpu.upload(&[0u32])?;
    let n_arcs = device.hierarchy.n_arcs() as u64;
    let symmetry = Symmetry { keys: keys.keys.address(), differs: differs.address(), n_arcs };
    if n_arcs > 0 {
        let kernel = kernel::<K>(gpu, Part::Labels, "hierarchy_asymmetry")?;
        let config = LaunchConfig::new(4 * gpu.properties().multiprocessors, THREADS);
        // SAFETY: two keys of each arc are read, and one number is written.
        unsafe { gpu.launch(&kernel, config, &[Arg::structure(&symmetry)])? };
    }
    Ok(1 + differs.download()?[0] as usize)
}

#[cfg(test)]
mod tests {
    use test_support::assert_same_layout;

    use super::{Ends, Labelling, Pairs, Symmetry};

    #[test]
    fn the_structures_are_as_the_kernels_have_them() {
        assert_same_layout! { Symmetry as "Symmetry" of ["hierarchy/labels.cu"]:
            keys, differs, n_arcs
        }
        assert_same_layout! { Labelling as "Labelling" of ["hierarchy/labels.cu"]:
            parents, offsets, ends, keys, anchors, dead_ends, levels, starts, ancestor_starts,
            labels, to_anchors, arrived, n_levels, n_directions
        }
        assert_same_layout! { Ends as "Ends" of ["hierarchy/labels.cu"]:
            ranks, to_anchors, ends, n_vertices
        }
        assert_same_layout! { Pairs as "Pairs" of ["hierarchy/labels.cu"]:
            sources, targets, ends, labels, depths, least_depths, ranks, parents, offsets, keys,
            found, wrong, n_pairs, n_vertices, n_blocks, n_directions, padding
        }
    }
}
