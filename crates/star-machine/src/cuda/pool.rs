//! Memory for variables, kept for later ones of the same size when their scope ends, so that
//! a loop that declares some takes memory once.

use std::collections::HashMap;

use gpu_runtime::{Buffer, Gpu, GpuError};

#[derive(Debug)]
pub(super) struct Pool {
    gpu: Gpu,
    /// By their length.
    free: HashMap<usize, Vec<Buffer<u64>>>,
}

impl Pool {
    pub(super) fn new(gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), free: HashMap::new() }
    }

    /// Zeros for a variable. All that is kept is given up before there is no memory.
    pub(super) fn take(
        &mut self,
        what: &'static str,
        words: usize,
    ) -> Result<Buffer<u64>, GpuError> {
        if let Some(mut buffer) = self.free.get_mut(&words).and_then(Vec::pop) {
            buffer.fill_bytes(0)?;
            return Ok(buffer);
        }
        let taken = match self.gpu.buffer(words) {
            Err(GpuError::OutOfMemory { .. }) => {
                self.free.clear();
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

    pub(super) fn keep(&mut self, buffer: Buffer<u64>) {
        self.free.entry(buffer.len()).or_default().push(buffer);
    }
}
