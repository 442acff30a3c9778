//! The errors of the crate.

use gpu_runtime::GpuError;
use graph_formats::{ChangeError, Interrupted, NoMemory};

use crate::Algorithm;

/// Why the closure cannot be found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClosureError {
    /// Memory cannot hold the bits.
    #[error(
        "a closure of {n_vertices} by {n_vertices} bits takes {} bytes of memory, more than the \
         system grants; counts of reached vertices take less memory",
        *n_vertices as u128 * n_vertices.div_ceil(64) as u128 * 8
    )]
    TooLarge {
        /// Vertices of the graph.
        n_vertices: usize,
    },
    /// The system refuses the memory for the work space.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// A change of the graph cannot be made.
    #[error(transparent)]
    BadChange(#[from] ChangeError),
    /// A GPU counts arcs in 32 bits.
    #[error("{n_arcs} arcs are more than a GPU can count in 32 bits; use the CPU")]
    TooManyArcs {
        /// Arcs of the graph.
        n_arcs: usize,
    },
    /// The algorithm runs on a GPU only.
    #[error("{algorithm} runs on a GPU only; use blocked")]
    OnlyOnGpu {
        /// The algorithm.
        algorithm: Algorithm,
    },
    /// The list of GPUs is empty.
    #[error("no GPU was given; use the CPU")]
    NoGpuNamed,
    /// The device lacks the units that the algorithm needs.
    #[error(
        "a GPU of compute capability {major}.{minor} has no units for binary matrix products; use \
         blocked"
    )]
    NoMatrixUnits {
        /// Of the device.
        major: u32,
        /// Of the device.
        minor: u32,
    },
    /// The progress callback ended the work.
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
    /// The GPU or its driver failed, or there is none.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}
