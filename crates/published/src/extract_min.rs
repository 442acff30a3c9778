//! The least of many labels, by a reduction on a GPU.
//!
//! The form by shuffles is the first step of every turn of
//! [`Form::Dijkstra`](crate::Form::Dijkstra) on a GPU; here it runs alone, for measurements. Each
//! block reduces its part of the labels, and one block reduces the blocks' results
//! (`kernels/sssp/reduction.cuh`, `extract_min.cu`). It takes two launches, or one if one block
//! takes all labels. The other forms halve in shared memory, with a barrier of the block for each
//! halving, as published (`reduction_steps.cu`): a launch leaves a value a block, until there is
//! one block. O(n) work; 4 bytes a label.
//!
//! Reference: origin-four-families, harris-2007

use std::num::NonZeroU32;

use gpu_runtime::{Arg, Buffer, Gpu, Kernel, LaunchConfig, Timer};
use graph_formats::WeightKind;
use kernels::Module;
use kernels::sssp::{EXTRACT_MIN_U32, REDUCTION_STEPS_U32};
use search_parts::{Kernels, MAX_VERTICES, SearchError, check_size, length};

use super::dijkstra::shares;
use crate::settings::BlockSize;

/// Threads of a block of the forms in shared memory, as `n_threads` in `reduction_steps.cu`.
const BLOCK: u32 = 512;

/// The form of the reduction. The result is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// By shuffles, in blocks of this size.
    Shuffles(BlockSize),
    /// In shared memory: every second thread takes its neighbour's value, then every fourth.
    Interleaved,
    /// As `Interleaved`, but the first threads do the work.
    Strided,
    /// In shared memory: the first half of the values takes the second.
    Sequential,
    /// As `Sequential`, but a thread first loads two values.
    FirstOnLoad,
    /// As `FirstOnLoad`, but one warp reduces the last 64 values, without a barrier of the block.
    LastWarp,
    /// As `LastWarp`, with all loops unrolled.
    Unrolled,
    /// As `Unrolled`, but the resident blocks take all values, so a thread loads as many as needed.
    Many,
}

impl Reduction {
    /// All forms by name.
    pub const ALL: [(&'static str, Self); 11] = [
        ("128", Self::Shuffles(BlockSize::Threads128)),
        ("256", Self::Shuffles(BlockSize::Threads256)),
        ("512", Self::Shuffles(BlockSize::Threads512)),
        ("1024", Self::Shuffles(BlockSize::Threads1024)),
        ("512 interleaved", Self::Interleaved),
        ("512 strided", Self::Strided),
        ("512 sequential", Self::Sequential),
        ("512 first on load", Self::FirstOnLoad),
        ("512 last warp", Self::LastWarp),
        ("512 unrolled", Self::Unrolled),
        ("512 many a thread", Self::Many),
    ];

    /// The kernels that read labels and results of blocks, and the threads of a block.
    fn kernels(self) -> (Module, [String; 2], u32) {
        let of = ["labels", "blocks"];
        let name = match self {
            Self::Shuffles(block) => {
                let threads = block.threads();
                let names = of.map(|of| format!("extract_min_{of}_{threads}"));
                return (EXTRACT_MIN_U32, names, threads);
            }
            Self::Interleaved => "interleaved",
            Self::Strided => "strided",
            Self::Sequential => "sequential",
            Self::FirstOnLoad => "first_on_load",
            Self::LastWarp => "last_warp",
            Self::Unrolled => "unrolled",
            Self::Many => "many",
        };
        (REDUCTION_STEPS_U32, of.map(|of| format!("{name}_{of}")), BLOCK)
    }

    /// The blocks of each launch that reduces `n` labels, if `most` blocks are resident; and the
    /// labels of a block, if its kernel takes that.
    fn launches(self, n: usize, most: u32) -> (Vec<u32>, Option<u32>) {
        let loads = match self {
            Self::Shuffles(block) => {
                let (blocks, share) = shares(n, block.threads(), most);
                return (if blocks == 1 { vec![1] } else { vec![blocks, 1] }, Some(share));
            }
            Self::Interleaved | Self::Strided | Self::Sequential => BLOCK,
            _ => 2 * BLOCK,
        };
        let most = if self == Self::Many { most } else { u32::MAX };
        let (mut launches, mut left) = (Vec::new(), n as u32);
        loop {
            left = left.div_ceil(loads).clamp(1, most);
            launches.push(left);
            if left == 1 {
                return (launches, None);
            }
        }
    }
}

/// Labels on a GPU, whose least is to be found.
///
/// ```no_run
/// use std::num::NonZeroU32;
///
/// use gpu_runtime::Gpu;
/// use published::{ExtractMin, Reduction};
///
/// let labels = [7, 3, u32::MAX, 3];
/// let mut extraction = ExtractMin::new(&Gpu::open()?, Reduction::Sequential, &labels)?;
/// assert_eq!(extraction.run()?, Some((3, 1)));
/// let microseconds = extraction.mean_us(NonZeroU32::MIN)?;
/// assert!(microseconds > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ExtractMin {
    gpu: Gpu,
    of_labels: Kernel,
    of_blocks: Kernel,
    /// Threads of a block.
    block: u32,
    /// Labels of a block, if the kernel takes that.
    share: Option<u32>,
    /// The labels, padded to a multiple of four.
    labels: Buffer<u32>,
    /// The results of each launch, one for each of its blocks; the last launch has one block.
    found: Vec<Buffer<u64>>,
    timer: Timer,
}

