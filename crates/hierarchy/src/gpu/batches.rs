//! Sweeps of many sources at once.
//!
//! Hundreds of sources share a sweep, or thousands for totals. The keys of a vertex lie side by side: 16 bytes of them are a
//! thread's, and 512 a warp's, which goes through a subtree, or a block's, which goes through a
//! chain (`segments.rs`, `kernels/hierarchy/sweep.cu`). They read only lanes that they have written
//! themselves, or that a launch before has. So a sweep is some twenty launches without barriers of
//! the grid, and every arc is read once for 512 bytes of lanes. The walks up from the sources, a
//! warp each, are done for several batches together: one is long and has little work. O(arcs of the
//! hierarchy) additions a source.
//!
//! The paper sweeps by levels of vertices: with those of an elimination tree, hundreds, waiting
//! between them would take longer than the work. Chains on a stream of their own, beside the
//! subtrees of the batch before, would gain a seventh of the time and take twice the memory; they
//! wait.
//!
//! Reference: delling-2011

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Kernel, LaunchConfig};
use graph_formats::tell;
use paths::Progress;

use super::device_key::{DeviceKey, Part, kernel};
use super::hierarchy::{Arrays, DeviceSegments};
use crate::HierarchyError;

/// Threads of a block that sweeps subtrees.
const THREADS: u32 = 128;
/// Threads of a block that sweeps a chain.
const THREADS_OF_CHAIN: u32 = 256;
/// Sources of a sweep, at most, where each has results of its own.
pub(super) const MAX_LANES: usize = 512;
/// Batches whose walks up are done together: bits of a mark.
const BATCHES_PER_WALK: usize = 16;
/// Bytes of the lanes of a warp.
const BYTES_PER_WARP: usize = 512;

/// `WalkUp` of `sweep.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct WalkUp {
    sources: u64,
    parents: u64,
    depths: u64,
    offsets: u64,
    ends: u64,
    keys: u64,
    ancestors: u64,
    found: u64,
    marks: u64,
    n_sources: u32,
    n_lanes: u32,
    height: u32,
    padding: u32,
}

/// `Sweep` of `sweep.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Sweep {
    ranks: u64,
    segments: u64,
    depths: u64,
    offsets: u64,
    heads: u64,
    keys: u64,
    ancestors: u64,
    found_up: u64,
    marks: u64,
    found: u64,
    first_segment: u32,
    n_segments: u32,
    n_lanes: u32,
    mark: u32,
}

/// Which distances a sweep finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// From each source to all vertices.
    FromSources,
    /// From all vertices to each source.
    ToSources,
}

impl Side {
    /// The addresses of the first arc's key on the way up from sources, and on the way down. Those
    /// of other arcs follow at twice the size of a key.
    fn up_and_down<K>(self, keys: &Buffer<K>) -> [u64; 2] {
        let (up, down) = (keys.address(), keys.address() + size_of::<K>() as u64);
        match self {
            Self::FromSources => [up, down],
            Self::ToSources => [down, up],
        }
    }
}

/// Gets what a batch has found by rank and lane, how many lanes there are, and the places of its
/// sources.
type Take<'a, K> = &'a dyn Fn(&Buffer<K>, usize, Range<usize>) -> Result<(), HierarchyError>;

/// The work space of sweeps.
pub(super) struct Batches<K> {
    /// How many sources a batch has, at most.
    pub(super) n_lanes: usize,
    /// By rank and lane, what the last sweep has found.
    pub(super) found: Buffer<K>,
    /// By batch, depth and lane.
    ancestors: Buffer<u32>,
    found_up: Buffer<K>,
    marks: Buffer<u32>,
    walk_up: Kernel,
    sweep_chains: Kernel,
    sweep_subtrees: Kernel,
}

