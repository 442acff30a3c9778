//! Why there is no hierarchy, or no answer from it.

use elimination::EliminationError;
use gpu_runtime::GpuError;
use graph_formats::{Interrupted, Large, NoMemory, VertexId, WeightKind};

/// Everything that this crate refuses.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HierarchyError {
    /// There is no order, or nothing made from it.
    #[error(transparent)]
    Elimination(EliminationError),
    /// An order in which a way up is too long.
    #[error(
        "in this order a way up the hierarchy has more than {limit} vertices; order them by nested dissection, or use sssp"
    )]
    TooHigh {
        /// How many it may have.
        limit: usize,
    },
    /// A list that does not have an entry for each vertex.
    #[error("{found} {what} for {expected} vertices; there must be one for each")]
    NotAllVertices {
        /// What is in the list.
        what: &'static str,
        /// The number of vertices.
        expected: usize,
        /// The length of the list.
        found: usize,
    },
    /// Weights of more arcs than there are, or fewer.
    #[error("{found} weights for {expected} arcs; there must be one for each")]
    NotAllArcs {
        /// How many arcs there are.
        expected: usize,
        /// How many weights.
        found: usize,
    },
    /// A weight of an arc that the graph does not have.
    #[error("arc {arc} does not exist: the graph has {n_arcs} arcs, numbered from 0")]
    NoSuchArc {
        /// Its position.
        arc: usize,
        /// How many there are.
        n_arcs: usize,
    },
    /// A weight that is NaN or infinite.
    #[error("arc {from} -> {to} has the weight {weight}; weights must be finite")]
    WeightNotFinite {
        /// Where the arc starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// Its weight.
        weight: String,
    },
    /// A graph whose arcs are not those that the hierarchy was made for.
    #[error("the arcs are not those of the graph that the hierarchy is of; make another hierarchy")]
    AnotherGraph,
    /// A graph's file in which something else is attached.
    #[error(
        "what is attached to the graph is {kind}, not a hierarchy of this version; prepare it again"
    )]
    AnotherAttachment {
        /// The kind of attachment.
        kind: String,
    },
    /// A hierarchy in a file whose parts disagree.
    #[error("the hierarchy in the file is not one of its graph; prepare it again")]
    Damaged,
    /// An arc of negative weight.
    #[error(
        "a hierarchy needs weights of at least zero, but arc {from} -> {to} has {weight}; use bellman-ford"
    )]
    NegativeWeight {
        /// Where the first such arc starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// Its weight.
        weight: String,
    },
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
    /// Floats so large that a sum of them may be infinite.
    #[error("a path may be longer than any float, with weights up to {greatest}; scale them down")]
    SumsTooLarge {
        /// The greatest weight.
        greatest: String,
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
        bytes: Large,
    },
    /// Memory cannot hold what the work is done in.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// A distance that its type cannot hold.
    #[error(
        "the distance of vertex {target} from {source_vertex} overflows {kind}; scale the weights down or use f64"
    )]
    Overflow {
        /// Where the path starts.
        source_vertex: VertexId,
        /// Where it ends.
        target: VertexId,
        /// The distance type.
        kind: WeightKind,
    },
    /// The progress callback ended the work.
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
    /// What the GPU does not take.
    #[error("the GPU cannot be used: {reason}")]
    NotOnGpu {
        /// What it takes instead.
        reason: String,
    },
    /// The GPU failed, or has too little memory.
    #[error(transparent)]
    Gpu(Box<GpuError>),
}

const _: () = assert!(align_of::<HierarchyError>() <= align_of::<u64>(), "see `Large`");

impl From<EliminationError> for HierarchyError {
    fn from(error: EliminationError) -> Self {
        match error {
            EliminationError::Interrupted(interrupted) => interrupted.into(),
            EliminationError::NoMemory(refused) => refused.into(),
            other => Self::Elimination(other),
        }
    }
}

impl From<GpuError> for HierarchyError {
    fn from(error: GpuError) -> Self {
        Self::Gpu(Box::new(error))
    }
}
