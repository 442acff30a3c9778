//! The sources of a search, on a GPU.

use gpu_runtime::{Buffer, Gpu, GpuError};
use search_parts::NO_VERTEX;

/// The numbers of the sources.
pub(super) struct Sources {
    gpu: Gpu,
    /// The first one; a single one is not copied.
    first: u32,
    n: u32,
    all: Buffer<u32>,
}

impl Sources {
    pub(super) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self { gpu: gpu.clone(), first: NO_VERTEX, n: 0, all: gpu.buffer(0)? })
    }

    pub(super) fn set(&mut self, numbers: &[u32]) -> Result<(), GpuError> {
        (self.first, self.n) =
            (numbers.first().copied().unwrap_or(NO_VERTEX), numbers.len() as u32);
        match numbers.len() {
            0 | 1 => Ok(()),
            n if n == self.all.len() => self.all.upload(numbers),
            _ => self.gpu.upload(numbers).map(|all| self.all = all),
        }
    }

    /// The first one, how many there are, and the address of all if they are several.
    pub(super) fn at(&self) -> (u32, u32, u64) {
        (self.first, self.n, self.all.address())
    }
}
