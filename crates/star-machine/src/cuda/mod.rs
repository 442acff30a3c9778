//! The machine on a GPU, and recorded programs there.
//!
//! A build without the feature `cuda` has all of this, but no [`Gpu`](gpu_runtime::Gpu) to
//! make one with.

mod adapted;
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
mod warshall;

pub use adapted::warshall_adapted;
pub use interpreter::GpuProgram;
pub use machine::{Cuda, CudaMark};
pub use team::Team;
pub use warshall::{WarshallOnGpu, WarshallTimes};