impl<K: DeviceKey> Batches<K> {
    /// A work space for as many sources at once as `n_sources`, `max_lanes` and the memory allow,
    /// with `bytes_per_lane` more bytes for each. It is that of an earlier call if that suffices.
    pub(super) fn for_sources(
        before: Option<Self>,
        device: &Arrays,
        n_sources: usize,
        max_lanes: usize,
        bytes_per_lane: usize,
    ) -> Result<Self, HierarchyError> {
        let gpu = &device.gpu;
        let height = device.height;
        let shared = height * size_of::<K>();
        let limit = gpu.properties().shared_bytes_per_block as usize;
        if shared > limit {
            let max = limit / size_of::<K>();
            let reason =
                format!("it supports hierarchies up to {max} high, and this one is {height} high");
            return Err(HierarchyError::NotOnGpu { reason });
        }
        let least = BYTES_PER_WARP / size_of::<K>();
        let mut n_lanes = n_sources.next_multiple_of(least).clamp(least, max_lanes);
        if let Some(before) = before.filter(|before| before.n_lanes == n_lanes) {
            return Ok(before);
        }
        let walks = BATCHES_PER_WALK * height * (size_of::<K>() + size_of::<u32>());
        let n = device.hierarchy.n_vertices();
        let of_lane = n * size_of::<K>() + walks + bytes_per_lane;
        let required = |n_lanes: usize| (n_lanes * of_lane + n * size_of::<u32>()) as u64;
        while n_lanes > least && required(n_lanes) > gpu.available_bytes()? {
            n_lanes = (n_lanes / 2).next_multiple_of(least);
        }
        gpu.check_fits("a batch of sources", required(n_lanes))?;
        let walk_up = kernel::<K>(gpu, Part::Sweep, "hierarchy_walk_up")?;
        // the most, for another hierarchy's walks are allowed the same
        walk_up.allow_shared(limit as u32)?;
        Ok(Self {
            n_lanes,
            found: gpu.buffer(n * n_lanes)?,
            ancestors: gpu.buffer(BATCHES_PER_WALK * height * n_lanes)?,
            found_up: gpu.buffer(BATCHES_PER_WALK * height * n_lanes)?,
            marks: gpu.buffer(n)?,
            walk_up,
            sweep_chains: kernel::<K>(gpu, Part::Sweep, "hierarchy_sweep_chains")?,
            sweep_subtrees: kernel::<K>(gpu, Part::Sweep, "hierarchy_sweep_subtrees")?,
        })
    }

    /// The number of batches that `n_sources` sources make.
    pub(super) fn count(&self, n_sources: usize) -> usize {
        n_sources.div_ceil(self.n_lanes)
    }

    /// Queues the sweep of a batch of the sources, whose ranks are given, over `segments`. Batches
    /// are swept in ascending order from 0 on.
    pub(super) fn sweep(
        &mut self,
        device: &Arrays,
        (keys, side): (&Buffer<K>, Side),
        sources: &Buffer<u32>,
        segments: &DeviceSegments,
        batch: usize,
    ) -> Result<(), HierarchyError> {
        let [up, down] = side.up_and_down(keys);
        if batch.is_multiple_of(BATCHES_PER_WALK) {
            self.walk_up(device, up, sources, batch * self.n_lanes)?;
        }
        for chains in &segments.chains {
            self.launch(device, down, segments, chains, batch)?;
        }
        match segments.subtrees.is_empty() {
            true => Ok(()),
            false => self.launch(device, down, segments, &segments.subtrees, batch),
        }
    }

    /// Sweeps from all the sources, whose ranks are given, over all vertices, and calls `queue`
    /// after each batch to queue what reads the keys that were found.
    ///
    /// Tells `progress` how many sources are done.
    pub(super) fn sweep_all(
        &mut self,
        device: &Arrays,
        keys: (&Buffer<K>, Side),
        sources: &[u32],
        progress: Option<Progress<'_>>,
        queue: Take<'_, K>,
    ) -> Result<(), HierarchyError> {
        let (gpu, n_sources) = (&device.gpu, sources.len());
        let on_device = gpu.upload(sources)?;
        let mut done = (gpu.event()?, 0);
        for batch in 0..self.count(n_sources) {
            self.sweep(device, keys, &on_device, &device.all, batch)?;
            let first = batch * self.n_lanes;
            let places = first..n_sources.min(first + self.n_lanes);
            let end = places.end;
            queue(&self.found, self.n_lanes, places)?;
            // no more than two batches are queued, so that an end is heard
            done.0.wait()?;
            tell(progress, done.1 as u64, n_sources as u64)?;
            done.0.record(gpu)?;
            done.1 = end;
        }
        gpu.synchronize()?;
        Ok(tell(progress, n_sources as u64, n_sources as u64)?)
    }

