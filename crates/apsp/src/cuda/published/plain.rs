//! Plain Floyd-Warshall: a launch for each vertex lets paths lead through it.
//!
//! The kernel is `kernels/apsp/published/plain.cu`. n launches of n² threads, each of which
//! reads three elements and writes one at most: 4 n³ elements through memory, which bounds it.
//! With last vertices, n² of them besides.
//!
//! Reference: harish-narayanan-2007, origin-out-of-core

use gpu_runtime::{Buffer, Gpu, GpuError, Kernel, LaunchConfig};

use super::kernels::PlainKernel;
use super::steps::{self, Launches};
use super::{Element, Parameters};

#[derive(Debug)]
pub(super) struct Plain {
    kernel: PlainKernel,
    last: Option<Buffer<u32>>,
}

impl Plain {
    pub(super) fn new<E: Element>(
        gpu: &Gpu,
        parameters: &Parameters,
        side: usize,
    ) -> Result<Self, GpuError> {
        let last = parameters.last_vertices.then(|| gpu.buffer(side * side)).transpose()?;
        Ok(Self { kernel: PlainKernel::load::<E>(gpu, last.is_some())?, last })
    }

    pub(super) fn launch<E: Element>(
        &mut self,
        gpu: &Gpu,
        matrix: &mut Buffer<E>,
        n: u32,
        launches: &mut Launches<'_>,
    ) -> Result<(), GpuError> {
        if let Some(last) = &mut self.last {
            last.fill_bytes(0xff)?;
        }
        launches
            .all(steps::plain(n), |_, k| self.kernel.launch(gpu, matrix, self.last.as_mut(), n, k))
    }

    pub(super) fn last_vertices(&self) -> Option<&Buffer<u32>> {
        self.last.as_ref()
    }

    pub(super) fn bulk(&self, n: u32) -> (&Kernel, LaunchConfig) {
        self.kernel.bulk(n)
    }
}
