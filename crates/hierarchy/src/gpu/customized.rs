//! Customization on a GPU.
//!
//! The triangles are gone through by levels of vertices, from the leaves up, a thread a triangle,
//! which lowers the third arc by an atomic; one cooperative launch does all levels
//! (`kernels/hierarchy/customize.cu`). The least of the same sums is the same in any order, so that
//! keys are those of the CPU, bit for bit.
//!
//! Where the CPU gathers what is below an arc, here what is above a vertex is scattered: levels are
//! the same, but all threads have work of one size.
//!
//! Reference: dibbelt-2016

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, Kernel, LaunchConfig, PinnedBuffer};
use graph_formats::{Weight, ensure_granted, parallel};
use rayon::prelude::*;

use super::batches::Batches;
use super::device_key::{DeviceKey, Part, kernel};
use super::hierarchy::{Arrays, Steps};
use super::landing::Landing;
use crate::HierarchyError;
use crate::metric::key::Weights;

/// Threads of a block of the launch, of which one is resident on each multiprocessor: the fewer
/// blocks wait for one another, the better.
const THREADS: u32 = 1024;
/// As many keys are worth another thread.
const KEYS_PER_TASK: usize = 1 << 14;

/// `Customization` of `customize.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Customization {
    slots: u64,
    weights: u64,
    firsts: u64,
    seconds: u64,
    thirds: u64,
    levels: u64,
    keys: u64,
    arrived: u64,
    n_keys: u64,
    n_slots: u32,
    n_levels: u32,
}

/// The keys of a hierarchy, and the work space of what is asked of them.
pub(super) struct Customized<K: DeviceKey> {
    /// Of each arc, up and down.
    pub(super) keys: Buffer<K>,
    /// What they are made of, if they are customized here.
    inputs: Option<Inputs<K>>,
    /// What sweeps need, if there have been any.
    pub(super) batches: Option<Batches<K>>,
    /// What rows need on their way to the CPU, if there have been any.
    pub(super) landing: Option<Landing<K>>,
}

/// What a launch needs.
struct Inputs<K: DeviceKey> {
    weights: Buffer<K>,
    /// The weights on their way.
    staged: PinnedBuffer<K>,
    arrived: Buffer<u32>,
    kernel: Kernel,
}

impl<K: DeviceKey> Inputs<K> {
    fn new(gpu: &Gpu, n_weights: usize) -> Result<Self, HierarchyError> {
        gpu.check_fits("the weights of a hierarchy", (n_weights * size_of::<K>()) as u64)?;
        Ok(Self {
            weights: gpu.buffer(n_weights)?,
            staged: gpu.pinned(n_weights)?,
            arrived: gpu.buffer(1)?,
            kernel: kernel::<K>(gpu, Part::Customize, "hierarchy_customize")?,
        })
    }

    /// Uploads the weights, launches, and waits.
    fn launch(&mut self, gpu: &Gpu, steps: &Steps, keys: &Buffer<K>) -> Result<(), HierarchyError> {
        if keys.is_empty() {
            return Ok(());
        }
        self.arrived.fill_bytes(0)?;
        let [firsts, seconds, thirds] = &steps.triangles;
        let customization = Customization {
            slots: steps.slots.address(),
            weights: self.weights.address(),
            firsts: firsts.address(),
            seconds: seconds.address(),
            thirds: thirds.address(),
            levels: steps.levels.address(),
            keys: keys.address(),
            arrived: self.arrived.address(),
            n_keys: keys.len() as u64,
            n_slots: self.weights.len() as u32,
            n_levels: steps.levels.len() as u32 - 1,
        };
        let config = LaunchConfig::new(gpu.properties().multiprocessors, THREADS);
        let config = LaunchConfig { cooperative: true, ..config };
        // SAFETY: the staged weights are not written until the stream has been waited for; the
        // launch is on buffers of this hierarchy and these keys, as long as it is told.
        unsafe {
            gpu.queue_upload(&self.staged, 0..self.staged.len(), &self.weights, 0)?;
            gpu.launch(&self.kernel, config, &[Arg::structure(&customization)])?;
        }
        Ok(gpu.synchronize()?)
    }
}

