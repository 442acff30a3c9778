//! Plain Floyd-Warshall: a launch for each vertex lets paths lead through it.
//!
//! The kernel is `kernels/apsp/published/plain.cu`. n launches of n² threads, each of which
//! reads three elements and writes one at most: 4 n³ elements through memory, which bounds it.
//! With last vertices, n² of them besides.
//!
//! Reference: harish-narayanan-2007, origin-out-of-core

use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig};
use graph_formats::WeightKind;
use kernels::apsp::{PUBLISHED_PLAIN_F32, PUBLISHED_PLAIN_I32};
use search_parts::{Kernels, SearchError};

use super::parameters::Parameters;
use super::steps::Clock;

/// The side of the square that a block makes.
const SQUARE: u32 = 16;

pub(super) struct Plain {
    kernel: Kernel,
    side: u32,
    pub(super) last: Option<Buffer<u32>>,
}

impl Plain {
    pub(super) fn new(
        gpu: &Gpu,
        parameters: &Parameters,
        kind: WeightKind,
        side: usize,
    ) -> Result<Self, SearchError> {
        let kernels = Kernels::of(gpu, &[PUBLISHED_PLAIN_I32, PUBLISHED_PLAIN_F32], kind)?;
        let last = parameters.last_vertices.then(|| gpu.buffer(side * side)).transpose()?;
        let name = if last.is_some() { "plain_last" } else { "plain" };
        Ok(Self { kernel: kernels.get(name)?, side: side as u32, last })
    }

    pub(super) fn solve(
        &mut self,
        gpu: &Gpu,
        matrix: &Buffer<u32>,
        n: u32,
        clock: Clock<'_>,
    ) -> Result<u64, GpuError> {
        if let Some(last) = &mut self.last {
            last.fill_bytes(0xff)?;
        }
        let matrices = [Some(matrix), self.last.as_ref()].into_iter().flatten().map(Arg::from);
        let (kernel, shape) = self.bulk(n);
        clock.time(0..n, |k| {
            let numbers = [self.side, n, k].map(Arg::from);
            let args: Vec<_> = matrices.clone().chain(numbers).collect();
            // SAFETY: threads access the first n rows and columns of matrices of side², and k
            // is below n.
            unsafe { gpu.launch(kernel, shape, &args) }
        })
    }

    pub(super) fn bulk(&self, n: u32) -> (&Kernel, LaunchConfig) {
        let across = n.div_ceil(SQUARE).max(1);
        (&self.kernel, LaunchConfig::new(across * across, SQUARE * SQUARE))
    }
}
