//! Solvers for a GPU.
//!
//! A build without the feature `cuda` has all of this, but no [`Gpu`](gpu_runtime::Gpu) to
//! call it with.

pub mod published;
