//! Memory for variables, kept for later ones of the same size when their scope ends, so that
//! a loop that declares some takes memory once.
//!
//! Who else is on the GPU cannot ask for it back, so what is kept is little; taking more anew
//! costs less than what is done with so much.

use std::collections::HashMap;

use gpu_runtime::{Buffer, Gpu, GpuError};

/// The most bytes that are kept.
const MOST_KEPT: usize = 64 << 20;

#[derive(Debug)]
pub(super) struct Pool {
    gpu: Gpu,
    /// By their length.
    free: HashMap<usize, Vec<Buffer<u64>>>,
    /// Their bytes.
    kept: usize,
}

impl Pool {
    pub(super) fn new(gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), free: HashMap::new(), kept: 0 }
    }

    /// Zeros for a variable. All that is kept is given up before there is no memory.
    pub(super) fn take(
        &mut self,
        what: &'static str,
        words: usize,
    ) -> Result<Buffer<u64>, GpuError> {
        if let Some(mut buffer) = self.free.get_mut(&words).and_then(Vec::pop) {
            self.kept -= size_of::<u64>() * words;
            buffer.fill_bytes(0)?;
            return Ok(buffer);
        }
        let taken = match self.gpu.buffer(words) {
            Err(GpuError::OutOfMemory { .. }) => {
                self.free.clear();
                self.kept = 0;
                self.gpu.buffer(words)
            }
            taken => taken,
        };
        taken.map_err(|error| match error {
            GpuError::OutOfMemory { required, available, .. } => {
                GpuError::OutOfMemory { what, required, available }
            }
            error => error,
        })
    }

    /// Takes memory back; what would be too much goes to the GPU.
    pub(super) fn keep(&mut self, buffer: Buffer<u64>) {
        let bytes = size_of::<u64>() * buffer.len();
        if self.kept + bytes <= MOST_KEPT {
            self.kept += bytes;
            self.free.entry(buffer.len()).or_default().push(buffer);
        }
    }
}
