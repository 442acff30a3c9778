//! Launches: a kernel, how many threads, and numbers.

use gpu_runtime::{Arg, LaunchConfig};

use super::kernels::Choice;
use super::machine::{BLOCK, Cuda};
use crate::StarError;

/// Words of a vector that a thread looks through before there is another block.
const WORDS_OF_A_THREAD: u64 = 8;

/// A launch of a kernel whose parameters are addresses and numbers of 64 bits.
pub(super) struct Launch {
    kernel: Choice,
    shape: LaunchConfig,
    numbers: Vec<u64>,
}

impl Launch {
    /// Of this configuration, for `n` things; none where there are none.
    fn new(n: u64, shape: LaunchConfig, kernel: Choice, numbers: &[u64]) -> Option<Self> {
        (n > 0).then(|| Self { kernel, shape, numbers: numbers.into() })
    }

    /// With a thread for each of `n` things.
    pub(super) fn over(n: u64, kernel: Choice, numbers: &[u64]) -> Option<Self> {
        Self::new(n, LaunchConfig::covering(n, BLOCK), kernel, numbers)
    }

    /// A launch of `n` blocks of `threads` threads.
    pub(super) fn blocks(n: u64, threads: u32, kernel: Choice, numbers: &[u64]) -> Option<Self> {
        Self::new(n, LaunchConfig::new(n as u32, threads), kernel, numbers)
    }

    /// With one warp, for at least one thing of `n`.
    pub(super) fn warp(n: u64, kernel: Choice, numbers: &[u64]) -> Option<Self> {
        Self::new(n, LaunchConfig::new(1, 32), kernel, numbers)
    }

    /// A launch of threads that scan `n` words together, on `multiprocessors` multiprocessors.
    pub(super) fn through(
        n: u64,
        multiprocessors: u32,
        kernel: Choice,
        numbers: &[u64],
    ) -> Option<Self> {
        let blocks = n.div_ceil(WORDS_OF_A_THREAD * u64::from(BLOCK));
        let blocks = blocks.min(2 * u64::from(multiprocessors)) as u32;
        let block = n.min(BLOCK.into()).next_multiple_of(32) as u32;
        Self::new(n, LaunchConfig::new(blocks, block), kernel, numbers)
    }
}

impl Cuda {
    /// # Safety
    /// The numbers mean what the kernel takes them for; the vectors and tables among them are
    /// this machine's, as long and wide as is said there.
    pub(super) unsafe fn start(&mut self, launch: Option<Launch>) -> Result<(), StarError> {
        let Some(Launch { kernel, shape, numbers }) = launch else { return Ok(()) };
        let args: Vec<Arg<'_>> = numbers.into_iter().map(Arg::from).collect();
        // SAFETY: the caller guarantees it.
        unsafe { self.launch(kernel, shape, &args) }
    }

    /// Launches, and returns the kernel's result; `None` without a launch.
    ///
    /// # Safety
    /// As [`start`](Self::start).
    pub(super) unsafe fn ask(&mut self, launch: Option<Launch>) -> Result<Option<u32>, StarError> {
        if launch.is_none() {
            return Ok(None);
        }
        self.answers.expect();
        // SAFETY: the caller guarantees it.
        unsafe { self.start(launch) }?;
        Ok(self.answers.wait()?)
    }

    /// # Safety
    /// As [`Gpu::launch`](gpu_runtime::Gpu::launch).
    pub(crate) unsafe fn launch(
        &mut self,
        kernel: Choice,
        shape: LaunchConfig,
        args: &[Arg<'_>],
    ) -> Result<(), StarError> {
        // SAFETY: the caller guarantees it.
        unsafe { self.gpu.launch(kernel(&self.kernels), shape, args) }?;
        self.launches += 1;
        Ok(())
    }
}
