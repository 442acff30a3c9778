//! The errors of searches.

use gpu_runtime::{Gpu, GpuError};
use graph_formats::{
    ChangeError, Csr, Interrupted, Large, NoMemory, UnknownName, VertexId, Weight, WeightKind,
};
use paths::aggregate::BadAggregate;

/// The reason why a search could not start or has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A source or target that the graph does not have.
    #[error("{role} {vertex} does not exist: the graph has {n_vertices} vertices, numbered from 0")]
    NoSuchVertex {
        /// "source", "target" or "point".
        role: &'static str,
        /// The vertex that the caller gave.
        vertex: VertexId,
        /// The number of vertices.
        n_vertices: usize,
    },
    /// Distances of a graph with another number of vertices.
    #[error(
        "there are {n_distances} distances and {n_vertices} vertices; expected one for each vertex"
    )]
    NotAllVertices {
        /// The number of distances.
        n_distances: usize,
        /// The number of vertices.
        n_vertices: usize,
    },
    /// A negative weight, for an algorithm that needs weights of at least zero.
    #[error(
        "{what} needs weights of at least zero, but the arc {from} -> {to} has weight \
             {weight}; {advice}"
    )]
    NegativeWeight {
        /// The name of the algorithm or operation.
        what: &'static str,
        /// The tail of the first arc of negative weight.
        from: VertexId,
        /// The head of the arc.
        to: VertexId,
        /// The weight of the arc.
        weight: String,
        /// What admits negative weights.
        advice: &'static str,
    },
    /// A change of the graph cannot be made.
    #[error(transparent)]
    BadChange(#[from] ChangeError),
    /// Breadth-first search needs equal weights above zero.
    #[error(
        "breadth-first needs one weight above zero for all arcs, but they go from {least} to {greatest}; leave the algorithm out, or use delta-stepping"
    )]
    WeightsDiffer {
        /// The least weight.
        least: String,
        /// The greatest weight.
        greatest: String,
    },
    /// A cycle of negative length can be reached, so paths have no least length.
    #[error(
        "negative cycle: {} has a weight below 0, so paths that reach it have no least length",
        around(cycle)
    )]
    NegativeCycle {
        /// The vertices of the cycle in the order of travel, the first not repeated.
        cycle: Vec<VertexId>,
    },
    /// A distance does not fit its type.
    #[error("a path to vertex {vertex} overflows {kind}; scale the weights down, or use f64")]
    Overflow {
        /// A vertex to which a path does not fit. Without negative weights its distance does not fit
        /// either. With them it may fit, by a path through a vertex whose distance does not.
        vertex: VertexId,
        /// The distance type.
        kind: &'static str,
    },
    /// A bucket width that Δ-stepping cannot use.
    #[error("delta {delta} cannot be used: {reason}")]
    BadDelta {
        /// The width that the caller gave.
        delta: f64,
        /// What is wrong, and what would be accepted.
        reason: String,
    },
    /// A cutoff that is not a distance.
    #[error("cutoff {0} is not a distance; it must be a number")]
    BadCutoff(String),
    /// Points, values or a cutoff that do not fit what is asked of them.
    #[error(transparent)]
    BadAggregate(#[from] BadAggregate),
    /// Numbers passed as distances to a vertex that are not distances.
    #[error(
        "the distances to vertex {target} that the caller gave are not those of this graph; search \
         again"
    )]
    NoDistances {
        /// The vertex.
        target: VertexId,
    },
    /// A table that memory cannot hold.
    #[error(
        "a table of {sources} x {targets} distances takes {bytes} bytes, more than the system \
         grants; take fewer sources at a time"
    )]
    TableTooLarge {
        /// The rows of the table.
        sources: usize,
        /// The columns of the table.
        targets: usize,
        /// The size of the table.
        bytes: Large,
    },
    /// Memory cannot hold what a search needs.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// The queue cannot hold this graph's weights.
    #[error("the {queue} queue cannot be used: {reason}")]
    BadQueue {
        /// The name of the queue.
        queue: &'static str,
        /// What is wrong, and what would be accepted.
        reason: String,
    },
    /// An unknown name of an algorithm, rule or queue.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// The progress callback ended the work.
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
    /// The GPU solver does not support this graph or algorithm.
    #[error("the GPU solver cannot be used: {reason}")]
    NotOnGpu {
        /// What it supports.
        reason: String,
    },
    /// Arrays on a GPU that are not compressed sparse rows.
    #[error("these arrays are not a graph: {reason}")]
    NotAGraph {
        /// What is wrong in the arrays, and where.
        reason: String,
    },
    /// Distances that the requested type cannot represent.
    #[error("{kind} cannot hold all distances exactly; use another type")]
    NotExact {
        /// The type.
        kind: WeightKind,
    },
    /// The GPU failed, or has too little memory.
    #[error(transparent)]
    Gpu(Box<GpuError>),
}

const _: () = assert!(align_of::<SearchError>() <= align_of::<u64>(), "see `Large`");

impl From<GpuError> for SearchError {
    fn from(error: GpuError) -> Self {
        Self::Gpu(Box::new(error))
    }
}

/// The vertices of a cycle, back to the first.
fn around(cycle: &[VertexId]) -> String {
    let vertices: Vec<_> = cycle.iter().chain(cycle.first()).map(VertexId::to_string).collect();
    vertices.join(" -> ")
}

impl SearchError {
    /// The advice for an algorithm that needs weights of at least zero.
    pub const USE_BELLMAN_FORD: &'static str =
        "leave the algorithm out, or use a form of bellman-ford";

    /// The same error with the name of the failed GPU, if it is one of `gpus`.
    pub fn named(self, gpus: &[Gpu]) -> Self {
        match self {
            Self::Gpu(error) => error.named(gpus).into(),
            other => other,
        }
    }
}

/// That no weight of `graph` is negative.
///
/// # Errors
/// [`SearchError::NegativeWeight`] with this subject and advice.
pub fn check_not_negative<W: Weight>(
    graph: &Csr<W>,
    what: &'static str,
    advice: &'static str,
) -> Result<(), SearchError> {
    let Some((arc, from, to)) = graph.first_negative() else { return Ok(()) };
    let weight = graph.weight(arc).to_string();
    Err(SearchError::NegativeWeight { what, from, to, weight, advice })
}

/// The result, or `None` if a device has too little memory.
///
/// # Errors
/// All other errors of `result`.
pub fn unless_out_of_memory<T>(result: Result<T, SearchError>) -> Result<Option<T>, SearchError> {
    match result {
        Err(SearchError::Gpu(error)) if matches!(*error, GpuError::OutOfMemory { .. }) => Ok(None),
        result => result.map(Some),
    }
}