    /// Queues the launch of chains, or of subtrees.
    fn launch(
        &self,
        device: &Arrays,
        keys: u64,
        segments: &DeviceSegments,
        launch: &Range<u32>,
        batch: usize,
    ) -> Result<(), HierarchyError> {
        let of_walk = batch % BATCHES_PER_WALK;
        let first = of_walk * device.height * self.n_lanes;
        let sweep = Sweep {
            ranks: segments.ranks.address(),
            segments: segments.starts.address(),
            depths: device.depths.address(),
            offsets: device.offsets.address(),
            heads: device.heads.address(),
            keys,
            ancestors: self.ancestors.address() + (first * size_of::<u32>()) as u64,
            found_up: self.found_up.address() + (first * size_of::<K>()) as u64,
            marks: self.marks.address(),
            found: self.found.address(),
            first_segment: launch.start,
            n_segments: launch.len() as u32,
            n_lanes: self.n_lanes as u32,
            mark: 1 << of_walk,
        };
        // a part of a segment for the lanes of a warp
        let n_parts = (launch.len() * self.n_lanes * size_of::<K>() / BYTES_PER_WARP) as u64;
        let is_last = *launch == segments.subtrees;
        let (kernel, config) = if is_last {
            (&self.sweep_subtrees, LaunchConfig::covering(32 * n_parts, THREADS))
        } else {
            let config = LaunchConfig::covering(n_parts, 1);
            (&self.sweep_chains, LaunchConfig { block: THREADS_OF_CHAIN, ..config })
        };
        // SAFETY: segments have ranks of this hierarchy, whose buffers these are, and all that is
        // found has a place for each lane of a rank, or of a depth and batch.
        unsafe { device.gpu.launch(kernel, config, &[Arg::structure(&sweep)])? };
        Ok(())
    }

    /// Queues the walks up of the batches from this source on.
    fn walk_up(
        &mut self,
        device: &Arrays,
        keys: u64,
        sources: &Buffer<u32>,
        first: usize,
    ) -> Result<(), HierarchyError> {
        let gpu = &device.gpu;
        let n_sources = (sources.len() - first).min(BATCHES_PER_WALK * self.n_lanes);
        let height = device.height;
        self.marks.fill_bytes(0)?;
        self.ancestors.fill_bytes(u8::MAX)?;
        let walk = WalkUp {
            sources: sources.address() + (first * size_of::<u32>()) as u64,
            parents: device.parents.address(),
            depths: device.depths.address(),
            offsets: device.offsets.address(),
            ends: device.ends.address(),
            keys,
            ancestors: self.ancestors.address(),
            found: self.found_up.address(),
            marks: self.marks.address(),
            n_sources: n_sources as u32,
            n_lanes: self.n_lanes as u32,
            height: height as u32,
            padding: 0,
        };
        let limit = gpu.properties().shared_bytes_per_block as usize;
        let shared_bytes = shared_bytes::<K>(height, limit);
        let warps = shared_bytes / (height * size_of::<K>()) as u32;
        let blocks = (n_sources as u32).div_ceil(warps);
        let config = LaunchConfig { shared_bytes, ..LaunchConfig::new(blocks, 32 * warps) };
        // SAFETY: sources are ranks of this hierarchy, whose buffers these are; each has a lane of
        // a batch, and a warp has shared memory for all depths.
        unsafe { gpu.launch(&self.walk_up, config, &[Arg::structure(&walk)])? };
        Ok(())
    }
}

/// Shared memory of a block that walks up: as many warps as there is room for, four at most.
fn shared_bytes<K>(height: usize, limit: usize) -> u32 {
    let of_warp = (height * size_of::<K>()).max(1);
    ((limit / of_warp).min(4) * of_warp) as u32
}

#[cfg(test)]
mod tests {
    use test_support::assert_same_layout;

    use super::{Sweep, WalkUp};

    #[test]
    fn structures_are_as_the_kernel_has_them() {
        assert_same_layout! { WalkUp as "WalkUp" of ["hierarchy/sweep.cu"]:
            sources, parents, depths, offsets, ends, keys, ancestors, found,
            marks, n_sources, n_lanes, height, padding
        }
        assert_same_layout! { Sweep as "Sweep" of ["hierarchy/sweep.cu"]:
            ranks, segments, depths, offsets, heads, keys, ancestors,
            found_up, marks, found, first_segment, n_segments, n_lanes, mark
        }
    }
}
