//! Solvers for a GPU.
//!
//! A build without the feature `cuda` has all of this, but no [`Gpu`](gpu_runtime::Gpu) to
//! call it with.

mod arcs;
mod arithmetic;
mod changes;
mod clock;
mod cut;
mod dynamic;
mod floyd_warshall;
pub(crate) mod folder;
mod link;
mod memory;
mod next_hops;
mod on_gpus;
mod panel;
mod product;
mod solve;
pub(crate) mod supernodes;
mod tile;

pub(crate) use arithmetic::Arithmetic;
pub use dynamic::DynamicDevicePairs;
pub(crate) use memory::available;
pub use on_gpus::DevicePairs;
pub(crate) use on_gpus::solve as solve_on_gpus;
pub(crate) use solve::{narrow, solve, solve_over};

#[cfg(test)]
mod tests {
    use gpu_runtime::Gpu;

    /// The first GPU, or `None` and a word about it.
    pub(super) fn gpu() -> Option<Gpu> {
        test_support::gpu(Gpu::open())
    }
}
