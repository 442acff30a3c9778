//! Which GPU an error is about.

use crate::{Gpu, GpuError};

impl GpuError {
    /// Adds the name of the GPU to an error of the driver: the one of `gpus` that has
    /// [failed](Gpu::has_failed), or the only one. After a kernel fails, the process can use none
    /// of its GPUs, and the driver does not report where the kernel ran.
    #[must_use]
    pub fn named(self, gpus: &[Gpu]) -> Self {
        let is_culprit = |gpu: &&Gpu| gpus.len() == 1 || gpu.has_failed();
        let name = |gpu: &Gpu| {
            let about = gpu.properties();
            format!("GPU {} ({})", about.ordinal, about.name)
        };
        match self {
            error @ Self::Driver { .. } => {
                let mut names: Vec<_> = gpus.iter().filter(is_culprit).map(name).collect();
                names.dedup();
                match names.is_empty() {
                    true => error,
                    false => Self::OnGpu { gpu: names.join(" or "), error: error.into() },
                }
            }
            other => other,
        }
    }
}
