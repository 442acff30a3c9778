//! Solvers for a GPU.
//!
//! They are behind [`Solver::on_gpu`](crate::Solver::on_gpu), which takes a [`Config`] that may
//! name one of the [algorithms](Algorithm) here. A build without the feature `cuda` has all of
//! this, but no [`Gpu`](gpu_runtime::Gpu) to call it with.

mod algorithm;
mod arrays;
mod autotune;
mod bellman_ford;
mod bellman_ford_queue;
mod bellman_ford_spmv;
mod breadth_first;
mod choose;
mod crauser;
mod delta_stepping;
mod delta_stepping_buckets;
mod device;
mod device_solver;
mod dijkstra;
mod dijkstra_by_launches;
mod edge_predecessors;
mod edges;
mod extract_min;
mod graph;
mod key_search;
mod keys;
mod many_sources;
mod nearest;
mod negative_cycle;
mod on_gpu;
mod predecessors;
mod search;
mod several;
mod spmv_matrix;
mod work_space;

pub use self::algorithm::{Algorithm, BlockSize, Config, EdgeOrder, Layout, Loads, Stores};
pub use self::arrays::{Arrays, Indices};
pub use self::device_solver::{DeviceSolver, OnDevice};
#[doc(hidden)]
pub use self::dijkstra_by_launches::DijkstraByLaunches;
#[doc(hidden)]
pub use self::extract_min::{ExtractMin, Reduction};
#[cfg(test)]
pub(crate) use self::search::{Answer, DeviceSearch};
pub(crate) use self::several::OnGpus;

#[cfg(test)]
mod tests {
    use gpu_runtime::Gpu;

    /// The first GPU, or `None` and a word about it.
    pub(super) fn gpu() -> Option<Gpu> {
        test_support::gpu(Gpu::open())
    }
}
