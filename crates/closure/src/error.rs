//! What can go wrong.

use gpu_runtime::GpuError;
use graph_formats::{Interrupted, NoMemory};

use crate::Algorithm;

/// Why there is no closure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClosureError {
    /// Memory cannot hold the bits.
    #[error(
        "a closure of {n_vertices} by {n_vertices} bits takes {} bytes of memory, more than there \
         are; how many each vertex reaches can be counted without",
        *n_vertices as u128 * n_vertices.div_ceil(64) as u128 * 8
    )]
    TooLarge {
        /// Vertices of the graph.
        n_vertices: usize,
    },
    /// Memory cannot hold what the work is done in.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// A GPU counts arcs in 32 bits.
    #[error("{n_arcs} arcs are more than a closure on a GPU takes; use the CPU")]
    TooManyArcs {
        /// Arcs of the graph.
        n_arcs: usize,
    },
    /// A form that exists for GPUs only.
    #[error("{algorithm} runs on a GPU only; use blocked")]
    OnlyOnGpu {
        /// What was asked for.
        algorithm: Algorithm,
    },
    /// GPUs were asked for, and none given.
    #[error("not on a GPU: none was named; use the CPU")]
    NoGpuNamed,
    /// A form that needs what the device has not.
    #[error(
        "a GPU of compute capability {major}.{minor} has no units for binary matrices; use blocked"
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