impl<K: DeviceKey> Customized<K> {
    /// Without weights yet.
    pub(super) fn new(device: &Arrays) -> Result<Self, HierarchyError> {
        let n_keys = 2 * device.hierarchy.n_arcs();
        device.gpu.check_fits("the weights of a hierarchy", (n_keys * size_of::<K>()) as u64)?;
        let keys = device.gpu.buffer(n_keys)?;
        Ok(Self { keys, inputs: None, batches: None, landing: None })
    }

    /// With the CPU's keys.
    pub(super) fn with_keys(device: &Arrays, keys: &[[K; 2]]) -> Result<Self, HierarchyError> {
        let mut customized = Self::new(device)?;
        ensure_granted(size_of_val(keys))?;
        let keys = keys.as_flattened().par_iter().with_min_len(KEYS_PER_TASK);
        customized.keys.upload(&keys.map(|key| key.without_sign()).collect::<Vec<_>>())?;
        Ok(customized)
    }

    /// The same keys in memory of their own.
    pub(super) fn try_clone(&self, device: &Arrays) -> Result<Self, HierarchyError> {
        let copy = Self::new(device)?;
        if !self.keys.is_empty() {
            // SAFETY: what was queued before writes these keys before they are copied, and the copy
            // is waited for.
            unsafe { device.gpu.queue_copy(&self.keys, 0..self.keys.len(), &copy.keys, 0)? };
            device.gpu.synchronize()?;
        }
        Ok(copy)
    }

    /// Takes the memory that weights need. Whether it has weights already.
    pub(super) fn make_ready(
        &mut self,
        (device, steps): (&Arrays, &Steps),
    ) -> Result<bool, HierarchyError> {
        let has_weights = self.inputs.is_some();
        if !has_weights {
            self.inputs = Some(Inputs::new(&device.gpu, steps.slots.len())?);
        }
        Ok(has_weights)
    }

    /// Puts in weights of all arcs of the graph, which fit the keys.
    pub(super) fn customize<U: Weight>(
        &mut self,
        (device, steps): (&Arrays, &Steps),
        weights: Weights<'_, U>,
    ) -> Result<(), HierarchyError> {
        self.make_ready((device, steps))?;
        let (gpu, inputs) = (&device.gpu, self.inputs.as_mut().expect("it was made"));
        // a launch before may still read them
        gpu.synchronize()?;
        let parts = inputs.staged.chunks_mut(KEYS_PER_TASK);
        let parts = (0..).step_by(KEYS_PER_TASK).zip(parts).collect();
        parallel::map_of(parts, &|(first, keys): (usize, &mut [K])| {
            for (key, arc) in keys.iter_mut().zip(first..) {
                *key = K::of_weight(weights.of_arc(arc)).without_sign();
            }
        });
        inputs.launch(gpu, steps, &self.keys)
    }

    /// Puts in others of some arcs, which fit too, where it has weights.
    pub(super) fn update<W: Weight>(
        &mut self,
        (device, steps): (&Arrays, &Steps),
        changes: &[(usize, W)],
    ) -> Result<(), HierarchyError> {
        let inputs = self.inputs.as_mut().expect("it has weights");
        device.gpu.synchronize()?;
        for &(arc, weight) in changes {
            // the last arcs of the graph may lower no key
            if let Some(key) = inputs.staged.get_mut(arc) {
                *key = K::of_weight(weight).without_sign();
            }
        }
        inputs.launch(&device.gpu, steps, &self.keys)
    }
}

#[cfg(test)]
mod tests {
    use test_support::assert_same_layout;

    use super::Customization;

    #[test]
    fn the_structure_is_as_the_kernel_has_it() {
        assert_same_layout! { Customization as "Customization" of ["hierarchy/customize.cu"]:
            slots, weights, firsts, seconds, thirds, levels, keys,
            arrived, n_keys, n_slots, n_levels
        }
    }
}
