//! The least of many labels by a two-level reduction on a GPU, by itself.
//!
//! It is what every turn of [`Algorithm::Dijkstra`](super::Algorithm::Dijkstra) on a GPU begins
//! with, taken out to be measured: each block reduces its part of the labels, and one block what
//! the blocks have found (`kernels/sssp/reduction.cuh`, `extract_min.cu`). Two launches, or one
//! where one block takes all labels. O(n) work; 4 bytes a label.
//!
//! How it differs from the paper: its reduction halves in shared memory, with a barrier of the
//! block for each halving; here threads read four labels at a time and warps halve by shuffles.
//!
//! Reference: origin-four-families

use std::num::NonZeroU32;

use gpu_runtime::{Buffer, Gpu, Kernel, LaunchConfig, Timer};
use graph_formats::WeightKind;
use kernels::sssp::EXTRACT_MIN_U32;

use super::algorithm::BlockSize;
use super::dijkstra::shares;
use super::launch::{Kernels, MAX_VERTICES, check_size};
use crate::SsspError;

/// Labels on a GPU, of which the least is to be found.
///
/// ```no_run
/// use std::num::NonZeroU32;
///
/// use gpu_runtime::Gpu;
/// use sssp::gpu::{BlockSize, ExtractMin};
///
/// let labels = [7, 3, u32::MAX, 3];
/// let mut extraction = ExtractMin::new(&Gpu::open()?, BlockSize::default(), &labels)?;
/// assert_eq!(extraction.run()?, Some((3, 1)));
/// let microseconds = extraction.mean_us(NonZeroU32::MIN)?;
/// assert!(microseconds > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ExtractMin {
    gpu: Gpu,
    of_labels: Kernel,
    of_blocks: Kernel,
    block: u32,
    n_blocks: u32,
    /// Labels of a block.
    share: u32,
    /// Up to a multiple of four.
    labels: Buffer<u32>,
    /// What the blocks have found, where they are more than one.
    found: Buffer<u64>,
    least: Buffer<u64>,
    timer: Timer,
}

impl ExtractMin {
    /// Uploads `labels`; `u32::MAX` stands for a vertex that is not reached. O(n).
    ///
    /// # Errors
    /// [`SsspError::NotOnGpu`] for more labels than a graph may have vertices there;
    /// [`SsspError::Gpu`] where the device fails or has too little memory.
    pub fn new(gpu: &Gpu, block: BlockSize, labels: &[u32]) -> Result<Self, SsspError> {
        check_size(labels.len(), 0)?;
        let padded = labels.len().next_multiple_of(4);
        let kernels = Kernels::of(gpu, &[EXTRACT_MIN_U32], WeightKind::U32)?;
        let of_labels = kernels.get(&format!("extract_min_labels_{}", block.threads()))?;
        let of_blocks = kernels.get(&format!("extract_min_blocks_{}", block.threads()))?;
        let resident = of_labels.occupancy(block.threads(), 0)?.max(1);
        let most = resident * gpu.properties().multiprocessors;
        let (n_blocks, share) = shares(labels.len(), block.threads(), most);
        let required = padded * size_of::<u32>() + (n_blocks as usize + 1) * size_of::<u64>();
        gpu.check_fits("the labels", required as u64)?;
        let mut on_device = gpu.buffer(padded)?;
        on_device.upload(&[labels, &[u32::MAX; 4][..padded - labels.len()]].concat())?;
        Ok(Self {
            gpu: gpu.clone(),
            of_labels,
            of_blocks,
            block: block.threads(),
            n_blocks,
            share,
            labels: on_device,
            found: gpu.buffer(n_blocks as usize)?,
            least: gpu.buffer(1)?,
            timer: gpu.timer()?,
        })
    }

    /// The least label and where it stands, at the first place that has it; `None` where no
    /// label is below `u32::MAX`. O(n).
    ///
    /// # Errors
    /// [`SsspError::Gpu`] where the device fails.
    pub fn run(&mut self) -> Result<Option<(u32, usize)>, SsspError> {
        self.launch()?;
        let entry = self.least.download()?[0];
        let (label, place) = ((entry >> 32) as u32, entry as u32);
        Ok((label < u32::MAX).then_some((label, place as usize)))
    }

    /// The mean time of an extraction, in microseconds, of `times` of them one after the other,
    /// from an event on the device before to one after; after one that does not count. Launches
    /// are part of it: of few labels they are nearly all.
    ///
    /// # Errors
    /// [`SsspError::Gpu`] where the device fails.
    pub fn mean_us(&mut self, times: NonZeroU32) -> Result<f64, SsspError> {
        self.launch()?;
        self.timer.start()?;
        for _ in 0..times.get() {
            self.launch()?;
        }
        self.timer.stop()?;
        Ok(self.timer.elapsed_ms()? * 1e3 / f64::from(times.get()))
    }

    /// The labels, up to a multiple of four,
    pub(super) fn labels(&self) -> &Buffer<u32> {
        &self.labels
    }

    /// and the word of the least of them, with its place, after [`run`](Self::run).
    pub(super) fn least(&self) -> &Buffer<u64> {
        &self.least
    }

    /// Queues an extraction.
    fn launch(&mut self) -> Result<(), SsspError> {
        const { assert!(MAX_VERTICES < u32::MAX as usize) };
        let is_alone = self.n_blocks == 1;
        let found = if is_alone { &self.least } else { &self.found };
        let n = self.labels.len() as u32;
        let args = [(&self.labels).into(), n.into(), self.share.into(), found.into()];
        let shape = LaunchConfig::new(self.n_blocks, self.block);
        // SAFETY: blocks read `labels` below `n`, their length, which is a multiple of four,
        // and each writes its word of `found`, which has one for each.
        unsafe { self.gpu.launch(&self.of_labels, shape, &args)? };
        if !is_alone {
            let args = [found.into(), self.n_blocks.into(), (&self.least).into()];
            // SAFETY: one block reads as many words of `found` as there are blocks, and writes
            // the one of `least`.
            unsafe { self.gpu.launch(&self.of_blocks, LaunchConfig::new(1, self.block), &args)? };
        }
        Ok(())
    }
}