impl ExtractMin {
    /// Uploads `labels`; `u32::MAX` stands for a vertex that is not reached. O(n).
    ///
    /// # Errors
    /// [`SearchError::NotOnGpu`] for more labels than a graph may have vertices on a GPU;
    /// [`SearchError::Gpu`] when the device fails or has too little memory.
    pub fn new(gpu: &Gpu, reduction: Reduction, labels: &[u32]) -> Result<Self, SearchError> {
        check_size(labels.len(), 0)?;
        let padded = labels.len().next_multiple_of(4);
        let (module, [of_labels, of_blocks], block) = reduction.kernels();
        let kernels = Kernels::of(gpu, &[module], WeightKind::U32)?;
        let (of_labels, of_blocks) = (kernels.get(&of_labels)?, kernels.get(&of_blocks)?);
        let resident = of_labels.occupancy(block, 0)?.max(1);
        let most = resident * gpu.properties().multiprocessors;
        let (launches, share) = reduction.launches(padded, most);
        let words = launches.iter().sum::<u32>() as usize;
        let bytes = padded * size_of::<u32>() + words * size_of::<u64>();
        gpu.check_fits("the labels", bytes as u64)?;
        let mut on_device = gpu.buffer(padded)?;
        on_device.upload(&[labels, &[u32::MAX; 4][..padded - labels.len()]].concat())?;
        Ok(Self {
            gpu: gpu.clone(),
            of_labels,
            of_blocks,
            block,
            share,
            labels: on_device,
            found: launches
                .into_iter()
                .map(|n| gpu.buffer(n as usize))
                .collect::<Result<_, _>>()?,
            timer: gpu.timer()?,
        })
    }

    /// The least label and its first position; `None` if no label is below `u32::MAX`. O(n).
    ///
    /// # Errors
    /// [`SearchError::Gpu`] where the device fails.
    pub fn run(&mut self) -> Result<Option<(u32, usize)>, SearchError> {
        self.launch()?;
        let entry = self.least().download()?[0];
        let (label, place) = ((entry >> 32) as u32, entry as u32);
        Ok((label < u32::MAX).then_some((label, place as usize)))
    }

    /// The mean time of `times` extractions in a row, in microseconds, between two events on the
    /// device, after one that does not count. It includes launches, which are nearly all of it for
    /// few labels.
    ///
    /// # Errors
    /// [`SearchError::Gpu`] where the device fails.
    pub fn mean_us(&mut self, times: NonZeroU32) -> Result<f64, SearchError> {
        self.launch()?;
        self.timer.start()?;
        for _ in 0..times.get() {
            self.launch()?;
        }
        self.timer.stop()?;
        Ok(self.timer.elapsed_ms()? * 1e3 / f64::from(times.get()))
    }

    /// The labels, padded to a multiple of four.
    pub(crate) fn labels(&self) -> &Buffer<u32> {
        &self.labels
    }

    /// The word with the least label and its position, after [`run`](Self::run).
    pub(crate) fn least(&self) -> &Buffer<u64> {
        &self.found[self.found.len() - 1]
    }

    /// Queues an extraction.
    fn launch(&mut self) -> Result<(), SearchError> {
        const { assert!(MAX_VERTICES < u32::MAX as usize) };
        let mut n = length(&self.labels);
        let mut from = None;
        for to in &self.found {
            let (kernel, values, share) = match from {
                None => (&self.of_labels, (&self.labels).into(), self.share),
                Some(found) => (&self.of_blocks, found, None),
            };
            let args = [Some(values), Some(n.into()), share.map(Into::into), Some(to.into())];
            let args: Vec<Arg<'_>> = args.into_iter().flatten().collect();
            // SAFETY: blocks read `n` values, labels or results of the launch before, in whole
            // groups of four if each block has its share. Each writes its word of `to`, which has
            // one for each block and is not read by this launch.
            unsafe { self.gpu.launch(kernel, LaunchConfig::new(length(to), self.block), &args)? };
            (n, from) = (length(to), Some(to.into()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_end_with_one_block_and_take_all() {
        for (name, reduction) in Reduction::ALL {
            for n in [0, 1, 512, 513, 1024, 1025, 10_000_000, MAX_VERTICES] {
                let (launches, share) = reduction.launches(n, 264);
                assert_eq!(launches.last(), Some(&1), "{name}, {n}");
                let takes_all = share.is_some() || reduction == Reduction::Many;
                let mut left = n as u32;
                for blocks in launches {
                    assert!(takes_all || left.div_ceil(2 * BLOCK) <= blocks, "{name}, {n}");
                    left = blocks;
                }
            }
        }
        assert_eq!(Reduction::Sequential.launches(10_000_000, 264).0, [19_532, 39, 1]);
        assert_eq!(Reduction::Unrolled.launches(10_000_000, 264).0, [9766, 10, 1]);
        assert_eq!(Reduction::Many.launches(10_000_000, 264).0, [264, 1]);
    }
}
