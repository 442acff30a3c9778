//! Solvers for a GPU.
//!
//! They are behind [`Solver::on_gpu`](crate::Solver::on_gpu). A build without the feature
//! `cuda` has all of this, but no [`Gpu`](gpu_runtime::Gpu) to call it with.

pub(crate) mod delta_stepping;
mod graph;
mod kernels;
mod memory;
mod words;
