//! The errors of the crate.

use elimination::EliminationError;
use gpu_runtime::GpuError;
use graph_formats::{ChangeError, Interrupted, Large, NoMemory, VertexId, WeightKind};
use paths::aggregate::BadAggregate;

/// Why a hierarchy cannot be made, or a query has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HierarchyError {
    /// The vertices cannot be ordered, or the order cannot be used.
    #[error(transparent)]
    Elimination(EliminationError),
    /// An order in which an upward path is too long.
    #[error(
        "in this order an upward path has more than {limit} vertices; order the vertices by nested \
         dissection, or search the graph itself"
    )]
    TooHigh {
        /// The most vertices that it may have.
        limit: usize,
    },
    /// A list that does not have an entry for each vertex.
    #[error("there are {found} {what} and {expected} vertices; expected one for each vertex")]
    NotAllVertices {
        /// What is in the list.
        what: &'static str,
        /// The number of vertices.
        expected: usize,
        /// The length of the list.
        found: usize,
    },
    /// The number of weights is not that of the arcs.
    #[error("there are {found} weights and {expected} arcs; expected one for each arc")]
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
    #[error("the arc {from} -> {to} has weight {weight}; weights must be finite")]
    WeightNotFinite {
        /// Where the arc starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// Its weight.
        weight: String,
    },
    /// A change that the graph cannot take.
    #[error(transparent)]
    Change(Box<ChangeError>),
    /// A new arc that the hierarchy has no place for.
    #[error(
        "change {position}: neither an arc nor a shortcut of the prepared graph joins {from} and \
         {to}; prepare the graph with the new arc"
    )]
    NoPlace {
        /// Which of the changes, counted from 0.
        position: usize,
        /// Where the arc starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
    },
    /// A new vertex.
    #[error(
        "change {position}: a hierarchy has no place for a vertex; prepare the graph with the new one"
    )]
    NewVertex {
        /// Which of the changes, counted from 0.
        position: usize,
    },
    /// A graph whose arcs are not those that the hierarchy was made for.
    #[error("the arcs differ from those that the hierarchy was made for; make another hierarchy")]
    AnotherGraph,
    /// The attachment of the graph's file is not a hierarchy of this version.
    #[error(
        "the attachment of the graph is {kind}, not a hierarchy of this version; prepare the graph \
         again"
    )]
    AnotherAttachment {
        /// The kind of attachment.
        kind: String,
    },
    /// A hierarchy in a file whose parts disagree.
    #[error("the hierarchy in the file does not belong to its graph; prepare the graph again")]
    Damaged,
    /// An arc of negative weight.
    #[error(
        "a hierarchy needs weights of at least zero, but the arc {from} -> {to} has weight \
         {weight}; use bellman-ford"
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
        /// "source", "target" or "point".
        role: &'static str,
        /// The vertex that the caller gave.
        vertex: VertexId,
        /// How many there are.
        n_vertices: usize,
    },
    /// A point that cannot be a source or target.
    #[error(
        "{role} {place} of the list has {reason}; give a point up to 16 vertices, with distances of \
         at least zero that are finite"
    )]
    BadPoint {
        /// "source" or "target".
        role: &'static str,
        /// Its place in the list.
        place: usize,
        /// What is wrong.
        reason: String,
    },
    /// Points, values or a cutoff that do not fit what is asked of them.
    #[error(transparent)]
    BadAggregate(#[from] BadAggregate),
    /// Floats so large that a sum of them may be infinite.
    #[error(
        "with weights up to {greatest} a path may be longer than any float; scale the weights down"
    )]
    SumsTooLarge {
        /// The greatest weight.
        greatest: String,
    },
    /// A table that memory cannot hold.
    #[error(
        "a table of {sources} x {targets} distances takes {bytes} bytes, more than the system \
         grants; take fewer sources at a time"
    )]
    TableTooLarge {
        /// Its rows.
        sources: usize,
        /// Its columns.
        targets: usize,
        /// Its size.
        bytes: Large,
    },
    /// Not one target for each source.
    #[error("there are {expected} sources and {found} targets; expected a target for each source")]
    NotAllTargets {
        /// How many sources there are.
        expected: usize,
        /// How many targets.
        found: usize,
    },
    /// Labels that memory cannot hold.
    #[error(
        "labels take {bytes} bytes, more than the system grants; find distances without them, by a \
         query"
    )]
    LabelsTooLarge {
        /// Their size.
        bytes: Large,
    },
    /// The system refuses the memory for the work space.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// A distance that its type cannot hold.
    #[error(
        "the distance of vertex {target} from {source_vertex} overflows {kind}; scale the weights \
         down, or use f64"
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
    /// The GPU does not support this hierarchy or these weights.
    #[error("the GPU cannot be used: {reason}")]
    NotOnGpu {
        /// What the GPU supports.
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

impl From<ChangeError> for HierarchyError {
    fn from(error: ChangeError) -> Self {
        Self::Change(Box::new(error))
    }
}

impl From<GpuError> for HierarchyError {
    fn from(error: GpuError) -> Self {
        Self::Gpu(Box::new(error))
    }
}
