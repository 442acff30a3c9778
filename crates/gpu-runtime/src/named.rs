//! Which GPU an error is about.

use crate::{Gpu, GpuError};

impl GpuError {
    /// The same with the name of the GPU that it is about, where the driver refused: the one of
    /// `gpus` that has [failed](Gpu::has_failed), or the only one. A kernel that fails ends all
    /// GPUs of the process, and the driver does not say where it ran.
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
