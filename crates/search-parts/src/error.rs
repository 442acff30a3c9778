//! Why a search could not be started or has no answer.

use gpu_runtime::{Gpu, GpuError};
use graph_formats::{NoMemory, VertexId, WeightKind};

/// Why there are no distances.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A source or target that the graph does not have.
    #[error("{role} {vertex} does not exist: the graph has {n_vertices} vertices, numbered from 0")]
    NoSuchVertex {
        /// "source" or "target".
        role: &'static str,
        /// The vertex asked for.
        vertex: VertexId,
        /// How many there are.
        n_vertices: usize,
    },
    /// Distances of another graph.
    #[error("{n_distances} distances for {n_vertices} vertices; there must be one for each")]
    NotAllVertices {
        /// How many there are.
        n_distances: usize,
        /// How many vertices the graph has.
        n_vertices: usize,
    },
    /// The algorithm needs weights of at least zero.
    #[error(
        "{algorithm} needs weights of at least zero, but arc {from} -> {to} has {weight}; use a form of bellman-ford"
    )]
    NegativeWeight {
        /// The name of the algorithm asked for.
        algorithm: &'static str,
        /// Tail of the first such arc.
        from: VertexId,
        /// Its head.
        to: VertexId,
        /// Its weight.
        weight: String,
    },
    /// Breadth-first search needs the same weight of every arc, above zero.
    #[error(
        "breadth-first needs one weight above zero for all arcs, but they go from {least} to {greatest}; leave the algorithm out, or use delta-stepping"
    )]
    WeightsDiffer {
        /// The least weight.
        least: String,
        /// The greatest.
        greatest: String,
    },
    /// A cycle of negative length can be reached, so paths have no least length.
    #[error("negative cycle: {cycle:?} can be reached and gets shorter with every turn")]
    NegativeCycle {
        /// Its vertices in the order of travel, the first one not repeated.
        cycle: Vec<VertexId>,
    },
    /// The shortest path to a vertex is longer than the distance type can hold.
    #[error("the distance of vertex {vertex} overflows {kind}; scale the weights down or use f64")]
    Overflow {
        /// A vertex whose distance does not fit.
        vertex: VertexId,
        /// The distance type.
        kind: &'static str,
    },
    /// A bucket width that Δ-stepping cannot use.
    #[error("delta {delta} cannot be used: {reason}")]
    BadDelta {
        /// The width asked for.
        delta: f64,
        /// What is wrong and what would do.
        reason: String,
    },
    /// A cutoff that is no distance.
    #[error("cutoff {0} is not a distance; it must be a number")]
    BadCutoff(String),
    /// A cutoff on a graph where a path may come back from beyond it.
    #[error(
        "a cutoff needs weights of at least zero, but arc {from} -> {to} has {weight}; leave the cutoff out"
    )]
    CutoffWithNegativeWeight {
        /// Tail of the first such arc.
        from: VertexId,
        /// Its head.
        to: VertexId,
        /// Its weight.
        weight: String,
    },
    /// Several paths on a graph where a longer one may turn out shorter.
    #[error(
        "k shortest paths need weights of at least zero, but arc {from} -> {to} has {weight}; ask for one path"
    )]
    PathsWithNegativeWeight {
        /// Tail of the first such arc.
        from: VertexId,
        /// Its head.
        to: VertexId,
        /// Its weight.
        weight: String,
    },
    /// Numbers that were given for distances to a vertex.
    #[error(
        "the numbers given as distances to vertex {target} are no distances in this graph; search again"
    )]
    NoDistances {
        /// The vertex.
        target: VertexId,
    },
    /// A table that memory cannot hold.
    #[error(
        "a table of {sources} x {targets} distances takes {bytes} bytes, more than there are; ask for fewer sources at a time"
    )]
    TableTooLarge {
        /// Its rows.
        sources: usize,
        /// Its columns.
        targets: usize,
        /// Its size.
        bytes: u128,
    },
    /// Memory cannot hold what a search needs.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// The queue cannot hold this graph's weights.
    #[error("the {queue} queue cannot be used: {reason}")]
    BadQueue {
        /// Its name.
        queue: &'static str,
        /// What is wrong and what would do.
        reason: String,
    },
    /// A name of an algorithm, rule or queue that does not exist.
    #[error("unknown {what} '{name}'; known are {known}")]
    UnknownName {
        /// What was named.
        what: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The progress callback ended the work.
    #[error("interrupted")]
    Interrupted,
    /// The GPU solver does not take this graph or algorithm.
    #[error("the GPU solver cannot be used: {reason}")]
    NotOnGpu {
        /// What it takes instead.
        reason: String,
    },
    /// Arrays on a GPU that are no compressed sparse rows.
    #[error("these arrays are no graph: {reason}")]
    NotAGraph {
        /// What is wrong with them, and where.
        reason: String,
    },
    /// Distances that the type asked for does not have.
    #[error("not all distances are numbers of type {kind}; ask for another type")]
    NotExact {
        /// The type.
        kind: WeightKind,
    },
    /// The GPU failed, or has too little memory.
    #[error(transparent)]
    Gpu(Box<GpuError>),
}

impl From<GpuError> for SearchError {
    fn from(error: GpuError) -> Self {
        Self::Gpu(Box::new(error))
    }
}

impl SearchError {
    /// The same with the name of the one of `gpus` that has failed, if one has.
    pub fn named(self, gpus: &[Gpu]) -> Self {
        match self {
            Self::Gpu(error) => error.named(gpus).into(),
            other => other,
        }
    }
}

/// What came of it, unless a device has too little memory for it.
///
/// # Errors
/// All others.
pub fn unless_out_of_memory<T>(result: Result<T, SearchError>) -> Result<Option<T>, SearchError> {
    match result {
        Err(SearchError::Gpu(error)) if matches!(*error, GpuError::OutOfMemory { .. }) => Ok(None),
        result => result.map(Some),
    }
}

/// What has this name in `table`.
///
/// # Errors
/// [`SearchError::UnknownName`] with those that there are.
pub fn by_name<T: Copy>(
    what: &'static str,
    name: &str,
    table: &[(&'static str, T)],
) -> Result<T, SearchError> {
    table.iter().find(|entry| entry.0 == name).map(|entry| entry.1).ok_or_else(|| {
        let known = table.iter().map(|entry| entry.0).collect::<Vec<_>>().join(", ");
        SearchError::UnknownName { what, name: name.to_owned(), known }
    })
}
