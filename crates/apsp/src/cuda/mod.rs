//! Solvers for a GPU.
//!
//! A build without the feature `cuda` has all of this, but no [`Gpu`](gpu_runtime::Gpu) to
//! call it with.

mod arcs;
mod arithmetic;
mod blocked;
mod form;
mod memory;
mod next_hops;
pub mod published;
pub(crate) mod scratch;
mod solve;
mod strips;

pub(crate) use arithmetic::{Arithmetic, Kernels};
pub use solve::{GpuPairs, GpuTimes, all_pairs_on_gpu};
