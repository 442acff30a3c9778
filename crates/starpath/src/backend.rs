//! Which processor solves.

use anyhow::anyhow;
use gpu_runtime::Gpu;

use crate::cli::{Backend, Common};
use crate::failure::say;

/// The backend that the command line asks for, by its name in reports.
///
/// Solvers run on the CPU only, so that is what `auto` takes.
pub(crate) fn choose(common: &Common) -> anyhow::Result<&'static str> {
    let gpu = Gpu::open();
    match (common.backend, gpu) {
        (Backend::Cuda, Err(error)) => {
            Err(anyhow!("backend cuda: {error}; use --backend cpu, or leave the choice to auto"))
        }
        (Backend::Cuda, Ok(_)) => Ok("cuda"),
        (Backend::Auto, Err(reason)) => {
            if common.explain {
                say(format_args!("backend: cpu, because {reason}"));
            }
            Ok("cpu")
        }
        (Backend::Auto, Ok(_)) | (Backend::Cpu, _) => Ok("cpu"),
    }
}
