//! Solvers for a GPU.
//!
//! Their entry point is [`Solver::on_gpu`](crate::Solver::on_gpu), with a [`Config`] that may name
//! one of the [algorithms](Algorithm). A build without the feature `cuda` has the same API, but no
//! [`Gpu`](gpu_runtime::Gpu) to call it with.

mod algorithm;
mod arrays;
mod autotune;
mod bellman_ford_queue;
mod breadth_first;
mod cells;
mod changes;
mod delta_stepping;
mod device;
mod device_solver;
mod dynamic;
mod many_sources;
mod multi_source;
mod nearest;
mod on_gpu;
mod several;
mod work_space;

pub use self::algorithm::{Algorithm, Config};
pub use self::arrays::{Arrays, Indices};
pub use self::cells::converted;
pub use self::device_solver::{DeviceSolver, OnDevice};
pub use self::dynamic::DynamicDeviceTrees;
pub(crate) use self::several::OnGpus;
pub use published;
pub use search_parts::device::RankedArcs;
