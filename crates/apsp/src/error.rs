//! What can go wrong.

use gpu_runtime::GpuError;
use sssp::SsspError;

use crate::Algorithm;

/// Why there is no table of distances.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApspError {
    /// Memory cannot hold the matrix.
    #[error(
        "all pairs of {n_vertices} vertices take {bytes} bytes, more than there are; search from \
         fewer sources at a time"
    )]
    TooLarge {
        /// Vertices of the graph.
        n_vertices: usize,
        /// What the matrices take.
        bytes: u128,
    },
    /// Floyd-Warshall adds in fixed widths, and sums may be larger.
    #[error("floyd-warshall over a matrix cannot be sure of sums up to {bound:e}; use johnson")]
    TooHeavy {
        /// A bound on all sums.
        bound: f64,
    },
    /// A name of an algorithm that does not exist.
    #[error("unknown algorithm '{name}'; known are {known}")]
    UnknownAlgorithm {
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A form that exists for another device only.
    #[error("{algorithm} is not for this device; use blocked")]
    NotHere {
        /// What was asked for.
        algorithm: Algorithm,
    },
    /// A published form does not take this parameter.
    #[error("{name} is {value}, but it has to be {expected}")]
    Parameter {
        /// What it is called.
        name: &'static str,
        /// What was asked for.
        value: u32,
        /// What is taken.
        expected: String,
    },
    /// The GPU refused.
    #[error(transparent)]
    Gpu(Box<GpuError>),
    /// The threads asked for could not be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A search failed: a negative cycle can be reached, a distance overflows its type, or
    /// the progress callback ended the work.
    #[error(transparent)]
    Search(#[from] SsspError),
}

impl From<GpuError> for ApspError {
    fn from(error: GpuError) -> Self {
        Self::Gpu(Box::new(error))
    }
}
