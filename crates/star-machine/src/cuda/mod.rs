//! The machine on a GPU, and recorded programs there.
//!
//! A build without the feature `cuda` has all of this, but no [`Gpu`](gpu_runtime::Gpu) to
//! make one with.

mod answers;
mod as_printed;
mod fused;
mod interpreter;
mod kernels;
mod launches;
mod machine;
mod operations;
mod pool;
mod team;

pub use interpreter::GpuProgram;
pub(crate) use machine::BLOCK;
pub use machine::Cuda;
pub use team::Team;
